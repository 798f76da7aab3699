// A request as Frigate's ZeroMQ detector sends it: a header of JSON and a raw tensor. Bytes of any
// client: fuzzed (tests/fuzz/zmq_target.cc).
#ifndef OCTET_PORTS_LINUX_SERVE_ZMQ_REQUEST_H_
#define OCTET_PORTS_LINUX_SERVE_ZMQ_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ports/linux/pictures/picture.h"

namespace octet::port::serve {

enum class ZmqKind : uint8_t {
  kTensor,     // a picture, in a second frame
  kHandshake,  // whether the model is there
  kModelData,  // an upload of a model
  kBad,
};

struct ZmqHeader {
  ZmqKind kind = ZmqKind::kBad;
  std::string why;  // of kBad
  // Of kTensor.
  uint32_t height = 0, width = 0, channels = 0;
  bool is_planar = false;  // NCHW
  bool is_float = false;   // float32; else uint8
};

// What the header does not say.
struct ZmqPixels {
  bool is_bgr = false;
  float float_range = 1.0f;  // of a float: 0 to this; 1 or 255
};

// A header has no more bytes than this.
constexpr size_t kLongestZmqHeader = 4096;

// frames: of the message, with the header.
ZmqHeader ReadZmqHeader(std::string_view text, size_t frames);
// header: kTensor. False, with *why: the tensor has another number of bytes.
bool ToPicture(const ZmqHeader& header, std::string_view tensor, const ZmqPixels& pixels,
               pictures::Picture* picture, std::string* why);

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ZMQ_REQUEST_H_
