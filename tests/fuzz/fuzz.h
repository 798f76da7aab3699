// What a fuzz target gives: libFuzzer's entry point, and seeds from our own builders. The same file
// is a libFuzzer program (preset fuzz) and a GoogleTest program that replays the seeds and some
// thousand mutations of them (smoke.cc).
#ifndef OCTET_TESTS_FUZZ_FUZZ_H_
#define OCTET_TESTS_FUZZ_FUZZ_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace octet::fuzz {

using Input = std::vector<uint8_t>;

// Of the target: inputs that get far, small ones first.
std::vector<Input> Seeds();
// Inputs longer than this are not worth their time.
extern const size_t kLongestInput;

inline Input FromText(std::string_view text) {
  return Input(text.begin(), text.end());
}

// One small change: a bit, a byte, a run of bytes inserted, removed, copied within or from `other`.
void Mutate(Input* input, const Input& other, std::mt19937& random);
// As Mutate, for records of aligned 32 bit words; what changes lies below `records_end`.
void MutateWord(uint8_t* bytes, size_t records_end, std::mt19937& random);

// An unlinked file that holds the bytes, for readers that take a path.
class MemoryFile {
 public:
  MemoryFile(const uint8_t* bytes, size_t count);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// A finding, in both kinds of programs.
#define FUZZ_CHECK(condition)                                                            \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)

#endif  // OCTET_TESTS_FUZZ_FUZZ_H_
