// SectionKind 16, the product that a blob is made for (FORMAT.md, "Product section"): a store takes
// models of its product alone. The engine reads nothing of it.
#ifndef OCTET_FORMAT_PRODUCT_H_
#define OCTET_FORMAT_PRODUCT_H_

#include "runtime/format/view.h"

namespace octet {
namespace blob {

constexpr SectionKind kProductSection = static_cast<SectionKind>(16);
constexpr uint32_t kMostProductBytes = 63;

// 1 to 63 of: A-Z a-z 0-9 . _ -
inline bool IsProductName(const uint8_t* name, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    const uint8_t c = name[i];
    const bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (!is_letter && !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != '-') return false;
  }
  return bytes != 0 && bytes <= kMostProductBytes;
}

// The name, without a zero behind it; no bytes where the blob has none, or one that is no name.
// view: by ViewBlob.
inline Bytes ProductOf(const BlobView& view) {
  for (uint32_t i = 0; i < view.header->section_count; ++i) {
    const Section* section = SectionAt(view.header, i);
    if (section->kind != kProductSection) continue;
    const uint8_t* name = view.base + section->offset;
    if (!IsProductName(name, section->bytes)) break;
    return Bytes{name, section->bytes, section->offset};
  }
  return Bytes{nullptr, 0, 0};
}

}  // namespace blob
}  // namespace octet

#endif  // OCTET_FORMAT_PRODUCT_H_
