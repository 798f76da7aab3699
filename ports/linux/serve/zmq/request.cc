#include "ports/linux/serve/zmq/request.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

namespace octet::port::serve {
namespace {

using nlohmann::json;

ZmqHeader BadHeader(const std::string& why) {
  ZmqHeader header;
  header.why = why;
  return header;
}

bool IsTrue(const json& root, const char* name) {
  const auto found = root.find(name);
  return found != root.end() && found->is_boolean() && found->get<bool>();
}

// 1 grey, 3 colours.
bool IsChannels(uint64_t count) {
  return count == 1 || count == 3;
}

// [1, H, W, C], [1, C, H, W] or [H, W, C].
bool ReadShape(const json& shape, ZmqHeader* header) {
  if (!shape.is_array() || (shape.size() != 3 && shape.size() != 4)) return false;
  uint64_t dims[3] = {};
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!shape[i].is_number_unsigned()) return false;
    const auto dim = shape[i].get<uint64_t>();
    if (dim == 0 || dim > pictures::kMostSide) return false;
    if (shape.size() == 4 && i == 0) {
      if (dim != 1) return false;
    } else {
      dims[i - (shape.size() - 3)] = dim;
    }
  }
  header->is_planar = !IsChannels(dims[2]);
  if (header->is_planar && !IsChannels(dims[0])) return false;
  header->height = static_cast<uint32_t>(dims[header->is_planar ? 1 : 0]);
  header->width = static_cast<uint32_t>(dims[header->is_planar ? 2 : 1]);
  header->channels = static_cast<uint32_t>(dims[header->is_planar ? 0 : 2]);
  return true;
}

// NaN is black.
uint8_t Byte(float value, float factor) {
  const float scaled = value * factor;
  if (!(scaled > 0)) return 0;
  return scaled < 255 ? static_cast<uint8_t>(std::lrint(scaled)) : 255;
}

}  // namespace

ZmqHeader ReadZmqHeader(std::string_view text, size_t frames) {
  if (text.size() > kLongestZmqHeader) return BadHeader("the header is too long");
  const json root = json::parse(text.begin(), text.end(), nullptr, false);
  if (!root.is_object()) return BadHeader("the first frame is not a JSON object");
  ZmqHeader header;
  if (IsTrue(root, "model_request")) {
    header.kind = ZmqKind::kHandshake;
    return header;
  }
  if (IsTrue(root, "model_data")) {
    header.kind = ZmqKind::kModelData;
    return header;
  }
  if (frames != 2) return BadHeader("a picture is two frames, header and tensor");
  const auto shape = root.find("shape");
  if (shape == root.end() || !ReadShape(*shape, &header)) {
    return BadHeader("shape is not [1,H,W,3], [1,3,H,W] or one with 1 channel");
  }
  const auto dtype = root.find("dtype");
  if (dtype == root.end() || (*dtype != "uint8" && *dtype != "float32")) {
    return BadHeader("dtype is not uint8 or float32");
  }
  header.is_float = *dtype == "float32";
  header.kind = ZmqKind::kTensor;
  return header;
}

bool ToPicture(const ZmqHeader& header, std::string_view tensor, const ZmqPixels& pixels,
               pictures::Picture* picture, std::string* why) {
  const size_t plane = size_t{header.height} * header.width;
  const size_t count = plane * header.channels;
  const size_t bytes = count * (header.is_float ? sizeof(float) : 1);
  if (tensor.size() != bytes) {
    *why = "the tensor has " + std::to_string(tensor.size()) + " bytes, not " +
           std::to_string(bytes) + ", which its header has";
    return false;
  }
  picture->width = header.width, picture->height = header.height;
  picture->channels = header.channels;
  picture->pixels.resize(count);
  uint8_t* const out = picture->pixels.data();
  const float factor = 255.0f / pixels.float_range;
  const bool swaps = pixels.is_bgr && header.channels == 3;
  const auto value = [&](size_t i) {
    if (!header.is_float) return static_cast<uint8_t>(tensor[i]);
    float one;
    std::memcpy(&one, tensor.data() + i * sizeof(float), sizeof(float));
    return Byte(one, factor);
  };
  if (!header.is_planar && !header.is_float) {
    std::memcpy(out, tensor.data(), count);
  } else if (!header.is_planar) {
    for (size_t i = 0; i < count; ++i) out[i] = value(i);
  } else {
    for (size_t c = 0; c < header.channels; ++c) {
      for (size_t p = 0; p < plane; ++p) out[p * header.channels + c] = value(c * plane + p);
    }
  }
  for (size_t p = 0; swaps && p < plane; ++p) std::swap(out[p * 3], out[p * 3 + 2]);
  return true;
}

}  // namespace octet::port::serve
