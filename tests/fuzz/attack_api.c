/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * attack_api [calls] [seed] [case]: calls the library a given number of times (default: 20,000) with whatever a caller
 * might pass, and judges every answer (attack_judge.c). Goes on after a finding, a crash and a hang, and counts the
 * findings by kind. With a case: only that one, described. Exits with 1 if there are findings.
 *
 * Cases run in a child, so that a crash ends only that; under sanitizers set abort_on_error=1 in ASAN_OPTIONS and
 * UBSAN_OPTIONS.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "attack.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KINDS = 96, SHOWN = 3, WORK = 20, PATIENCE = 120 /* seconds for one case, of the processor and of the clock */ };

/* What parent and child share. */
typedef struct ledger {
  uint64_t calls;
  uint64_t number; /* of the case that runs */
  int wild;        /* that case's */
  int kinds;
  struct kind {
    char name[64];
    uint64_t count;
  } kind[KINDS];
} ledger;

static ledger *book;
static uint64_t seed;

/* What goes wrong with ordinary numbers is a kind of its own. */
static struct kind *kind_of(const char *what) {
  char name[sizeof book->kind->name];
  (void)snprintf(name, sizeof name, "%s%s", book->wild ? "" : "TAME ", what);
  for (int i = 0; i < book->kinds; i++)
    if (strcmp(book->kind[i].name, name) == 0)
      return &book->kind[i];
  struct kind *k = &book->kind[book->kinds < KINDS - 1 ? book->kinds++ : KINDS - 1];
  memcpy(k->name, name, sizeof name);
  return k;
}

void finding(const char *name, const char *format, ...) {
  struct kind *k = kind_of(name);
  if (k->count++ >= SHOWN)
    return;
  va_list arguments;
  va_start(arguments, format);
  printf("FINDING %s: ", k->name);
  vprintf(format, arguments);
  va_end(arguments);
  printf("\n  attack_api 1 %" PRIu64 " %" PRIu64 "\n", seed, book->number);
  (void)fflush(stdout);
}

void count_call(void) {
  book->calls++;
}

static void run_case(uint64_t number, int shown) {
  static const int wildness[] = {0, 0, 5, 20, 60};
  attack a = {prng_seed(seed, number), number, 0, shown};
  a.wild = book->wild = wildness[below(&a, COUNT(wildness))];
  attack_once(&a);
}

static void run_from(uint64_t first, uint64_t calls) {
  for (book->number = first; book->calls < calls; book->number++) {
    const struct itimerval limit = {.it_value.tv_sec = WORK};
    (void)setitimer(ITIMER_PROF, &limit, NULL); /* either ends the child: a hang */
    (void)alarm(PATIENCE);
    run_case(book->number, 0);
  }
  (void)fflush(stdout);
}

static int summary(void) {
  printf("%" PRIu64 " calls, %" PRIu64 " cases, seed %" PRIu64 ", %d kinds of findings\n", book->calls, book->number,
         seed, book->kinds);
  for (int i = 0; i < book->kinds; i++)
    printf("%8" PRIu64 "  %s\n", book->kind[i].count, book->kind[i].name);
  return book->kinds > 0;
}

int main(int argc, char **argv) {
  const uint64_t calls = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
  seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  book = mmap(NULL, sizeof *book, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (book == MAP_FAILED)
    return 2;
  if (argc > 3) {
    (void)setvbuf(stdout, NULL, _IOLBF, 0); /* the description must outlive a crash */
    book->number = strtoull(argv[3], NULL, 10);
    run_case(book->number, 1);
    return summary();
  }
  uint64_t next = 0;
  while (book->calls < calls) {
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child < 0)
      return 2;
    if (child == 0) {
      run_from(next, calls);
      exit(0); /* where a sanitizer looks for leaks */
    }
    int state = 0;
    if (waitpid(child, &state, 0) != child)
      return 2;
    if (WIFSIGNALED(state) && (WTERMSIG(state) == SIGALRM || WTERMSIG(state) == SIGPROF))
      finding("hang", "longer than %d s of work or %d s of the clock", WORK, PATIENCE);
    else if (WIFSIGNALED(state))
      finding("crash", "signal %d", WTERMSIG(state));
    else if (WEXITSTATUS(state) != 0)
      finding("ended by itself, or leaks", "exit code %d", WEXITSTATUS(state));
    next = book->number + 1;
    book->calls++; /* the one that ended the child */
  }
  return summary();
}
