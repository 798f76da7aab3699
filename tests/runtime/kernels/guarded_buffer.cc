#include "tests/runtime/kernels/guarded_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <stdexcept>

namespace octet::kernels_test {
namespace {
constexpr uint8_t kPattern = 0xA5;
constexpr size_t kMostKept = size_t{64} << 20;

// Mappings whose buffers are gone, by their size: a new page costs more than what a small layer
// does with it, above all on virtual machines.
struct Kept {
  std::multimap<size_t, uint8_t*> mappings;
  size_t bytes = 0;
};
Kept& KeptMappings() {
  static Kept kept;
  return kept;
}

uint8_t* Map(size_t bytes, size_t page) {
  Kept& kept = KeptMappings();
  if (const auto found = kept.mappings.find(bytes); found != kept.mappings.end()) {
    uint8_t* const mapping = found->second;
    kept.mappings.erase(found);
    kept.bytes -= bytes;
    return mapping;
  }
  void* const mapping =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::runtime_error("mmap failed");
  auto* const first = static_cast<uint8_t*>(mapping);
  if (mprotect(first, page, PROT_NONE) != 0 ||
      mprotect(first + bytes - page, page, PROT_NONE) != 0) {
    throw std::runtime_error("mprotect failed");
  }
  return first;
}

void Unmap(uint8_t* mapping, size_t bytes) {
  Kept& kept = KeptMappings();
  if (kept.bytes + bytes > kMostKept) {
    for (const auto& [size, one] : kept.mappings) munmap(one, size);
    kept = {};
  }
  kept.mappings.emplace(bytes, mapping);
  kept.bytes += bytes;
}

bool IsPattern(const uint8_t* begin, const uint8_t* end) {
  for (; begin < end; ++begin) {
    if (*begin != kPattern) return false;
  }
  return true;
}
}  // namespace

GuardedBuffer::GuardedBuffer(size_t bytes, size_t alignment, Place place) : bytes_(bytes) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  accessible_bytes_ = (bytes + page) / page * page;  // at least one byte more than `bytes`
  if (bytes % page == 0 && bytes != 0) accessible_bytes_ = bytes;
  mapping_bytes_ = accessible_bytes_ + 2 * page;
  mapping_ = Map(mapping_bytes_, page);
  first_ = mapping_ + page;
  std::memset(first_, kPattern, accessible_bytes_);
  data_ = place == Place::kStart ? first_
                                 : first_ + (accessible_bytes_ - bytes) / alignment * alignment;
}

GuardedBuffer::~GuardedBuffer() {
  Unmap(mapping_, mapping_bytes_);
}

void GuardedBuffer::Poison(uint8_t value) const {
  std::memset(data_, value, bytes_);
}

bool GuardedBuffer::GuardsIntact() const {
  return IsPattern(first_, data_) && IsPattern(data_ + bytes_, first_ + accessible_bytes_);
}

}  // namespace octet::kernels_test
