// A request of Frigate's zmq detector: whatever comes, a picture has as many pixels as its header
// says, planes and rows give the same picture, and the wrong number of bytes is refused.
#include <cstring>

#include "ports/linux/serve/zmq/request.h"
#include "tests/fuzz/fuzz.h"

namespace octet::fuzz {

const size_t kLongestInput = 4096;

// The first line is the header, the rest the tensor.
std::vector<Input> Seeds() {
  return {
      FromText("{\"shape\": [1, 2, 3, 3], \"dtype\": \"uint8\", \"model_type\": "
               "\"ssd\"}\nabcdefghijklmnopqr"),
      FromText("{\"shape\": [1, 3, 2, 1], \"dtype\": \"uint8\"}\nabcdef"),
      FromText("{\"shape\": [1, 1, 3], \"dtype\": \"float32\"}\nabcdefghijkl"),
      FromText("{\"model_request\": true, \"model_name\": \"x\"}"),
      FromText("{\"model_data\": true, \"model_name\": \"x\"}\nbytes"),
  };
}

}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet::port::serve;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t line = std::min(text.find('\n'), text.size());
  const std::string_view tensor = std::string_view(text).substr(std::min(line + 1, text.size()));
  const ZmqHeader header = ReadZmqHeader(std::string_view(text).substr(0, line), 2);
  FUZZ_CHECK((header.kind == ZmqKind::kBad) == !header.why.empty());
  if (header.kind != ZmqKind::kTensor) return 0;
  const uint64_t count = uint64_t{header.height} * header.width * header.channels;
  FUZZ_CHECK(count != 0 && (header.channels == 1 || header.channels == 3));
  octet::pictures::Picture picture;
  std::string why;
  const bool fits = tensor.size() == count * (header.is_float ? sizeof(float) : 1);
  FUZZ_CHECK(ToPicture(header, tensor, {}, &picture, &why) == fits);
  if (!fits) return 0;
  FUZZ_CHECK(picture.pixels.size() == count && picture.width == header.width);
  FUZZ_CHECK(picture.height == header.height && picture.channels == header.channels);
  // The same picture as bytes in rows.
  ZmqHeader plain = header;
  plain.is_planar = plain.is_float = false;
  octet::pictures::Picture again;
  const std::string bytes(picture.pixels.begin(), picture.pixels.end());
  FUZZ_CHECK(ToPicture(plain, bytes, {}, &again, &why) && again.pixels == picture.pixels);
  // And in planes, with its colours in the other order.
  std::string planes;
  const size_t plane = picture.pixels.size() / header.channels;
  for (uint32_t c = 0; c < header.channels; ++c) {
    for (size_t p = 0; p < plane; ++p) {
      planes += bytes[p * header.channels + (header.channels - 1 - c)];
    }
  }
  plain.is_planar = true;
  FUZZ_CHECK(ToPicture(plain, planes, {true, 1}, &again, &why) && again.pixels == picture.pixels);
  return 0;
}
