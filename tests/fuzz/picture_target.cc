// Pictures: the camera's decoder (stb) and the converter's (libjpeg-turbo, stb).
#include "converter/images/dataset.h"
#include "converter/support/error.h"
#include "ports/linux/capture/jpeg.h"
#include "tests/fuzz/fuzz.h"

namespace octet::fuzz {

const size_t kLongestInput = 4096;

std::vector<Input> Seeds() {
  std::vector<uint8_t> pixels(17 * 9 * 3);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * i / 7);
  std::vector<Input> seeds(3);
  port::EncodeJpeg(pixels.data(), 17, 9, 60, &seeds[0]);
  port::EncodeJpeg(pixels.data(), 8, 8, 95, &seeds[1]);
  port::EncodePng(pixels.data(), 5, 4, &seeds[2]);
  seeds.push_back(FromText("P6\n# x\n3 2\n255\n" + std::string(18, 'p')));
  seeds.push_back(FromText("P5 4 3 255\n" + std::string(12, 'g')));
  // BMP, 24 bits, 3 x 2.
  std::string bmp("BM\x4e\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x03\0\0\0\x02\0\0\0\x01\0\x18\0", 30);
  bmp += std::string(24, '\0') + std::string(24, 'b');
  seeds.push_back(FromText(bmp));
  return seeds;
}

}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet;
  uint32_t sum = 0;
  {
    port::PictureDecoder decoder;
    port::FrameBuffer frame;
    if (decoder.Decode(data, size, &frame)) {
      FUZZ_CHECK(!frame.bytes.empty());
      FUZZ_CHECK(frame.bytes.size() == port::FrameBytes(frame.format, frame.width, frame.height));
      for (uint8_t byte : frame.bytes) sum += byte;
    } else {
      FUZZ_CHECK(decoder.why()[0] != '\0');
    }
  }
  const fuzz::MemoryFile file(data, size);
  try {
    const images::Image image = images::DecodePicture(file.path());
    FUZZ_CHECK(image.pixels.size() == static_cast<size_t>(image.height) *
                                          static_cast<size_t>(image.width) *
                                          static_cast<size_t>(image.channels));
    for (uint8_t byte : image.pixels) sum += byte;
  } catch (const UserError&) {
  }
  return sum == 0xFFFFFFFF ? 1 : 0;
}
