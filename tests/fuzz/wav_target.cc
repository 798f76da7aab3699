// WAV files: the samples lie within the bytes, and what is refused says why.
#include "ports/linux/run/wav.h"

#include "tests/fuzz/fuzz.h"

namespace octet::fuzz {

const size_t kLongestInput = 512;

std::vector<Input> Seeds() {
  using namespace std::literals;
  const std::string format = "fmt \x10\0\0\0\1\0\1\0\x80\x3E\0\0\0\x7D\0\0\2\0\x10\0"s;
  const std::string data = "data\4\0\0\0abcd"s;
  return {
      FromText("RIFF\x28\0\0\0WAVE"sv),
      FromText("RIFF\x28\0\0\0WAVE"s + format + data),
      FromText("RIFF\x34\0\0\0WAVELIST\3\0\0\0abc\0"s + format + data + "tail"),
  };
}

}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const octet::port::Wav wav = octet::port::ParseWav(data, size);
  if (!wav.why.empty()) {
    FUZZ_CHECK(wav.why.find('\n') == std::string::npos);
    return 0;
  }
  FUZZ_CHECK(wav.rate > 0 && wav.count > 0 && wav.count <= size / 2);
  FUZZ_CHECK(wav.samples >= data && wav.samples + wav.count * 2 <= data + size);
  int last = 0;  // every byte may be read
  for (size_t i = 0; i < wav.count * 2; ++i) last = wav.samples[i];
  FUZZ_CHECK(last < 256);
  return 0;
}
