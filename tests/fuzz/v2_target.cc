// An inference request of v2: whatever comes, tensors have as many elements as their shapes, all
// bytes behind the header are theirs, and numbers that were read come back as they are.
#include <cstring>

#include "ports/linux/serve/v2/reply.h"
#include "ports/linux/serve/v2/request.h"
#include "tests/fuzz/fuzz.h"

namespace octet::fuzz {

const size_t kLongestInput = 4096;

// The first line is the length of the header.
std::vector<Input> Seeds() {
  return {
      FromText("\n{\"id\":\"1\",\"inputs\":[{\"name\":\"x\",\"shape\":[1,2,2],\"datatype\":"
               "\"FP32\",\"data\":[[[1,2.5],[-3,1e-3]]]}],"
               "\"outputs\":[{\"name\":\"y\",\"parameters\":{\"binary_data\":true}}]}"),
      FromText("99\n{\"inputs\":[{\"name\":\"x\",\"shape\":[4],\"datatype\":\"UINT8\","
               "\"parameters\":{\"binary_data_size\":4}}]  }abcd"),
      FromText("\n{\"inputs\":[{\"name\":\"x\",\"shape\":[2],\"datatype\":\"UINT8\",\"data\":[0,"
               "255]}],\"parameters\":{\"sequence_id\":0,"
               "\"binary_data_output\":true}}"),
      FromText("\n{\"inputs\":[{\"name\":\"x\",\"shape\":[4294967296,4294967296],\"datatype\":"
               "\"FP32\",\"data\":[]}]}"),
  };
}

}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet::port::serve;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t line = std::min(text.find('\n'), text.size());
  const std::string_view length = std::string_view(text).substr(0, line);
  const std::string_view body = std::string_view(text).substr(std::min(line + 1, text.size()));
  V2Request request;
  std::string why;
  const bool good = ReadV2Request(body, length, &request, &why);
  FUZZ_CHECK(good == why.empty());
  if (!good) return 0;
  FUZZ_CHECK(!request.inputs.empty() && request.inputs.size() <= kMostV2Tensors);
  for (const V2Input& input : request.inputs) {
    uint64_t count = 1;
    for (const uint64_t dim : input.shape) {
      FUZZ_CHECK(!__builtin_mul_overflow(count, dim, &count));
    }
    FUZZ_CHECK(input.shape.size() <= kMostV2Rank);
    FUZZ_CHECK((input.is_bytes ? input.Bytes().size() : input.floats.size()) == count);
    FUZZ_CHECK((input.is_bytes ? input.floats.size() : input.Bytes().size()) == 0);
    bool finite = true;
    for (const float value : input.floats) finite = finite && value - value == 0;
    if (input.is_bytes || !finite) continue;
    std::string numbers;
    AddNumbers(input.floats, &numbers);
    V2Request again;
    FUZZ_CHECK(ReadV2Request("{\"inputs\":[{\"name\":\"x\",\"shape\":[" + std::to_string(count) +
                                 "],\"datatype\":\"FP32\",\"data\":" + numbers + "}]}",
                             "", &again, &why));
    FUZZ_CHECK(count == 0 || std::memcmp(again.inputs[0].floats.data(), input.floats.data(),
                                         input.floats.size() * sizeof(float)) == 0);
  }
  return 0;
}
