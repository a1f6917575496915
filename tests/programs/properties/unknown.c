//~ run: replay -p no-such-thing
//~ run: replay --inputs 1,x
int main(void) { return 0; }
