// octet-serve: a detector that other programs ask.
#include <malloc.h>

#include <optional>

#include "ports/linux/output/program.h"
#include "ports/linux/serve/program/serve.h"

namespace {

// Larger blocks come from the kernel and go back to it. Left alone, glibc raises this size to that
// of the largest block that was freed, up to 32 MiB, and keeps as much of each thread: 80 MB behind
// bodies of 15 MB.
void ReturnLargeBlocks() {
#if defined(__GLIBC__)
  constexpr int kFromKernelBytes = 2 << 20;  // above a float32 tensor of 320 x 320 pixels
  mallopt(M_MMAP_THRESHOLD, kFromKernelBytes);
  mallopt(M_TRIM_THRESHOLD, kFromKernelBytes);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  ReturnLargeBlocks();
  return octet::port::RunProgram("octet-serve", [&] {
    const std::optional<octet::port::serve::ServeOptions> options =
        octet::port::serve::ReadOptions(argc, argv);
    return options ? octet::port::serve::Serve(*options) : 0;
  });
}
