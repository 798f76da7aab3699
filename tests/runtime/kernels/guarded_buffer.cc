#include "tests/runtime/kernels/guarded_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace octet::kernels_test {
namespace {
constexpr uint8_t kPattern = 0xA5;
}

GuardedBuffer::GuardedBuffer(size_t bytes, size_t alignment, Place place) : bytes_(bytes) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  accessible_bytes_ = (bytes + page) / page * page;  // at least one byte more than `bytes`
  if (bytes % page == 0 && bytes != 0) accessible_bytes_ = bytes;
  mapping_bytes_ = accessible_bytes_ + 2 * page;
  void* mapping =
      mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::runtime_error("mmap failed");
  mapping_ = static_cast<uint8_t*>(mapping);
  first_ = mapping_ + page;
  if (mprotect(mapping_, page, PROT_NONE) != 0 ||
      mprotect(first_ + accessible_bytes_, page, PROT_NONE) != 0) {
    throw std::runtime_error("mprotect failed");
  }
  std::memset(first_, kPattern, accessible_bytes_);
  data_ = place == Place::kStart ? first_
                                 : first_ + (accessible_bytes_ - bytes) / alignment * alignment;
}

GuardedBuffer::~GuardedBuffer() {
  munmap(mapping_, mapping_bytes_);
}

void GuardedBuffer::Poison(uint8_t value) const {
  std::memset(data_, value, bytes_);
}

bool GuardedBuffer::GuardsIntact() const {
  for (const uint8_t* p = first_; p < first_ + accessible_bytes_; ++p) {
    if ((p < data_ || p >= data_ + bytes_) && *p != kPattern) return false;
  }
  return true;
}

}  // namespace octet::kernels_test
