#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "converter/cli/inspect.h"
#include "converter/cli/rebuild.h"

namespace octet::cli {
namespace {

std::vector<const blob::Section*> SectionsOf(const blobs::BlobFile& file) {
  const blob::Header* header = blobs::ViewOf(file).header;
  std::vector<const blob::Section*> sections;
  for (uint32_t i = 0; i < header->section_count; ++i) {
    const blob::Section* section = SectionAt(header, i);
    if (section->kind != blob::SectionKind::kSignature) sections.push_back(section);
  }
  return sections;
}

std::string Name(const BlobView& view, const blob::Section& section) {
  if (section.kind != blob::SectionKind::kPlan) return SectionName(section.kind);
  return fmt::format("plan {}", StringAt(view, view.plans[section.index].name));
}

// The first tensor or layer of the plan that differs, where both plans have as many.
std::string InPlan(const BlobView& before, const BlobView& after, uint32_t index) {
  PlanView a{}, b{};
  if (!IsOk(ViewPlan(before, index, &a)) || !IsOk(ViewPlan(after, index, &b))) return "";
  const uint32_t layers = a.record->layer_count, tensors = a.record->tensor_count;
  if (layers != b.record->layer_count || tensors != b.record->tensor_count) {
    return fmt::format("{} layers and {} tensors, rebuilt {} and {}", layers, tensors,
                       b.record->layer_count, b.record->tensor_count);
  }
  for (uint32_t t = 0; t < tensors; ++t) {
    if (std::memcmp(&a.tensors[t], &b.tensors[t], sizeof(blob::TensorRecord)) == 0) continue;
    return fmt::format("tensor {} '{}': scale {:.9g} and zero point {}, rebuilt {:.9g} and {}", t,
                       StringAt(before, a.tensors[t].name), a.tensors[t].scale,
                       a.tensors[t].zero_point, b.tensors[t].scale, b.tensors[t].zero_point);
  }
  for (uint32_t l = 0; l < layers; ++l) {
    if (std::memcmp(&a.layers[l], &b.layers[l], sizeof(blob::LayerRecord)) == 0) continue;
    return fmt::format("layer {} '{}'", l, StringAt(before, a.layers[l].name));
  }
  return "";
}

// What the header says besides sizes, places and digests, which follow from the sections.
std::string InHeader(const blob::Header& a, const blob::Header& b) {
  if (a.version_major != b.version_major || a.version_minor != b.version_minor) {
    return "header: version of the format";
  }
  if (a.required_features != b.required_features || a.optional_features != b.optional_features) {
    return "header: features";
  }
  if (a.security_counter != b.security_counter) {
    return fmt::format("header: security counter {}, rebuilt {}", a.security_counter,
                       b.security_counter);
  }
  if (std::memcmp(a.board, b.board, sizeof(a.board)) != 0) return "header: board";
  return a.section_alignment == b.section_alignment ? "" : "header: alignment of sections";
}

}  // namespace

std::string FirstDifference(const blobs::BlobFile& blob, const blobs::BlobFile& rebuilt) {
  const BlobView before = blobs::ViewOf(blob), after = blobs::ViewOf(rebuilt);
  const auto sections = SectionsOf(blob), others = SectionsOf(rebuilt);
  for (size_t i = 0; i < std::max(sections.size(), others.size()); ++i) {
    if (i >= others.size()) return Name(before, *sections[i]) + ": only in the blob";
    if (i >= sections.size()) return Name(after, *others[i]) + ": only in the rebuilt blob";
    const blob::Section &a = *sections[i], &b = *others[i];
    if (a.kind != b.kind || a.index != b.index) {
      return fmt::format("{}: in its place the rebuilt blob has {}", Name(before, a),
                         Name(after, b));
    }
    const uint8_t *bytes = before.base + a.offset, *again = after.base + b.offset;
    if (a.bytes == b.bytes && std::memcmp(bytes, again, a.bytes) == 0) continue;
    std::string where;
    if (a.kind == blob::SectionKind::kPlan) where = InPlan(before, after, a.index);
    if (where.empty() && a.bytes != b.bytes) {
      where = fmt::format("{} bytes, rebuilt {}", a.bytes, b.bytes);
    }
    if (where.empty()) {
      uint32_t first = 0, count = 0;
      for (uint32_t at = a.bytes; at-- > 0;) {
        if (bytes[at] == again[at]) continue;
        first = at;
        ++count;
      }
      where = fmt::format("{} of {} bytes, the first at offset {} of the section", count, a.bytes,
                          first);
    }
    return fmt::format("{}: {}", Name(before, a), where);
  }
  return InHeader(*before.header, *after.header);
}

}  // namespace octet::cli
