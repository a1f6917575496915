// A virtual machine with a few instructions; the code is checked when it is loaded.
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

enum op { HALT, PUSH, ADD, DUP, DROP, JUMP_ZERO, OPS };

#define CODE 4
#define STACK 3

struct vm {
  uint8_t op[CODE], arg[CODE];
  int16_t stack[STACK];
  uint8_t pc, sp;
};

static bool load(struct vm *vm) {
  for (int i = 0; i < CODE; i++) {
    vm->op[i] = __VERIFIER_nondet_uchar();
    vm->arg[i] = __VERIFIER_nondet_uchar();
    if (vm->op[i] >= OPS)
      return false;
#ifndef BUG
    if (vm->op[i] == JUMP_ZERO && vm->arg[i] >= CODE)
      return false;
#endif
  }
  vm->op[CODE - 1] = HALT;
  vm->pc = vm->sp = 0;
  return true;
}

static bool step(struct vm *vm) {
  uint8_t arg = vm->arg[vm->pc];
  switch ((enum op)vm->op[vm->pc++]) {
  case PUSH:
    if (vm->sp == STACK)
      return false;
    vm->stack[vm->sp++] = arg;
    return true;
  case DUP:
    if (vm->sp == 0 || vm->sp == STACK)
      return false;
    vm->stack[vm->sp] = vm->stack[vm->sp - 1];
    vm->sp++;
    return true;
  case ADD:
    if (vm->sp < 2)
      return false;
    vm->sp--;
    vm->stack[vm->sp - 1] = (int16_t)(vm->stack[vm->sp - 1] + vm->stack[vm->sp]);
    return true;
  case DROP:
    if (vm->sp == 0)
      return false;
    vm->sp--;
    return true;
  case JUMP_ZERO:
    if (vm->sp == 0)
      return false;
    if (vm->stack[--vm->sp] == 0)
      vm->pc = arg;
    return true;
  default:
    return false;
  }
}

int main(void) {
  struct vm vm;
  if (!load(&vm))
    return 1;
  for (int budget = 0; budget < 6 && step(&vm); budget++) {
    assert(vm.pc < CODE);
    assert(vm.sp <= STACK);
  }
  return 0;
}
