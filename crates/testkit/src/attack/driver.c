/* Runs every program of a batch on every tape of inputs and prints one line for each program. The programs stand between this text and
   the table PROGRAMS at the end of the file; their file-scope names are made different by macros. A tape grows as the program asks for
   inputs, and the last input that has another value left is changed for the next run. A child process runs the tapes of a program; if
   it dies, the next child goes on behind the tape that killed it. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_INPUTS = 12, MAX_TAPES = 3000, SITES = 2, MAX_VALUES = 24, MAX_DEATHS = 30, ERROR_TEXT = 1 << 16 };
enum { TOO_MANY = 1, HANGS = 2, DIES = 4, REACHED = 8 };

static struct record {
  unsigned char value[MAX_INPUTS], domain[MAX_INPUTS];
  int length, used, tapes, flags, done;
  unsigned long outcomes; /* a hash of how each tape ends */
  int counts[SITES];
  long values[SITES][MAX_VALUES];
} *record;
static jmp_buf end_of_run;

static unsigned next_input(unsigned domain) {
  if (record->used == MAX_INPUTS) {
    record->flags |= TOO_MANY;
    longjmp(end_of_run, 3);
  }
  int at = record->used++;
  if (at >= record->length) {
    record->value[at] = 0;
    record->domain[at] = domain;
    record->length = at + 1;
  }
  return record->value[at];
}

int __VERIFIER_nondet_int(void) { return next_input(4); }
unsigned __VERIFIER_nondet_uint(void) { return next_input(4); }
unsigned char __VERIFIER_nondet_uchar(void) { return next_input(4); }
short __VERIFIER_nondet_short(void) { return next_input(4); }
long __VERIFIER_nondet_long(void) { return next_input(4); }
char __VERIFIER_nondet_char(void) { return next_input(4); }
_Bool __VERIFIER_nondet_bool(void) { return next_input(2); }
int outside(int a) { return next_input(4); }
unsigned char outside_byte(void) { return next_input(4); }
void touch(int *p) { if (p && next_input(2)) *p = next_input(4) + 1; }
void __VERIFIER_assume(int holds) { if (!holds) longjmp(end_of_run, 1); }
void reach_error(void) { record->flags |= REACHED; longjmp(end_of_run, 2); }
void harness_exit(int code) { longjmp(end_of_run, 1); }
void harness_abort(void) { longjmp(end_of_run, 1); }

#define CHECK probe
static void probe(int site, long value) {
  int count = record->counts[site];
  if (count > MAX_VALUES) return;
  for (int at = 0; at < count; at++) if (record->values[site][at] == value) return;
  if (count < MAX_VALUES) record->values[site][count] = value;
  record->counts[site]++;
}

/* Whether there is another tape. */
static int next_tape(int how) {
  record->outcomes = record->outcomes * 31 + how;
  record->tapes++;
  int at = record->used;
  record->used = 0;
  while (at > 0 && record->value[at - 1] + 1 >= record->domain[at - 1]) at--;
  record->length = at;
  if (at == 0) return 0;
  record->value[at - 1]++;
  if (record->tapes >= MAX_TAPES) record->flags |= TOO_MANY;
  return !(record->flags & TOO_MANY);
}

struct program { int index; int (*main)(void); void (*save)(void), (*restore)(void); int fork_each; };

static void run_tapes(const struct program *program) {
  program->save();
  for (;;) {
    program->restore();
    volatile int how = setjmp(end_of_run);
    if (how == 0) program->main();
    if (!next_tape(how)) { record->done = 1; return; }
    if (program->fork_each) return;
  }
}

static void run_program(const struct program *program) {
  memset(record, 0, sizeof *record);
  int deaths = 0;
  if (ftruncate(2, 0) != 0) exit(3);
  lseek(2, 0, SEEK_SET);
  while (!record->done && deaths < MAX_DEATHS && !(record->flags & (HANGS | TOO_MANY))) {
    pid_t child = fork();
    if (child == 0) {
      alarm(2);
      run_tapes(program);
      _exit(77);
    }
    int status;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) record->flags |= HANGS;
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 77) {
      record->flags |= DIES;
      deaths++;
      if (!next_tape(4)) record->done = 1;
    }
  }
  printf("program %d %d %d %lu", program->index, record->flags, record->tapes, record->outcomes);
  for (int site = 0; site < SITES; site++) {
    int count = record->counts[site];
    printf(" | %d", count);
    for (int at = 0; at < count && at < MAX_VALUES; at++) printf(" %ld", record->values[site][at]);
  }
  printf("\n");
  static char text[ERROR_TEXT];
  ssize_t length = pread(2, text, sizeof text - 1, 0);
  text[length > 0 ? length : 0] = 0;
  for (char *line = strtok(text, "\n"); line; line = strtok(0, "\n"))
    if (strstr(line, "runtime error:") || strstr(line, "MemorySanitizer:") || strstr(line, "ERROR: AddressSanitizer")) printf("report %s\n", line);
  fflush(stdout);
}

static int run_all(const struct program *programs, int count) {
  record = mmap(0, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int errors = memfd_create("errors", 0);
  if (record == MAP_FAILED || errors < 0 || dup2(errors, 2) < 0) return 3;
  for (int at = 0; at < count; at++) run_program(&programs[at]);
  return 0;
}

#define main program_main
#define exit harness_exit
#define abort harness_abort
