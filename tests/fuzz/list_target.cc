// A store's file `board`: refused with a line, or a list that holds what each of its lines says.
#include <cstring>
#include <set>
#include <sstream>

#include "ports/linux/output/error.h"
#include "ports/linux/whitelist.h"
#include "tests/fuzz/fuzz.h"

namespace octet::fuzz {

const size_t kLongestInput = 1024;

std::vector<Input> Seeds() {
  return {FromText("raspberry-pi-4\n"),
          FromText("me\nprecisions int8 fp16\nweight_schemes per_tensor per_channel group\n"
                   "activation_schemes symmetric asymmetric\n"),
          FromText("a-board-of-20-letters\nprecisions fp16\n"),
          FromText("me\nweight_schemes\tper_channel\nprecisions int8 int8\n")};
}

}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet::port;
  const std::string text(reinterpret_cast<const char*>(data), size);
  octet_board board;
  try {
    board = ParseWhitelist(text, "f");
  } catch (const InputError& error) {
    FUZZ_CHECK(std::string(error.what()).rfind("f, line ", 0) == 0);
    return 0;
  }
  std::istringstream lines(text);
  std::string line, name;
  std::getline(lines, line);
  FUZZ_CHECK(std::memchr(board.compatible, 0, sizeof(board.compatible)) != nullptr);
  FUZZ_CHECK(line == board.compatible && !line.empty());
  std::set<std::string> lists;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    words >> name;
    FUZZ_CHECK(lists.insert(name).second);
    std::set<std::string> allowed;
    for (std::string word; words >> word;) allowed.insert(word);
    const uint32_t bits = name == "precisions"       ? board.precisions
                          : name == "weight_schemes" ? board.weight_schemes
                                                     : board.activation_schemes;
    FUZZ_CHECK(static_cast<size_t>(__builtin_popcount(bits)) == allowed.size());
  }
  FUZZ_CHECK((board.precisions != 0) == (lists.count("precisions") != 0));
  return 0;
}
