/* What a process has: functions that are called at its end, its environment, and its signals as far as it raises them itself. */

static void (*__library_exit_functions[32])(void);
static int __library_exit_count;

void __library_run_exit_functions(void);

int atexit(void (*function)(void)) {
  (void)__library_run_exit_functions;
  if (__library_exit_count == 32)
    __library_exits();
  __library_exit_functions[__library_exit_count++] = function;
  return 0;
}

/* Called before the process ends. */
void __library_run_exit_functions(void) {
  while (__library_exit_count > 0) {
    __library_exit_count--;
    __library_exit_functions[__library_exit_count]();
  }
}

/* Variables of the environment that were asked for, the last one first. */
struct __library_variable {
  struct __library_variable *next;
  char *name;
  char *value;
};

static struct __library_variable *__library_environment;

/* A variable is not there, or its value is a string of any length: the contents of an object of the library are arbitrary. */
static char *__library_variable(const char *name) {
  struct __library_variable *variable;
  unsigned long length, i;
  for (variable = __library_environment; variable; variable = variable->next)
    if (__builtin_strcmp(variable->name, name) == 0)
      return variable->value;
  variable = __library_object(sizeof(struct __library_variable));
  length = __builtin_strlen(name);
  variable->name = __library_object(length + 1);
  for (i = 0; i <= length; i++)
    variable->name[i] = name[i];
  variable->value = 0;
  if (__library_input_int() != 0) {
    length = __library_input_size();
    __CPROVER_assume(length < 131072);
    variable->value = __library_object(length + 1);
    variable->value[length] = 0;
  }
  variable->next = __library_environment;
  __library_environment = variable;
  return variable->value;
}

char *getenv(const char *name) {
  return __library_variable(name);
}

char *secure_getenv(const char *name) {
  return __library_variable(name);
}

static void (*__library_handlers[65])(int);

void (*signal(int number, void (*handler)(int)))(int) {
  void (*before)(int);
  if (number < 1 || number > 64 || number == 9 || number == 19 || number == 32 || number == 33) {
    __library_errno = 22;
    return (void (*)(int))-1L;
  }
  before = __library_handlers[number];
  __library_handlers[number] = handler;
  return before;
}

int raise(int number) {
  void (*handler)(int);
  if (number < 1 || number > 64) {
    __library_errno = 22;
    return -1;
  }
  handler = __library_handlers[number];
  if (handler == (void (*)(int))1L)
    return 0;
  if (handler == 0) {
    if (number == 17 || number == 18 || number == 23 || number == 28)
      return 0;
    __builtin_abort();
  }
  handler(number);
  return 0;
}
