// SectionKind 17, the names of a detector's key points (FORMAT.md, "Point names section"). The
// engine reads nothing of it.
#ifndef OCTET_FORMAT_POINT_NAMES_H_
#define OCTET_FORMAT_POINT_NAMES_H_

#include "runtime/format/view.h"

namespace octet {
namespace blob {

constexpr SectionKind kPointNamesSection = static_cast<SectionKind>(17);

// Zero-terminated UTF-8 strings, one behind the other; no bytes where the blob has none, or the
// last of them has no end. view: by ViewBlob.
inline Bytes PointNamesOf(const BlobView& view) {
  for (uint32_t i = 0; i < view.header->section_count; ++i) {
    const Section* section = SectionAt(view.header, i);
    if (section->kind != kPointNamesSection) continue;
    const uint8_t* names = view.base + section->offset;
    if (section->bytes == 0 || names[section->bytes - 1] != 0) break;
    return Bytes{names, section->bytes, section->offset};
  }
  return Bytes{nullptr, 0, 0};
}

}  // namespace blob
}  // namespace octet

#endif  // OCTET_FORMAT_POINT_NAMES_H_
