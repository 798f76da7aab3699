#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace octet::fuzz {
namespace {

size_t Below(std::mt19937& random, size_t count) {
  return random() % count;
}

}  // namespace

void Mutate(Input* input, const Input& other, std::mt19937& random) {
  Input& bytes = *input;
  if (bytes.empty()) bytes.push_back(0);
  const size_t at = Below(random, bytes.size());
  const size_t run = 1 + Below(random, std::min<size_t>(bytes.size() - at, 32));
  const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random() % 8) {
    case 0:
    case 1:
      bytes[at] ^= static_cast<uint8_t>(1u << (random() % 8));
      break;
    case 2:
      bytes[at] = static_cast<uint8_t>(random());
      break;
    case 3: {
      static constexpr uint8_t kTelling[] = {0, 1, 0x7f, 0x80, 0xff, '\n', ' ', '-', '9'};
      bytes[at] = kTelling[random() % sizeof(kTelling)];
      break;
    }
    case 4:
      bytes.erase(from, from + static_cast<std::ptrdiff_t>(run));
      break;
    case 5:
      bytes.insert(from, run, static_cast<uint8_t>(random()));
      break;
    case 6: {
      const Input copy(from, from + static_cast<std::ptrdiff_t>(run));
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(Below(random, bytes.size())),
                   copy.begin(), copy.end());
      break;
    }
    default:
      if (other.empty()) break;
      const size_t begin = Below(random, other.size());
      const size_t count = 1 + Below(random, std::min<size_t>(other.size() - begin, 64));
      for (size_t i = 0; i < count && at + i < bytes.size(); ++i) bytes[at + i] = other[begin + i];
  }
}

void MutateWord(uint8_t* bytes, size_t records_end, std::mt19937& random) {
  if (records_end < 8) return;
  const size_t words = records_end / 4;
  uint8_t* const word = bytes + Below(random, words) * 4;
  uint32_t value;
  std::memcpy(&value, word, 4);
  switch (random() % 7) {
    case 0:
      value += random() % 2 == 0 ? 1u : ~0u;
      break;
    case 1:
      value = random() % 2 == 0 ? value * 2 : value / 2;
      break;
    case 2:
      value ^= 1u << (random() % 32);
      break;
    case 3:
      std::memcpy(&value, bytes + Below(random, words) * 4, 4);
      break;
    case 4:
      value = (value & 0xFFFF0000u) | (random() % 8);
      break;
    case 5:
      value = (value & 0xFFFFu) | (random() % 8) << 16;
      break;
    default:
      static constexpr uint32_t kTelling[] = {0,          1,          0x7FFFFFFF, 0x80000000,
                                              0xFFFFFFFF, 0xFFFF,     0x7F800000, 0x7FC00000,
                                              0x01010101, 0x00010001, 64,         0xFFFFFFC0};
      value = kTelling[random() % std::size(kTelling)];
  }
  std::memcpy(word, &value, 4);
}

MemoryFile::MemoryFile(const uint8_t* bytes, size_t count)
    : descriptor_(memfd_create("input", MFD_CLOEXEC)),
      path_("/proc/self/fd/" + std::to_string(descriptor_)) {
  FUZZ_CHECK(descriptor_ >= 0);
  FUZZ_CHECK(write(descriptor_, bytes, count) == static_cast<ssize_t>(count));
  FUZZ_CHECK(lseek(descriptor_, 0, SEEK_SET) == 0);
}

MemoryFile::~MemoryFile() {
  close(descriptor_);
}

}  // namespace octet::fuzz
