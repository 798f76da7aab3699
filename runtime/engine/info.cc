// The part of the C API that changes nothing: names, counts, shapes and labels.
#include <string.h>

#include "octet/octet.h"
#include "runtime/core/sized.h"
#include "runtime/engine/c_api.h"
#include "runtime/engine/isa_names.h"
#include "runtime/engine/work.h"

using octet::Code;
using octet::Session;
using octet::SessionOf;
using octet::ToC;

namespace {

octet_tensor_info ShapeInfo(const char* name, uint32_t rank, const uint32_t* dims) {
  octet_tensor_info info = {};
  info.name = name;
  info.rank = rank;
  info.element_count = 1;
  for (uint32_t i = 0; i < rank; ++i) {
    info.dims[i] = dims[i];
    info.element_count *= dims[i];
  }
  return info;
}

}  // namespace

uint32_t octet_version(void) {
  return OCTET_VERSION;
}

const char* octet_code_name(octet_code code) {
  switch (code) {
    case OCTET_OK:
      return "ok";
    case OCTET_INVALID_ARGUMENT:
      return "invalid argument";
    case OCTET_NOT_A_BLOB:
      return "not a blob";
    case OCTET_UNSUPPORTED_VERSION:
      return "unsupported version or feature";
    case OCTET_TRUNCATED:
      return "truncated";
    case OCTET_CORRUPT:
      return "corrupt (hash mismatch)";
    case OCTET_MALFORMED:
      return "malformed";
    case OCTET_ARENA_TOO_SMALL:
      return "arena too small";
    case OCTET_MISALIGNED:
      return "misaligned";
    case OCTET_ISA_UNAVAILABLE:
      return "instruction set unavailable";
    case OCTET_SHAPE_MISMATCH:
      return "shape mismatch";
    case OCTET_OPERATOR_UNAVAILABLE:
      return "operator left out of this program";
    case OCTET_CANCELLED:
      return "cancelled";
  }
  return "unknown";
}

const char* octet_isa_name(octet_isa isa) {
  const char* name = octet::IsaName(static_cast<octet::Isa>(isa));
  return name != nullptr ? name : "unknown";
}

octet_status octet_isa_from_name(const char* name, octet_isa* isa) {
  if (name == nullptr || isa == nullptr) return ToC(Code::kInvalidArgument);
  for (uint32_t i = 0; i < octet::kIsaCount; ++i) {
    const char* a = octet::IsaName(static_cast<octet::Isa>(i));
    const char* b = name;
    while (*a != 0 && *a == *b) ++a, ++b;
    if (*a == 0 && *b == 0) {
      *isa = static_cast<octet_isa>(i);
      return ToC(Code::kOk);
    }
  }
  return ToC(Code::kInvalidArgument);
}

int octet_isa_built(octet_isa isa) {
  return octet::IsaIsBuilt(static_cast<octet::Isa>(isa)) ? 1 : 0;
}

uint32_t octet_plan_count(const octet_session* session) {
  return SessionOf(session)->blob.model->plan_count;
}

const char* octet_plan_name(const octet_session* session, uint32_t plan) {
  const octet::BlobView& blob = SessionOf(session)->blob;
  return plan < blob.model->plan_count ? StringAt(blob, blob.plans[plan].name) : nullptr;
}

uint32_t octet_plan(const octet_session* session) {
  return SessionOf(session)->plan;
}

uint32_t octet_resident_plans(const octet_session* session) {
  return SessionOf(session)->resident_plans;
}

uint32_t octet_plan_mask(const octet_session* session) {
  return SessionOf(session)->plan_mask;
}

uint32_t octet_input_count(const octet_session* session) {
  return SessionOf(session)->blob.model->input_count;
}

uint32_t octet_output_count(const octet_session* session) {
  return SessionOf(session)->blob.model->output_count;
}

octet_status octet_input_info(const octet_session* session, uint32_t index,
                              octet_tensor_info* info) {
  const octet::BlobView& blob = SessionOf(session)->blob;
  if (index >= blob.model->input_count || !octet::IsSized(info)) return ToC(Code::kInvalidArgument);
  const octet::blob::InputRecord& input = blob.inputs[index];
  octet_tensor_info own = ShapeInfo(StringAt(blob, input.name), input.rank, input.dims);
  own.is_image = input.is_image;
  if (input.is_image != 0) {
    octet::PlanView plan;
    octet::ViewPlan(blob, SessionOf(session)->plan, &plan);
    const octet::blob::TensorRecord& tensor =
        plan.tensors[octet::PlanInputTensor(blob, *plan.record, index)];
    own.height = tensor.dims[1];
    own.width = tensor.dims[2];
    own.channels = tensor.dims[3];
  }
  octet::WriteSized(own, info);
  return ToC(Code::kOk);
}

octet_status octet_output_info(const octet_session* session, uint32_t index,
                               octet_tensor_info* info) {
  const octet::BlobView& blob = SessionOf(session)->blob;
  if (index >= blob.model->output_count || !octet::IsSized(info))
    return ToC(Code::kInvalidArgument);
  const octet::blob::OutputRecord& output = blob.outputs[index];
  octet::WriteSized(ShapeInfo(StringAt(blob, output.name), output.rank, output.dims), info);
  return ToC(Code::kOk);
}

uint32_t octet_layer_count(const octet_session* session) {
  return octet::CurrentPlan(*SessionOf(session)).layer_count;
}

octet_status octet_layer(const octet_session* session, uint32_t index, octet_layer_info* info) {
  const Session& s = *SessionOf(session);
  if (!octet::IsSized(info) || index >= octet::CurrentPlan(s).layer_count) {
    return ToC(Code::kInvalidArgument);
  }
  const octet::BoundLayer& bound = s.layers[index];
  const octet::blob::LayerRecord& layer = *bound.view.layer;
  octet_layer_info own = {};
  own.name = StringAt(s.blob, layer.name);
  own.op = octet::OpName(layer.op);
  own.kernel = octet::IsaName(octet::LayerKernelIsa(bound.view, s.kernels));
  own.precision = static_cast<uint32_t>(layer.precision);
  own.macs = octet::WorkOfLayer(bound.view).macs;
  own.weight_bytes = layer.weights.bytes;
  own.ticks = s.ticks != nullptr ? bound.ticks : 0;
  octet::WriteSized(own, info);
  return ToC(Code::kOk);
}

uint64_t octet_macs(const octet_session* session) {
  return octet::WorkOfPlan(SessionOf(session)->blob, SessionOf(session)->plan).macs;
}

uint64_t octet_steps(const octet_session* session) {
  return octet::WorkOfPlan(SessionOf(session)->blob, SessionOf(session)->plan).steps;
}

uint32_t octet_label_count(const octet_session* session) {
  return SessionOf(session)->blob.model->label_count;
}

const char* octet_label(const octet_session* session, uint32_t index) {
  const octet::BlobView& blob = SessionOf(session)->blob;
  if (index >= blob.model->label_count) return nullptr;
  const char* label = reinterpret_cast<const char*>(blob.labels.data);
  for (uint32_t i = 0; i < index; ++i) {
    while (*label != 0) ++label;
    ++label;
  }
  return label;
}
