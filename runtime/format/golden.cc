#include "runtime/format/golden.h"

#include <string.h>

#include "runtime/core/checked.h"

namespace octet {

namespace {

uint64_t ElementsOf(const blob::InputRecord& input) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < input.rank; ++i) count = SaturatingMul(count, input.dims[i]);
  return count;
}

bool InputIsSound(const blob::GoldenInput& golden, const blob::InputRecord& input,
                  uint64_t section_bytes) {
  switch (golden.kind) {
    case blob::GoldenKind::kPicture:
      return input.is_image != 0 && golden.height >= 1 && golden.height <= kMaxPictureSize &&
             golden.width >= 1 && golden.width <= kMaxPictureSize &&
             (golden.channels == 1 || golden.channels == 3) &&
             golden.bytes == (uint64_t)golden.height * golden.width * golden.channels &&
             InRange(golden.offset, golden.bytes, 1, section_bytes);
    case blob::GoldenKind::kValues:
      return golden.offset % sizeof(float) == 0 &&
             golden.bytes == SaturatingMul(ElementsOf(input), sizeof(float)) &&
             InRange(golden.offset, golden.bytes, 1, section_bytes);
    case blob::GoldenKind::kGenerated:
      return IsFiniteFloat(golden.low) && IsFiniteFloat(golden.high);
  }
  return false;
}

}  // namespace

Status ViewGolden(const BlobView& view, GoldenView* golden) {
  *golden = GoldenView();
  const Status found = FindSection(view, blob::SectionKind::kGolden, &golden->section);
  if (!IsOk(found) || golden->section.data == nullptr) return found;
  const Bytes& section = golden->section;
  if (section.bytes < sizeof(blob::GoldenRecord)) return Malformed(section.offset);
  const auto* record = reinterpret_cast<const blob::GoldenRecord*>(section.data);
  if (record->vector_count < 1 || record->vector_count > blob::kMaxGoldenVectors) {
    return Malformed(section.offset);
  }
  if (record->input_count != view.model->input_count ||
      record->output_count != view.model->output_count ||
      record->plan_count != view.model->plan_count) {
    return Malformed(section.offset + (uint32_t)offsetof(blob::GoldenRecord, input_count));
  }
  // At most 64 each: no product wraps.
  const uint64_t inputs = (uint64_t)record->vector_count * record->input_count;
  const uint64_t digests =
      (uint64_t)record->vector_count * record->plan_count * record->output_count;
  if (record->inputs_offset % alignof(blob::GoldenInput) != 0 ||
      !InRange(record->inputs_offset, inputs, sizeof(blob::GoldenInput), section.bytes)) {
    return Malformed(section.offset + (uint32_t)offsetof(blob::GoldenRecord, inputs_offset));
  }
  if (!InRange(record->digests_offset, digests, kSha256Bytes, section.bytes)) {
    return Malformed(section.offset + (uint32_t)offsetof(blob::GoldenRecord, digests_offset));
  }
  golden->record = record;
  golden->inputs = reinterpret_cast<const blob::GoldenInput*>(section.data + record->inputs_offset);
  golden->digests = section.data + record->digests_offset;
  for (uint32_t i = 0; i < inputs; ++i) {
    if (InputIsSound(golden->inputs[i], view.inputs[i % record->input_count], section.bytes)) {
      continue;
    }
    return Malformed(section.offset + record->inputs_offset +
                     i * (uint32_t)sizeof(blob::GoldenInput));
  }
  return Ok();
}

}  // namespace octet
