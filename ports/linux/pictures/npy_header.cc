#include "ports/linux/pictures/npy_header.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <string_view>
#include <system_error>

#include "ports/linux/pictures/picture.h"

namespace octet::pictures {
namespace {

constexpr const char* kDamaged = "damaged .npy header; save the array again with numpy.save";

// What stands behind 'key': in the header's Python dictionary; empty where nothing does.
std::string_view After(std::string_view text, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    size_t at = text.find(quote + std::string(key) + quote);
    if (at == std::string_view::npos) continue;
    at = text.find(':', at);
    if (at == std::string_view::npos) return {};
    at = text.find_first_not_of(' ', at + 1);
    return at == std::string_view::npos ? std::string_view() : text.substr(at);
  }
  return {};
}

bool ReadShape(std::string_view text, std::vector<uint64_t>* shape) {
  constexpr size_t kMostRank = 64;
  if (text.empty() || text.front() != '(') return false;
  text.remove_prefix(1);
  for (;;) {
    while (!text.empty() && (text.front() == ' ' || text.front() == ',')) text.remove_prefix(1);
    if (text.empty()) return false;
    if (text.front() == ')') return true;
    uint64_t dim = 0;
    const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), dim);
    if (error != std::errc() || dim > INT64_MAX || shape->size() == kMostRank) return false;
    shape->push_back(dim);
    text.remove_prefix(static_cast<size_t>(next - text.data()));
  }
}

struct Type {
  const char* name;
  size_t bytes;
};
constexpr Type kTypes[] = {{"|u1", 1}, {"|i1", 1}, {"|b1", 1}, {"<f2", 2},
                           {"<f4", 4}, {"<f8", 8}, {"<i4", 4}, {"<i8", 8}};

bool Refuse(const std::string& what, std::string* why) {
  *why = what;
  return false;
}

}  // namespace

bool ReadNpyHeader(const uint8_t* bytes, size_t count, NpyHeader* header, std::string* why) {
  constexpr std::string_view kMagic("\x93NUMPY", 6);
  constexpr size_t kPrefix = 8;  // magic and version
  if (count < kPrefix || std::memcmp(bytes, kMagic.data(), kMagic.size()) != 0) {
    return Refuse("not a .npy file (its first bytes are not \\x93NUMPY); save it with numpy.save",
                  why);
  }
  const int version = bytes[6];
  if (version < 1 || version > 3) {
    return Refuse(".npy version " + std::to_string(version) +
                      " is not supported; save it with version 1, 2 or 3",
                  why);
  }
  const size_t length_bytes = version == 1 ? 2 : 4;
  constexpr const char* kCut = "truncated inside its header; save the array again with numpy.save";
  if (count < kPrefix + length_bytes) return Refuse(kCut, why);
  uint64_t header_bytes = 0;
  for (size_t i = 0; i < length_bytes; ++i) {
    header_bytes |= uint64_t{bytes[kPrefix + i]} << (8 * i);
  }
  const size_t start = kPrefix + length_bytes;
  if (count - start < header_bytes) return Refuse(kCut, why);
  const std::string_view text(reinterpret_cast<const char*>(bytes) + start,
                              static_cast<size_t>(header_bytes));
  const std::string_view descr = After(text, "descr");
  if (descr.empty()) return Refuse(kDamaged, why);
  const char quote = descr.front();
  const size_t end = quote == '\'' || quote == '"' ? descr.find(quote, 1) : std::string_view::npos;
  if (end == std::string_view::npos) {
    return Refuse("a .npy of records is not supported; save one plain array", why);
  }
  header->dtype = std::string(descr.substr(1, end - 1));
  if (header->dtype == "u1" || header->dtype == "i1") header->dtype.insert(0, "|");
  const std::string_view order = After(text, "fortran_order");
  if (order.substr(0, 4) == "True") {
    return Refuse("array is in Fortran order; save numpy.ascontiguousarray of it", why);
  }
  header->shape.clear();
  if (order.substr(0, 5) != "False" || !ReadShape(After(text, "shape"), &header->shape)) {
    return Refuse(kDamaged, why);
  }
  const auto* type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const Type& known) { return header->dtype == known.name; });
  if (type == std::end(kTypes)) {
    return Refuse("element type " + header->dtype +
                      " is not supported; save uint8 pictures or float32 values",
                  why);
  }
  header->element_bytes = type->bytes;
  header->element_count = 1;
  uint64_t needed = type->bytes;
  for (const uint64_t dim : header->shape) {
    if (__builtin_mul_overflow(header->element_count, dim, &header->element_count) ||
        __builtin_mul_overflow(needed, dim, &needed)) {
      return Refuse(kDamaged, why);
    }
  }
  header->data_at = start + static_cast<size_t>(header_bytes);
  const size_t present = count - header->data_at;
  if (present >= needed) return true;
  std::string shape;
  for (const uint64_t dim : header->shape) {
    shape += (shape.empty() ? "" : ",") + std::to_string(dim);
  }
  return Refuse("truncated: shape [" + shape + "] takes " + std::to_string(needed) + " bytes, " +
                    std::to_string(present) + " are present; save the array again",
                why);
}

PicturesOfArray FindPictures(const std::vector<uint64_t>& shape) {
  const auto is_channels = [](uint64_t count) { return count == 1 || count == 3; };
  const size_t rank = shape.size();
  PicturesOfArray found;
  const auto set = [&](uint64_t count, uint64_t height, uint64_t width, uint64_t channels) {
    if (height < 1 || width < 1 || height > kMostSide || width > kMostSide) return;
    found.count = count;
    found.height = static_cast<uint32_t>(height);
    found.width = static_cast<uint32_t>(width);
    found.channels = static_cast<uint32_t>(channels);
  };
  if (rank == 4 && is_channels(shape[3])) {
    set(shape[0], shape[1], shape[2], shape[3]);
  } else if (rank == 4 && is_channels(shape[1])) {
    set(shape[0], shape[2], shape[3], shape[1]);
    found.planar = true;
  } else if (rank == 3 && is_channels(shape[2])) {
    set(1, shape[0], shape[1], shape[2]);
  } else if (rank == 3) {
    set(shape[0], shape[1], shape[2], 1);
  }
  return found;
}

}  // namespace octet::pictures
