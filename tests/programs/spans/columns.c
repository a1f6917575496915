//~ run: replay
//~ run: show cfa
// Tabs count as one column, as in gcc -ftabstop=1; a letter counts as one, however many bytes it takes.
int main(void) {
	int x = 0;
	/* äöü € 𝄞 */ x = 5;
	const char *s = "größer";	//@ assert x == s[0];
	return 0;
}
