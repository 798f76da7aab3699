#include "runtime/format/view.h"

#include <string.h>

#include "runtime/core/bytes.h"
#include "runtime/core/checked.h"
#include "runtime/format/validate_decode.h"
#include "runtime/format/validate_model.h"

namespace octet {
namespace {

using blob::Header;
using blob::Section;
using blob::SectionKind;

Status CheckHeader(const Header* header, size_t bytes) {
  if (bytes < sizeof(Header)) return Status{Code::kTruncated, 0};
  if (!SameBytes(header->magic, blob::kMagic, sizeof(blob::kMagic))) {
    return Status{Code::kNotABlob, 0};
  }
  if (header->version_major != blob::kVersionMajor) {
    return Status{Code::kUnsupportedVersion, offsetof(Header, version_major)};
  }
  if ((header->required_features & ~blob::kKnownRequiredFeatures) != 0) {
    return Status{Code::kUnsupportedVersion, offsetof(Header, required_features)};
  }
  if (header->file_bytes > bytes) return Status{Code::kTruncated, offsetof(Header, file_bytes)};
  if (header->header_bytes < sizeof(Header) || header->header_bytes > 4096 ||
      header->header_bytes % 8 != 0) {
    return Malformed(offsetof(Header, header_bytes));
  }
  if (header->section_table_offset != header->header_bytes) {
    return Malformed(offsetof(Header, section_table_offset));
  }
  if (header->section_entry_bytes < sizeof(Section) || header->section_entry_bytes > 4096 ||
      header->section_entry_bytes % 8 != 0) {
    return Malformed(offsetof(Header, section_entry_bytes));
  }
  const uint32_t alignment = header->section_alignment;
  if (alignment < blob::kSmallestSectionAlignment || alignment > blob::kLargestSectionAlignment ||
      (alignment & (alignment - 1)) != 0) {
    return Malformed(offsetof(Header, section_alignment));
  }
  if (header->section_count == 0 || header->section_count > blob::kMaxSections ||
      !InRange(header->section_table_offset, header->section_count, header->section_entry_bytes,
               header->file_bytes)) {
    return Malformed(offsetof(Header, section_count));
  }
  return Ok();
}

uint32_t EntryOffset(const Header* header, uint32_t i) {
  return header->section_table_offset + i * header->section_entry_bytes;
}

// One behind the other from the table to the end of the file.
Status CheckSections(const Header* header) {
  uint64_t end = EntryOffset(header, header->section_count);
  for (uint32_t i = 0; i < header->section_count; ++i) {
    const Section* section = SectionAt(header, i);
    const uint32_t at = EntryOffset(header, i);
    if (section->offset != RoundUpTo(end, header->section_alignment)) {
      return Malformed(at + (uint32_t)offsetof(Section, offset));
    }
    end = (uint64_t)section->offset + section->bytes;
    if (end > header->file_bytes) return Malformed(at + (uint32_t)offsetof(Section, bytes));
    if (section->flags != 0) return Malformed(at + (uint32_t)offsetof(Section, flags));
  }
  return end == header->file_bytes ? Ok() : Malformed(offsetof(Header, file_bytes));
}

// Puts each section of a known kind in its place; at most one of each, one a plan for kPlan.
// Unknown kinds are ignored.
Status SortSections(const Header* header, BlobView* view) {
  for (uint32_t i = 0; i < header->section_count; ++i) {
    const Section* section = SectionAt(header, i);
    const uint32_t at = EntryOffset(header, i);
    Bytes* place = nullptr;
    uint32_t index_limit = 1;
    switch (section->kind) {
      case SectionKind::kModel:
        place = &view->model_section;
        break;
      case SectionKind::kPlan:
        place = view->plan_sections;
        index_limit = blob::kMaxPlans;
        break;
      case SectionKind::kWeightsS8:
        place = &view->weights_s8;
        break;
      case SectionKind::kWeightsF16:
        place = &view->weights_f16;
        break;
      case SectionKind::kTables:
        place = &view->tables;
        break;
      case SectionKind::kStrings:
        place = &view->strings;
        break;
      case SectionKind::kLabels:
        place = &view->labels;
        break;
      case SectionKind::kLayouts:
        place = &view->layouts;
        break;
      case SectionKind::kDecode:
        place = &view->decode;
        break;
      default:  // read by who asks for it, or of a later version
        break;
    }
    if (place == nullptr) continue;
    if (section->index >= index_limit) return Malformed(at + (uint32_t)offsetof(Section, index));
    place += section->index;
    if (place->data != nullptr) return Malformed(at);
    *place = Bytes{view->base + section->offset, section->bytes, section->offset};
  }
  return Ok();
}

}  // namespace

Status ViewHead(const void* base, size_t bytes, size_t blob_bytes, BlobView* view) {
  memset(view, 0, sizeof(*view));
  if (base == nullptr) return Status{Code::kInvalidArgument, 0};
  if ((uintptr_t)base % blob::kDataAlignment != 0) return Status{Code::kMisaligned, 0};
  if (bytes < sizeof(Header)) return Status{Code::kTruncated, 0};
  view->base = static_cast<const uint8_t*>(base);
  view->header = static_cast<const Header*>(base);
  Status status = CheckHeader(view->header, blob_bytes);
  if (!IsOk(status)) return status;
  if (EntryOffset(view->header, view->header->section_count) > bytes) {
    return Status{Code::kTruncated, offsetof(Header, section_count)};
  }
  status = CheckSections(view->header);
  if (!IsOk(status)) return status;
  status = SortSections(view->header, view);
  if (!IsOk(status)) return status;
  if (view->model_section.data == nullptr || view->strings.data == nullptr) {
    return Malformed(view->header->section_table_offset);
  }
  return Ok();
}

Status ViewSections(const void* base, size_t bytes, BlobView* view) {
  return ViewHead(base, bytes, bytes, view);
}

Status ViewBlob(const void* base, size_t bytes, BlobView* view) {
  Status status = ViewSections(base, bytes, view);
  if (!IsOk(status)) return status;
  status = ValidateModel(view);
  return IsOk(status) ? ValidateDecode(*view) : status;
}

Status FindSection(const BlobView& view, SectionKind kind, Bytes* bytes) {
  *bytes = Bytes{nullptr, 0, 0};
  for (uint32_t i = 0; i < view.header->section_count; ++i) {
    const Section* section = SectionAt(view.header, i);
    if (section->kind != kind) continue;
    if (bytes->data != nullptr) return Malformed(section->offset);
    *bytes = Bytes{view.base + section->offset, section->bytes, section->offset};
  }
  return Ok();
}

Status ViewPlan(const BlobView& view, uint32_t plan, PlanView* plan_view) {
  const Bytes& section = view.plan_sections[plan];
  if (section.bytes < sizeof(blob::PlanHeader)) return Malformed(section.offset);
  const auto* header = reinterpret_cast<const blob::PlanHeader*>(section.data);
  const uint64_t limit = section.bytes;
  if (header->tensors_offset % alignof(blob::TensorRecord) != 0 ||
      !InRange(header->tensors_offset, header->tensor_count, sizeof(blob::TensorRecord), limit)) {
    return Malformed(section.offset + (uint32_t)offsetof(blob::PlanHeader, tensors_offset));
  }
  if (header->layers_offset % alignof(blob::LayerRecord) != 0 ||
      !InRange(header->layers_offset, header->layer_count, sizeof(blob::LayerRecord), limit)) {
    return Malformed(section.offset + (uint32_t)offsetof(blob::PlanHeader, layers_offset));
  }
  if (header->operands_offset % alignof(uint32_t) != 0 ||
      !InRange(header->operands_offset, header->operand_count, sizeof(uint32_t), limit)) {
    return Malformed(section.offset + (uint32_t)offsetof(blob::PlanHeader, operands_offset));
  }
  plan_view->record = &view.plans[plan];
  plan_view->header = header;
  plan_view->tensors =
      reinterpret_cast<const blob::TensorRecord*>(section.data + header->tensors_offset);
  plan_view->layers =
      reinterpret_cast<const blob::LayerRecord*>(section.data + header->layers_offset);
  plan_view->operands = reinterpret_cast<const uint32_t*>(section.data + header->operands_offset);
  plan_view->offset = section.offset;
  return Ok();
}

}  // namespace octet
