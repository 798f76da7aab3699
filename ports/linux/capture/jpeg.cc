#include "ports/linux/capture/jpeg.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace octet::port {
namespace {

constexpr uint32_t kMostFrameSide = 16384;  // of FrameBytes

void Append(void* context, void* data, int size) {
  auto* out = static_cast<std::vector<uint8_t>*>(context);
  const auto* bytes = static_cast<const uint8_t*>(data);
  out->insert(out->end(), bytes, bytes + size);
}

}  // namespace

bool PictureDecoder::Decode(const uint8_t* bytes, size_t count, FrameBuffer* frame) {
  if (!reader_.Read(bytes, count, &picture_, kMostFrameSide)) return false;
  frame->format = picture_.channels == 1 ? OCTET_PIXELS_GREY8 : OCTET_PIXELS_RGB24;
  frame->width = picture_.width;
  frame->height = picture_.height;
  frame->bytes.swap(picture_.pixels);  // rows are dense in both
  return true;
}

void EncodeJpeg(const uint8_t* rgb, uint32_t width, uint32_t height, int quality,
                std::vector<uint8_t>* out) {
  stbi_write_jpg_to_func(Append, out, static_cast<int>(width), static_cast<int>(height), 3, rgb,
                         quality);
}

void EncodePng(const uint8_t* rgb, uint32_t width, uint32_t height, std::vector<uint8_t>* out) {
  stbi_write_png_to_func(Append, out, static_cast<int>(width), static_cast<int>(height), 3, rgb,
                         static_cast<int>(width) * 3);
}

}  // namespace octet::port
