// Preloaded after a CPU mask that works by trapping CPUID: the first handler of SIGSEGV, the
// mask's, stays. node sets every signal back to its default at start, and with that the next CPUID
// instruction would end it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <string.h>

int sigaction(int number, const struct sigaction* action, struct sigaction* old) {
  static int (*real)(int, const struct sigaction*, struct sigaction*);
  static int handler_set;
  if (real == NULL) {
    void* symbol = dlsym(RTLD_NEXT, "sigaction");
    memcpy(&real, &symbol, sizeof(real));
  }
  if (number == SIGSEGV && action != NULL) {
    if (handler_set) return real(number, NULL, old);
    handler_set = 1;
  }
  return real(number, action, old);
}
