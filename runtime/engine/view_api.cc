// The part of the C API that shows memory as it is: tensors in the arena, and blobs without a
// session.
#include <stddef.h>
#include <string.h>

#include "octet/octet.h"
#include "runtime/core/sized.h"
#include "runtime/engine/c_api.h"
#include "runtime/engine/transfer.h"

using octet::Code;
using octet::Session;
using octet::SessionOf;
using octet::ToC;

namespace {

static_assert(OCTET_ELEMENT_INT8 == (uint32_t)octet::blob::ElementType::kInt8 &&
                  OCTET_ELEMENT_FP16 == (uint32_t)octet::blob::ElementType::kFp16 &&
                  OCTET_ELEMENT_INT32 == (uint32_t)octet::blob::ElementType::kInt32 &&
                  OCTET_MAX_PLANS == octet::blob::kMaxPlans,
              "the format's numbers");

octet_tensor_view ViewOf(const Session& session, uint32_t tensor_number,
                         const uint32_t (&strides)[4]) {
  const octet::blob::TensorRecord& tensor = octet::TensorOf(session, tensor_number);
  octet_tensor_view view = {};
  view.data = session.tensors + tensor.arena_offset;
  view.bytes = tensor.bytes;
  view.element = static_cast<octet_element>(tensor.type);
  view.scale = tensor.scale;
  view.zero_point = int32_t{tensor.zero_point};
  view.sign = tensor.type == octet::blob::ElementType::kInt8 ? session.sign : 0u;
  for (uint32_t d = 0; d < 4; ++d) {
    view.dims[d] = tensor.dims[d];
    view.strides[d] = strides[d];
  }
  return view;
}

}  // namespace

octet_status octet_input_view(octet_session* session, uint32_t index, octet_tensor_view* view) {
  const Session& s = *SessionOf(session);
  if (index >= s.blob.model->input_count || !octet::IsSized(view)) {
    return ToC(Code::kInvalidArgument);
  }
  const uint32_t tensor = PlanInputTensor(s.blob, CurrentPlan(s), index);
  octet::WriteSized(ViewOf(s, tensor, s.blob.inputs[index].strides), view);
  return ToC(Code::kOk);
}

uint32_t octet_output_part_count(const octet_session* session, uint32_t index) {
  const Session& s = *SessionOf(session);
  if (index >= s.blob.model->output_count) return 0;
  return PlanOutputParts(s.blob, CurrentPlan(s), index).count;
}

octet_status octet_output_view(octet_session* session, uint32_t index, uint32_t part,
                               octet_tensor_view* view) {
  const Session& s = *SessionOf(session);
  if (part >= octet_output_part_count(session, index) || !octet::IsSized(view)) {
    return ToC(Code::kInvalidArgument);
  }
  const octet::PartRange range = PlanOutputParts(s.blob, CurrentPlan(s), index);
  const octet::blob::OutputPart& record = s.blob.parts[range.first + part];
  const octet::PartOffsets offsets = OffsetsOf(s.blob, record);
  // A caller that knows no offsets would read wrong numbers.
  constexpr size_t kKnowsOffsets =
      offsetof(octet_tensor_view, offset_count) + sizeof(octet_tensor_view::offset_count);
  if (offsets.count != 0 && view->size < kKnowsOffsets) return ToC(Code::kInvalidArgument);
  octet_tensor_view own = ViewOf(s, record.tensor, record.strides);
  own.offsets = offsets.values;
  own.offset_count = offsets.count;
  own.base = record.base;
  own.function = record.function;
  octet::WriteSized(own, view);
  return ToC(Code::kOk);
}

octet_status octet_layer_view(octet_session* session, uint32_t layer, octet_tensor_view* view) {
  const Session& s = *SessionOf(session);
  if (layer >= CurrentPlan(s).layer_count || !octet::IsSized(view)) {
    return ToC(Code::kInvalidArgument);
  }
  const uint32_t tensor = s.layers[layer].view.layer->output;
  const uint32_t(&dims)[4] = octet::TensorOf(s, tensor).dims;
  const uint32_t strides[4] = {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1};
  octet::WriteSized(ViewOf(s, tensor, strides), view);
  return ToC(Code::kOk);
}

octet_status octet_blob_describe(const void* blob, size_t blob_bytes, octet_blob_info* info) {
  if (!octet::IsSized(info)) return ToC(Code::kInvalidArgument);
  octet::BlobView view;
  const octet::Status status = octet::ViewBlob(blob, blob_bytes, &view);
  if (!octet::IsOk(status)) return ToC(status);
  octet_blob_info own = {};
  own.version_major = view.header->version_major;
  own.version_minor = view.header->version_minor;
  own.security_counter = view.header->security_counter;
  memcpy(own.board, view.header->board, sizeof(view.header->board));
  memcpy(own.digest, view.header->sha256, sizeof(own.digest));
  own.file_bytes = view.header->file_bytes;
  own.plan_count = view.model->plan_count;
  for (uint32_t p = 0; p < own.plan_count; ++p) {
    own.plan_names[p] = StringAt(view, view.plans[p].name);
    own.plan_bytes[p] = view.plans[p].arena_bytes;
  }
  octet::WriteSized(own, info);
  return ToC(Code::kOk);
}
