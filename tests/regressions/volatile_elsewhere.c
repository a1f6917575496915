// Who defines a volatile object elsewhere may write it at any time; once two reads were taken to give the same.
//~ UNKNOWN!
//~ run: verify
//~ run: verify -DARRAY
//~ SAFE
//~ run: verify -DHERE
//~ run: verify -DUNUSED
extern void reach_error(void);
#ifdef HERE
extern volatile int port;
volatile int port;
#else
extern volatile int port;
#endif
extern volatile int ports[4];
int main(void) {
#if defined ARRAY
  if (ports[1] != ports[1]) reach_error();
#elif defined UNUSED
  if (sizeof(port) != sizeof(int)) reach_error();
#else
  int first = port, second = port;
  if (first != second) reach_error();
#endif
  return 0;
}
