#include "ports/linux/capture/jpeg.h"

#include <algorithm>
#include <cstring>

// So that AddressSanitizer sees the ends of the decoder's blocks, which lie in one of ours.
#if defined(__SANITIZE_ADDRESS__)
#define OCTET_GUARD_POOL
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OCTET_GUARD_POOL
#endif
#endif
#ifdef OCTET_GUARD_POOL
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(begin, bytes) (static_cast<void>(begin), static_cast<void>(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(begin, bytes) \
  (static_cast<void>(begin), static_cast<void>(bytes))
#endif

namespace {

// The decoder's allocator: blocks one behind the other, all given back at the end of a picture.
// Each block begins with its size, for realloc.
struct Pool {
  uint8_t* begin = nullptr;
  size_t bytes = 0, used = 0;
};
thread_local Pool pool;

constexpr size_t kPoolAlignment = 16;
// Blocks up to this size begin as zeros: the decoder's state is one of them, and it follows Huffman
// tables that the picture never defined.
constexpr size_t kZeroedBytes = size_t{1} << 16;

void* PoolAllocate(size_t bytes) {
  const size_t whole =
      kPoolAlignment + (bytes + kPoolAlignment - 1) / kPoolAlignment * kPoolAlignment;
  if (bytes > pool.bytes || whole > pool.bytes - pool.used) return nullptr;
  uint8_t* block = pool.begin + pool.used;
  pool.used += whole;
  ASAN_UNPOISON_MEMORY_REGION(block, kPoolAlignment + bytes);
  std::memcpy(block, &bytes, sizeof(bytes));
  ASAN_POISON_MEMORY_REGION(block, kPoolAlignment);
  if (bytes <= kZeroedBytes) std::memset(block + kPoolAlignment, 0, bytes);
  return block + kPoolAlignment;
}

size_t PoolBytes(void* block) {
  uint8_t* header = static_cast<uint8_t*>(block) - kPoolAlignment;
  ASAN_UNPOISON_MEMORY_REGION(header, kPoolAlignment);
  size_t bytes;
  std::memcpy(&bytes, header, sizeof(bytes));
  ASAN_POISON_MEMORY_REGION(header, kPoolAlignment);
  return bytes;
}

void PoolFree(void* block) {
  if (block != nullptr) ASAN_POISON_MEMORY_REGION(block, PoolBytes(block));
}

void* PoolReallocate(void* old, size_t bytes) {
  void* block = PoolAllocate(bytes);
  if (block != nullptr && old != nullptr) {
    std::memcpy(block, old, std::min(PoolBytes(old), bytes));
    PoolFree(old);
  }
  return block;
}

// The memory that blocks come from, from now on; none of them is left.
void SetPool(std::vector<uint8_t>* memory, size_t least) {
  ASAN_UNPOISON_MEMORY_REGION(memory->data(), memory->size());
  if (memory->size() < least) memory->resize(least);
  pool = {memory->data(), memory->size(), 0};
  ASAN_POISON_MEMORY_REGION(memory->data(), memory->size());
}

// A PNG may begin with a data chunk of no bytes, which the decoder copies to where nothing is.
[[maybe_unused]] void* CopyIfAny(void* to, const void* from, size_t bytes) {
  return bytes == 0 ? to : std::memcpy(to, from, bytes);
}

}  // namespace

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#define STBI_MALLOC(bytes) PoolAllocate(bytes)
#define STBI_REALLOC(block, bytes) PoolReallocate(block, bytes)
#define STBI_FREE(block) PoolFree(block)
#define memcpy CopyIfAny
#define STBI_NO_STDIO
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#define STBI_NO_GIF
#define STBI_NO_PSD
#define STBI_NO_PIC
#define STBI_NO_TGA
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#undef memcpy
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace octet::port {
namespace {

constexpr int kLargestSide = 16384;
// Output, components at full size, coefficients of progressive files (2 bytes) and tables.
constexpr size_t kPoolBytesPerPixel = 16;
constexpr size_t kPoolFixedBytes = size_t{1} << 20;

void Append(void* context, void* data, int size) {
  auto* out = static_cast<std::vector<uint8_t>*>(context);
  const auto* bytes = static_cast<const uint8_t*>(data);
  out->insert(out->end(), bytes, bytes + size);
}

constexpr uint8_t kTables = 0xC4, kScan = 0xDA;  // markers

enum class Tables { kNone, kGood, kOverlong };

// stb_image before 2.28 trusts a JPEG's Huffman tables to hold at most 256 codes and writes on
// behind its array: kOverlong where one claims more. Until the first scan segments are stepped over
// as stb does it; behind that every marker of a table counts, wherever it stands. kNone: none
// stands before the first scan.
Tables TablesOf(const uint8_t* bytes, size_t count) {
  bool scan = false;
  auto found = Tables::kNone;
  for (size_t at = 2; at + 3 < count;) {
    if (bytes[at++] != 0xFF) continue;
    while (at < count && bytes[at] == 0xFF) ++at;
    if (at + 3 > count) return found;
    const uint8_t marker = bytes[at++];
    const size_t length = static_cast<size_t>(bytes[at]) << 8 | bytes[at + 1];
    if (marker == kTables) {
      if (!scan) found = Tables::kGood;
      // A table counts as soon as it begins, as it does there; behind the end stand zeros.
      for (size_t table = at + 2; table < at + length;) {
        size_t codes = 0;
        for (size_t i = table + 1; i <= table + 16 && i < count; ++i) codes += bytes[i];
        if (codes > 256) return Tables::kOverlong;
        table += 17 + codes;
      }
    }
    scan |= marker == kScan;
    // Markers without a segment: what follows is no length.
    const bool alone = marker <= 0x01 || (marker >= 0xD0 && marker <= 0xD9);
    if (!scan && !alone) at += std::max<size_t>(length, 2);
  }
  return found;
}

// The segment with the tables of the JPEG standard's annex K, which stb's writer always uses.
std::vector<uint8_t> StandardTables() {
  const uint8_t grey[3] = {128, 128, 128};
  std::vector<uint8_t> jpeg;
  EncodeJpeg(grey, 1, 1, 50, &jpeg);
  for (size_t at = 2; at + 4 <= jpeg.size();) {
    const size_t length = 2 + (static_cast<size_t>(jpeg[at + 2]) << 8 | jpeg[at + 3]);
    const auto begin = jpeg.begin() + static_cast<std::ptrdiff_t>(at);
    if (jpeg[at + 1] == kTables) return {begin, begin + static_cast<std::ptrdiff_t>(length)};
    at += length;
  }
  return {};
}

}  // namespace

bool PictureDecoder::Decode(const uint8_t* bytes, size_t count, FrameBuffer* frame) {
  int width = 0, height = 0, channels = 0;
  why_ = "larger than any camera's";
  if (count > INT32_MAX / 2) return false;
  if (count > 2 && bytes[0] == 0xFF) {
    const Tables tables = TablesOf(bytes, count);
    if (tables == Tables::kOverlong) {
      why_ = "damaged";
      return false;
    }
    // Many cameras leave them out of Motion JPEG, where the standard's are meant.
    if (tables == Tables::kNone) {
      if (standard_tables_.empty()) standard_tables_ = StandardTables();
      completed_.assign(bytes, bytes + 2);
      completed_.insert(completed_.end(), standard_tables_.begin(), standard_tables_.end());
      completed_.insert(completed_.end(), bytes + 2, bytes + count);
      bytes = completed_.data();
      count = completed_.size();
    }
  }
  const int length = static_cast<int>(count);
  SetPool(&memory_, kPoolFixedBytes);
  if (stbi_info_from_memory(bytes, length, &width, &height, &channels) == 0) {
    why_ = "no JPEG, PNG, BMP, PPM or PGM";
    return false;
  }
  if (width > kLargestSide || height > kLargestSide) return false;
  if (width < 1 || height < 1) {  // a PPM may say so
    why_ = "a picture without pixels";
    return false;
  }
  // A compressed file hardly ever holds more than a thousand pixels a byte; without this a header
  // alone would claim gigabytes.
  const size_t pixels = static_cast<size_t>(width) * static_cast<size_t>(height);
  if (pixels / 1024 > count) {
    why_ = "its header claims more pixels than its bytes can hold";
    return false;
  }
  const size_t wanted = pixels * kPoolBytesPerPixel + kPoolFixedBytes + 2 * count;
  SetPool(&memory_, wanted);
  const bool grey = channels <= 2;
  const uint8_t* picture =
      stbi_load_from_memory(bytes, length, &width, &height, &channels, grey ? 1 : 3);
  if (picture == nullptr) {
    why_ = "damaged";
    return false;
  }
  frame->Resize(grey ? OCTET_PIXELS_GREY8 : OCTET_PIXELS_RGB24, static_cast<uint32_t>(width),
                static_cast<uint32_t>(height));
  std::memcpy(frame->bytes.data(), picture, frame->bytes.size());
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
