// A fuzz target without a fuzzer: its seeds, what once was found (tests/fuzz/seeds/TARGET), and
// mutations of both, the same ones every time.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "tests/fuzz/fuzz.h"

// Where the target knows its format.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) __attribute__((weak));

namespace octet::fuzz {
namespace {

constexpr int kMutations = 20000;
constexpr auto kLongest = std::chrono::seconds(4);

std::vector<Input> FoundOnce() {
  const std::filesystem::path folder(OCTET_SOURCE_DIR "/tests/fuzz/seeds/" OCTET_FUZZ_TARGET);
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Input> inputs;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return inputs;
}

// OCTET_FUZZ_SAVE=FILE keeps the input being run, for the one that ends the program.
void RunOn(const Input& input) {
  if (const char* file = std::getenv("OCTET_FUZZ_SAVE")) {
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()),
               static_cast<std::streamsize>(input.size()));
  }
  // Behind the end of the copy lies no memory of ours.
  const std::unique_ptr<uint8_t[]> exact(new uint8_t[input.size()]);
  std::copy(input.begin(), input.end(), exact.get());
  LLVMFuzzerTestOneInput(exact.get(), input.size());
}

TEST(Fuzz, Seeds) {
  for (const Input& input : Seeds()) {
    EXPECT_LE(input.size(), kLongestInput);
    RunOn(input);
  }
}

TEST(Fuzz, FoundOnce) {
  for (const Input& input : FoundOnce()) RunOn(input);
}

TEST(Fuzz, Mutations) {
  std::vector<Input> pool = Seeds();
  for (Input& input : FoundOnce()) pool.push_back(std::move(input));
  std::mt19937 random(1);
  const auto end = std::chrono::steady_clock::now() + kLongest;
  int runs = 0;
  for (; runs < kMutations && std::chrono::steady_clock::now() < end; ++runs) {
    Input input = pool[random() % pool.size()];
    const Input& other = pool[random() % pool.size()];
    if (LLVMFuzzerCustomMutator != nullptr && random() % 4 != 0) {
      input.resize(LLVMFuzzerCustomMutator(input.data(), input.size(), input.size(), random()));
    } else {
      for (uint32_t i = random() % 4 + 1; i > 0; --i) Mutate(&input, other, random);
    }
    if (input.size() > kLongestInput) continue;
    RunOn(input);
  }
  std::printf("%d mutations of %zu inputs\n", runs, pool.size());
}

}  // namespace
}  // namespace octet::fuzz
