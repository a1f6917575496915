//~ UNKNOWN!
//~ run: verify
extern int pthread_create(void *, void *, void *(*)(void *), void *);
void *work(void *x) { return x; }
int main(void) {
  pthread_create(0, 0, work, 0);
  //@ assert 1;
  return 0;
}
