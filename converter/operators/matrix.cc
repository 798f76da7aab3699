#include "converter/operators/matrix.h"

#include <cstdlib>

#include <cblas.h>
#include <dlfcn.h>
#include <sys/mman.h>

#include <mutex>
#include <new>

#include "converter/support/error.h"

namespace octet::operators {
namespace {

using Sgemm = decltype(&cblas_sgemm);
// LAPACK's, with Fortran's conventions; OpenBLAS brings it along.
using Dpotrf = void (*)(const char* triangle, const blasint* size, double* a, const blasint* stride,
                        blasint* info, size_t triangle_length);
struct Library {
  Sgemm sgemm;
  Dpotrf dpotrf;
};

// An environment variable for one call, unless the user has set it.
class TemporaryVariable {
 public:
  TemporaryVariable(const char* name, const char* value) : name_(name) {
    set_ = value != nullptr && std::getenv(name) == nullptr && setenv(name, value, 0) == 0;
  }
  ~TemporaryVariable() {
    if (set_) unsetenv(name_);
  }
  TemporaryVariable(const TemporaryVariable&) = delete;
  TemporaryVariable& operator=(const TemporaryVariable&) = delete;

 private:
  const char* name_;
  bool set_ = false;
};

// OpenBLAS picks its kernels by model number and takes SSE3 ones, several times slower, on
// processors newer than itself. The instruction sets are what counts.
const char* KernelFamily() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return "SkylakeX";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

// Loaded on first use, because OpenBLAS reads its settings when it is loaded, before main if it
// were linked.
Library Load() {
  const TemporaryVariable family("OPENBLAS_CORETYPE", KernelFamily());
  const TemporaryVariable threads("OPENBLAS_NUM_THREADS", "1");  // starts no threads of its own
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    Fail("OpenBLAS cannot be loaded ({}); install Debian's libopenblas0-pthread", dlerror());
  }
  const auto set_threads = reinterpret_cast<decltype(&openblas_set_num_threads)>(
      dlsym(library, "openblas_set_num_threads"));
  const auto sgemm = reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
  const auto dpotrf = reinterpret_cast<Dpotrf>(dlsym(library, "dpotrf_"));
  if (set_threads == nullptr || sgemm == nullptr || dpotrf == nullptr) {
    Fail(
        "libopenblas.so.0 is not OpenBLAS with LAPACK: cblas_sgemm, dpotrf_ or "
        "openblas_set_num_threads is missing");
  }
  set_threads(1);
  return {sgemm, dpotrf};
}

// OpenBLAS takes a buffer of this size for each call that runs at the same time, keeps it, and
// where there is no room for it asks the system again for ever: whether there is room is asked
// here.
class BufferRoom {
 public:
  BufferRoom() {
    const std::lock_guard lock(mutex_);
    if (in_use_ == mapped_) {
      constexpr size_t kBufferBytes = (size_t{128} << 20) + (size_t{1} << 16);
      void* room = mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (room == MAP_FAILED) throw std::bad_alloc();
      munmap(room, kBufferBytes);
      ++mapped_;
    }
    ++in_use_;
  }
  ~BufferRoom() {
    const std::lock_guard lock(mutex_);
    --in_use_;
  }
  BufferRoom(const BufferRoom&) = delete;
  BufferRoom& operator=(const BufferRoom&) = delete;

 private:
  static inline std::mutex mutex_;
  static inline int in_use_ = 0, mapped_ = 0;
};

const Library& OpenBlas() {
  static const Library library = Load();
  return library;
}

}  // namespace

void MultiplyMatrices(int64_t rows, int64_t columns, int64_t depth, float alpha, MatrixOperand a,
                      MatrixOperand b, float beta, float* c, int64_t c_stride) {
  const auto integer = [](int64_t value) { return static_cast<blasint>(value); };
  const Library& library = OpenBlas();
  const BufferRoom room;
  library.sgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
                b.transposed ? CblasTrans : CblasNoTrans, integer(rows), integer(columns),
                integer(depth), alpha, a.data, integer(a.stride), b.data, integer(b.stride), beta,
                c, integer(c_stride));
}

bool FactorCholesky(int64_t size, double* a) {
  const auto n = static_cast<blasint>(size);
  blasint info = 0;
  // Column by column, the upper triangle of rows is the lower one.
  const Library& library = OpenBlas();
  const BufferRoom room;
  library.dpotrf("L", &n, a, &n, &info, 1);
  return info == 0;
}

}  // namespace octet::operators
