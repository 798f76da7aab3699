#include "converter/write/edit.h"

#include <algorithm>
#include <cstring>

#include "converter/support/error.h"
#include "runtime/core/checked.h"
#include "runtime/format/validate.h"

namespace octet::write {

std::vector<uint8_t> WithSection(std::span<const uint8_t> blob, blob::SectionKind kind,
                                 std::span<const uint8_t> bytes) {
  const auto* header = reinterpret_cast<const blob::Header*>(blob.data());
  const size_t entry_bytes = header->section_entry_bytes, table = header->section_table_offset;
  std::vector<std::span<const uint8_t>> contents;
  // Header and table as they are; what a later version put behind their known fields stays.
  std::vector<uint8_t> head(
      blob.begin(),
      blob.begin() + static_cast<ptrdiff_t>(table + header->section_count * entry_bytes));
  bool found = false;
  size_t added = SIZE_MAX;
  for (uint32_t i = 0; i < header->section_count; ++i) {
    const blob::Section* section = SectionAt(header, i);
    const bool replaced = section->kind == kind && !found;
    found |= replaced;
    contents.push_back(replaced ? bytes : blob.subspan(section->offset, section->bytes));
  }
  if (!found) {
    if (contents.size() >= blob::kMaxSections) {
      Fail(
          "the blob has {} sections, the maximum; convert the model with fewer options that add "
          "one",
          contents.size());
    }
    added = kind == blob::SectionKind::kSignature ? 0 : contents.size();
    contents.insert(contents.begin() + static_cast<ptrdiff_t>(added), bytes);
    head.insert(head.begin() + static_cast<ptrdiff_t>(table + added * entry_bytes), entry_bytes, 0);
  }
  uint64_t end = head.size();
  for (size_t i = 0; i < contents.size(); ++i) {
    blob::Section section;
    uint8_t* entry = head.data() + table + i * entry_bytes;
    std::memcpy(&section, entry, sizeof(section));
    if (i == added) section.kind = kind;
    end = RoundUpTo(end, header->section_alignment);
    section.offset = static_cast<uint32_t>(end);
    section.bytes = static_cast<uint32_t>(contents[i].size());
    end += contents[i].size();
    if (end > UINT32_MAX) Fail("the blob would be larger than 4 GiB; convert a smaller model");
    Sha256Of(contents[i].data(), contents[i].size(), Sha256BlocksPortable, section.sha256);
    std::memcpy(entry, &section, sizeof(section));
  }
  std::vector<uint8_t> result(end, 0);
  std::copy(head.begin(), head.end(), result.begin());
  auto* own = reinterpret_cast<blob::Header*>(result.data());
  own->section_count = static_cast<uint32_t>(contents.size());
  own->file_bytes = static_cast<uint32_t>(end);
  for (size_t i = 0; i < contents.size(); ++i) {
    const uint32_t offset = SectionAt(own, static_cast<uint32_t>(i))->offset;
    std::copy(contents[i].begin(), contents[i].end(), result.begin() + offset);
  }
  HeaderDigest(own, Sha256BlocksPortable, own->sha256);
  return result;
}

}  // namespace octet::write
