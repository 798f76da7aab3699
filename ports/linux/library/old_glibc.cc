// liboctet.so runs with any glibc since 2.27 (JetPack 4), though it is linked against a newer one.
// The linker binds each function to its newest version; of what the library and the part of
// libstdc++ inside it call, these are newer than 2.27:
//
//   pthread_create, pthread_join   2.34  moved from libpthread into libc
//   pthread_sigmask                2.32  likewise
//   fstat, on ARMv7 fstat64        2.33  was an inline function around __fxstat, __fxstat64
//   __libc_single_threaded         2.32  new: a hint of libstdc++'s reference counts
//
// A hidden definition here satisfies every object of the library, libstdc++'s too, before the
// linker looks into libc; it calls the version that has always been there, which newer glibc keeps
// for old programs. tests/ports/linux/library fails on any newer symbol: what it names belongs
// here. Before 2.34 the functions are in libpthread.so.0, which is therefore linked by name; in
// glibc from 2.34 on that file is empty.
#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

// The first version glibc had on each architecture, and the first argument of __fxstat there: which
// struct stat, the one of today's headers.
#if defined(__x86_64__)
#define OCTET_FIRST_GLIBC "GLIBC_2.2.5"
constexpr int kStatVersion = 1;
#elif defined(__aarch64__)
#define OCTET_FIRST_GLIBC "GLIBC_2.17"
constexpr int kStatVersion = 0;
#elif defined(__arm__)
#define OCTET_FIRST_GLIBC "GLIBC_2.4"
constexpr int kStatVersion = 3;
#else
#error "the first glibc of this architecture; see the ABI lists in glibc's sysdeps"
#endif

#define OCTET_OLD(name) __asm__(".symver old_" #name "," #name "@" OCTET_FIRST_GLIBC)
#define OCTET_HIDDEN __attribute__((visibility("hidden")))

extern "C" {

struct stat;

OCTET_OLD(pthread_create);
int old_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                       void* argument);
OCTET_OLD(pthread_join);
int old_pthread_join(pthread_t thread, void** result);
OCTET_OLD(pthread_sigmask);
int old_pthread_sigmask(int how, const sigset_t* set, sigset_t* before);
OCTET_OLD(__fxstat);
int old___fxstat(int version, int descriptor, struct stat* info);
#if defined(__arm__)  // by 64-bit off_t
struct stat64;
OCTET_OLD(__fxstat64);
int old___fxstat64(int version, int descriptor, struct stat64* info);
#endif

OCTET_HIDDEN int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                void* (*start)(void*), void* argument) {
  return old_pthread_create(thread, attributes, start, argument);
}

OCTET_HIDDEN int pthread_join(pthread_t thread, void** result) {
  return old_pthread_join(thread, result);
}

OCTET_HIDDEN int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  return old_pthread_sigmask(how, set, before);
}

OCTET_HIDDEN int fstat(int descriptor, struct stat* info) {
  return old___fxstat(kStatVersion, descriptor, info);
}

#if defined(__arm__)
OCTET_HIDDEN int fstat64(int descriptor, struct stat64* info) {
  return old___fxstat64(kStatVersion, descriptor, info);
}
#endif

// 0: other threads may run, always true enough.
OCTET_HIDDEN extern char __libc_single_threaded;
char __libc_single_threaded = 0;

}  // extern "C"
