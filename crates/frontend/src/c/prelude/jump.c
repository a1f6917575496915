/* setjmp.h. A buffer has the address of an object that lives as long as the call that `setjmp` was called in, and the number of the call of `setjmp` in it.
   `longjmp` notes where to go; the functions in between return because of that note, which the frontend adds behind calls. */

struct __library_jump_buffer {
  unsigned long *frame;
  unsigned long call;
};

unsigned long *__library_jump_frame;
unsigned long __library_jump_call;
int __library_jump_value;

void __library_set_jump(void *at, void *object) {
  struct __library_jump_buffer *buffer = at;
  unsigned long *frame = object;
  (void)__library_jump_frame;
  (void)__library_jump_call;
  (void)__library_jump_value;
  ++*frame;
  buffer->frame = frame;
  buffer->call = *frame;
}

static void __library_jump(void *at, int value) {
  struct __library_jump_buffer *buffer = at;
  unsigned long *frame = buffer->frame;
  __library_require(buffer->call - 1 < *frame);
  __library_jump_call = buffer->call;
  __library_jump_value = value == 0 ? 1 : value;
  __library_jump_frame = frame;
}

void longjmp(void *buffer, int value) {
  __library_jump(buffer, value);
}

void _longjmp(void *buffer, int value) {
  __library_jump(buffer, value);
}

void siglongjmp(void *buffer, int value) {
  __library_jump(buffer, value);
}
