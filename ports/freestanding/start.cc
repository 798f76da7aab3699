// Entry and three system calls, so that the program can be tried on Linux. A board without an
// operating system replaces this file by its own start-up code.
#include <stddef.h>

extern "C" long FreestandingMain();

namespace {

#if defined(__x86_64__)
constexpr long kRead = 0, kWrite = 1, kExit = 60;
long Call(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
constexpr long kRead = 63, kWrite = 64, kExit = 93;
long Call(long number, long a, long b, long c) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
}
#elif defined(__arm__)
constexpr long kRead = 3, kWrite = 4, kExit = 1;
// Without -fomit-frame-pointer r7, the number's register, may be the frame pointer of Thumb code:
// kept by hand.
long Call(long number, long a, long b, long c) {
  register long r0 __asm__("r0") = a;
  register long r1 __asm__("r1") = b;
  register long r2 __asm__("r2") = c;
  __asm__ volatile("push {r7}\n\tmov r7, %1\n\tsvc 0\n\tpop {r7}"
                   : "+r"(r0)
                   : "r"(number), "r"(r1), "r"(r2)
                   : "memory");
  return r0;
}
#elif defined(__riscv) && __riscv_xlen == 64
constexpr long kRead = 63, kWrite = 64, kExit = 93;
long Call(long number, long a, long b, long c) {
  register long a7 __asm__("a7") = number;
  register long a0 __asm__("a0") = a;
  register long a1 __asm__("a1") = b;
  register long a2 __asm__("a2") = c;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
  return a0;
}
#endif

}  // namespace

extern "C" {

long ReadInput(void* data, size_t bytes) {
  return Call(kRead, 0, reinterpret_cast<long>(data), static_cast<long>(bytes));
}

long WriteOutput(const void* data, size_t bytes) {
  return Call(kWrite, 1, reinterpret_cast<long>(data), static_cast<long>(bytes));
}

#if defined(__arm__)
// libgcc's division by zero handler asks for this.
int raise(int) {
  return 0;
}
#endif

[[noreturn, gnu::used]] void FreestandingStart() {
  Call(kExit, FreestandingMain(), 0, 0);
  __builtin_unreachable();
}

}  // extern "C"

// The kernel enters with a stack that is aligned, but without the return address a function
// expects.
#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n  xor %ebp, %ebp\n  and $-16, %rsp\n  call FreestandingStart\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n  bl FreestandingStart\n");
#elif defined(__arm__)
__asm__(".globl _start\n.type _start, %function\n_start:\n  bl FreestandingStart\n");
#elif defined(__riscv)
// The global pointer first: the linker addresses data relative to it.
__asm__(
    ".globl _start\n_start:\n.option push\n.option norelax\n  la gp, __global_pointer$\n"
    ".option pop\n  call FreestandingStart\n");
#endif
