// Frames from a pipe, raw and YUV4MPEG2. The first byte chooses the format, the rest is the stream.
#include <algorithm>

#include "ports/linux/capture/source.h"
#include "ports/linux/capture/stop.h"
#include "ports/linux/file.h"
#include "tests/fuzz/fuzz.h"

namespace octet::fuzz {

const size_t kLongestInput = 4096;

std::vector<Input> Seeds() {
  const std::string frame(4 * 2 * 3 / 2, 'a'), grey(15, 'g');
  const std::string head = "YUV4MPEG2 W4 H2 F25:1 Ip A0:0 C420jpeg XYSCSS=420JPEG\n";
  return {
      FromText("\x05" + head + "FRAME\n" + frame + "FRAME Ixyz\n" + frame),
      FromText("\x05YUV4MPEG2 W5 H3 Cmono\nFRAME\n" + grey),
      FromText("\x05" + head + "FRAME\n" + frame + "YUV4MPEG2 H2 W2\nFRAME\n" + frame),
      FromText("\x05YUV4MPEG2 W5 H3 C444\nFRAME\n" + grey),
      FromText(std::string("\0", 1) + std::string(40, 'r')),
      FromText("\x02" + std::string(50, 'n')),
  };
}

}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet;
  if (size == 0) return 0;
  static port::StopRequest stop;
  const fuzz::MemoryFile file(data + 1, size - 1);
  port::StreamFormat format;
  format.y4m = data[0] % 6 == 5;
  if (!format.y4m) {
    format.pixels = static_cast<octet_pixel_format>(data[0] % 6);
    format.width = 3;
    format.height = 5;
  }
  try {
    const auto source = port::OpenStream(file.descriptor(), format);
    port::FrameBuffer frame;
    uint32_t sum = 0;
    for (int i = 0; i < 64; ++i) {
      const auto took = source->Next(&frame, stop);
      FUZZ_CHECK(took != port::Source::Took::kStopped);
      if (took == port::Source::Took::kEnd) break;
      FUZZ_CHECK(frame.bytes.size() <= size);
      FUZZ_CHECK(frame.bytes.size() == port::FrameBytes(frame.format, frame.width, frame.height));
      for (uint8_t byte : frame.bytes) sum += byte;
    }
    return sum == 0xFFFFFFFF ? 1 : 0;
  } catch (const port::InputError& error) {
    const std::string line = error.what();
    FUZZ_CHECK(!line.empty() && line.size() < 200);
    for (const char c : line) FUZZ_CHECK(c >= ' ' && c <= '~');
  }
  return 0;
}
