// Once rejected: no run is understood if a static object starts with a value that is not.
//~ SAFE
//~ run: verify
//~ run: verify --entry early
extern int later;
int early(void) { return later; }
int main(void) { return early(); }
int later = (int)__real__ (1.0 + 2.0i);
