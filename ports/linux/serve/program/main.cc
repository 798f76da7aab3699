// octet-serve: a detector that other programs ask.
#include <malloc.h>

#include <optional>

#include "ports/linux/output/program.h"
#include "ports/linux/serve/program/serve.h"

namespace {

// Bodies and pictures return to the kernel when they are freed. Left alone, glibc raises the size
// from which blocks come from there after each large one, up to 32 MiB, and the arenas of all
// threads keep what once was large: the service grew for as long as its clients changed.
void KeepMemoryFlat() {
#if defined(__GLIBC__)
  constexpr int kFromKernelBytes = 128 << 10;
  mallopt(M_MMAP_THRESHOLD, kFromKernelBytes);
  mallopt(M_TRIM_THRESHOLD, kFromKernelBytes);
  mallopt(M_ARENA_MAX, 2);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  KeepMemoryFlat();
  return octet::port::RunProgram("octet-serve", [&] {
    const std::optional<octet::port::serve::ServeOptions> options =
        octet::port::serve::ReadOptions(argc, argv);
    return options ? octet::port::serve::Serve(*options) : 0;
  });
}
