//~ run: replay --quiet -p valid-memcleanup
//~ run: replay --quiet -p valid-memtrack
//~ run: replay --quiet -p valid-memtrack --entry lost
//~ run: replay --quiet
#include <stdlib.h>
static int *kept;
int main(void) { kept = malloc(4); *kept = 1; return 0; }
int lost(void) { kept = malloc(4); kept = 0; return 0; }
