#include "runtime/engine/decode_memory.h"

#include "runtime/engine/transfer.h"

namespace octet {
namespace {

size_t RoundUpToLine(size_t bytes) {
  return (bytes + 63) & ~(size_t)63;
}

}  // namespace

MaskGrid MaskGridOf(const BlobView& blob) {
  const blob::DecodeRecord& record = DecodeOf(blob);
  if (record.mask_count == 0) return MaskGrid{0, 0};
  const uint32_t elements =
      (uint32_t)(blob.outputs[record.prototypes].element_count / record.mask_count);
  return MaskGrid{elements / record.prototype_columns, record.prototype_columns};
}

DecodeMemory LayOutDecodeMemory(const BlobView& blob) {
  DecodeMemory memory;
  memory.bytes = 0;
  for (uint32_t i = 0; i < blob.model->output_count; ++i) {
    memory.output_offsets[i] = memory.bytes;
    memory.bytes += RoundUpToLine((size_t)blob.outputs[i].element_count * sizeof(float));
  }
  memory.candidates_offset = memory.sums_offset = memory.bytes;
  if (blob.model->task == blob::Task::kDetect) {
    static_assert(sizeof(Candidate) <= 64, "as the validator reckons");
    memory.bytes += RoundUpToLine((size_t)DecodeOf(blob).max_candidates * sizeof(Candidate));
    memory.sums_offset = memory.bytes;
    const MaskGrid grid = MaskGridOf(blob);
    memory.bytes += RoundUpToLine((size_t)grid.rows * grid.columns * sizeof(float));
  }
  return memory;
}

bool ViewOutputs(const Session& session, blob::Task task, const void* memory, DecodeOutputs* out) {
  const BlobView& blob = session.blob;
  if (blob.decode.data == nullptr || blob.model->task != task || memory == nullptr ||
      reinterpret_cast<uintptr_t>(memory) % 64 != 0) {
    return false;
  }
  const DecodeMemory layout = LayOutDecodeMemory(blob);
  for (uint32_t i = 0; i < blob.model->output_count; ++i) {
    out->places[i] = reinterpret_cast<const float*>(static_cast<const uint8_t*>(memory) +
                                                    layout.output_offsets[i]);
  }
  out->in = DecodeInput{&DecodeOf(blob), DecodeLevels(blob), DecodeAnchors(blob), out->places,
                        DecodeExtras(blob)};
  return true;
}

Placement PlaceFrame(const Session& session, uint32_t frame_width, uint32_t frame_height) {
  const BlobView& blob = session.blob;
  const uint32_t number = DecodeOf(blob).input;
  const blob::TensorRecord& tensor =
      TensorOf(session, PlanInputTensor(blob, CurrentPlan(session), number));
  return PlacePicture(frame_height, frame_width, tensor.dims[1], tensor.dims[2],
                      blob.inputs[number].resize);
}

}  // namespace octet
