// A blob that is there already, with one section more or another one in its place.
#ifndef OCTET_CONVERTER_WRITE_EDIT_H_
#define OCTET_CONVERTER_WRITE_EDIT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/format/blob.h"

namespace octet::write {

// `blob`: valid. The bytes and the order of all other sections stay, and every field of the header
// that says nothing of places; offsets and hashes are made anew. A new section comes last, but a
// signature first: who receives the file can look at it before the rest has come.
std::vector<uint8_t> WithSection(std::span<const uint8_t> blob, blob::SectionKind kind,
                                 std::span<const uint8_t> bytes);

}  // namespace octet::write

#endif  // OCTET_CONVERTER_WRITE_EDIT_H_
