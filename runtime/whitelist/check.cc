#include <string.h>

#include "octet/board.h"
#include "runtime/core/sized.h"
#include "runtime/format/view.h"

namespace octet {
namespace {

// Names are zero padded to all 24 bytes in the header.
bool IsForBoard(const blob::Header& header, const char* board, char of_blob[25]) {
  memcpy(of_blob, header.board, sizeof(header.board));
  of_blob[sizeof(header.board)] = 0;
  if (of_blob[0] == 0 || board[0] == 0) return true;
  size_t i = 0;
  while (of_blob[i] != 0 && of_blob[i] == board[i]) ++i;
  return of_blob[i] == board[i];
}

bool Allows(uint32_t listed, uint32_t bits) {
  return listed == 0 || (listed & bits) == bits;
}

// One scale for every `shared` neighbouring channels: then these have the same factor.
bool ShareScales(const BlobView& view, const PlanView& plan, const blob::LayerRecord& layer,
                 uint32_t shared) {
  if (layer.precision != blob::Precision::kInt8) return true;
  if (layer.op != blob::Op::kConv && layer.op != blob::Op::kDepthwiseConv) return true;
  const auto* blocks =
      reinterpret_cast<const blob::ChannelBlockS8*>(view.weights_s8.data + layer.channels.offset);
  for (uint32_t c = 1; c < plan.tensors[layer.output].dims[3]; ++c) {
    const blob::ChannelBlockS8& block = blocks[c / 16];
    const uint32_t first = c / shared * shared;
    if (block.multiplier[c % 16] != blocks[first / 16].multiplier[first % 16]) return false;
    if (block.shift[c % 16] != blocks[first / 16].shift[first % 16]) return false;
  }
  return true;
}

// Of what a convolution computes before the table that is fused into it.
int32_t InnerZeroPoint(const blob::LayerRecord& layer) {
  if (layer.precision != blob::Precision::kInt8 || layer.table.offset == blob::kNone) return 0;
  if (layer.op != blob::Op::kConv && layer.op != blob::Op::kDepthwiseConv) return 0;
  blob::ConvParams params;
  memcpy(&params, layer.params.bytes, sizeof(params));
  return params.table_zero_point;
}

// True where the plan breaks a rule, which `found` then names.
bool CheckPrecisions(const BlobView& view, const PlanView& plan, uint32_t allowed,
                     octet_board_finding* found) {
  for (uint32_t t = 0; t < plan.header->tensor_count; ++t) {
    const blob::TensorRecord& tensor = plan.tensors[t];
    if (tensor.type == blob::ElementType::kInt32) continue;
    const uint32_t bit =
        tensor.type == blob::ElementType::kInt8 ? OCTET_BOARD_INT8 : OCTET_BOARD_FP16;
    if (Allows(allowed, bit)) continue;
    found->rule = OCTET_BOARD_PRECISION;
    found->precision = bit;
    found->where = StringAt(view, tensor.name);
    return true;
  }
  return false;
}

bool CheckWeights(const BlobView& view, const PlanView& plan, uint32_t allowed,
                  octet_board_finding* found) {
  if (Allows(allowed, OCTET_BOARD_PER_CHANNEL)) return false;
  // A group is 16 channels, as many as a block holds.
  const uint32_t shared = Allows(allowed, OCTET_BOARD_GROUP) ? 16 : UINT32_MAX;
  for (uint32_t k = 0; k < plan.header->layer_count; ++k) {
    if (ShareScales(view, plan, plan.layers[k], shared)) continue;
    found->rule = OCTET_BOARD_WEIGHTS;
    found->where = StringAt(view, plan.layers[k].name);
    return true;
  }
  return false;
}

void CheckActivations(const BlobView& view, const PlanView& plan, uint32_t allowed,
                      octet_board_finding* found) {
  if (Allows(allowed, OCTET_BOARD_ASYMMETRIC)) return;
  for (uint32_t t = 0; t < plan.header->tensor_count && found->zero_point == 0; ++t) {
    if (plan.tensors[t].type != blob::ElementType::kInt8) continue;
    found->zero_point = int32_t{plan.tensors[t].zero_point};
    found->where = StringAt(view, plan.tensors[t].name);
  }
  for (uint32_t k = 0; k < plan.header->layer_count && found->zero_point == 0; ++k) {
    found->zero_point = InnerZeroPoint(plan.layers[k]);
    found->where = StringAt(view, plan.tensors[plan.layers[k].output].name);
  }
  if (found->zero_point != 0) {
    found->rule = OCTET_BOARD_ACTIVATIONS;
  } else {
    found->where = "";
  }
}

void CheckPlan(const BlobView& view, const PlanView& plan, const octet_board& allowed,
               octet_board_finding* found) {
  if (CheckPrecisions(view, plan, allowed.precisions, found)) return;
  if (CheckWeights(view, plan, allowed.weight_schemes, found)) return;
  CheckActivations(view, plan, allowed.activation_schemes, found);
}

}  // namespace
}  // namespace octet

octet_status octet_board_check(const void* blob, size_t blob_bytes, uint32_t plan_mask,
                               const octet_board* board, octet_board_finding* finding) {
  octet_board allowed;
  if (!octet::ReadSized(board, &allowed) || !octet::IsSized(finding)) {
    return {OCTET_INVALID_ARGUMENT, 0};
  }
  allowed.compatible[sizeof(allowed.compatible) - 1] = 0;
  octet::BlobView view;
  octet::Status status = octet::ViewBlob(blob, blob_bytes, &view);
  octet_board_finding found = {};
  found.where = "";
  if (octet::IsOk(status) && !octet::IsForBoard(*view.header, allowed.compatible, found.board)) {
    found.rule = OCTET_BOARD_NAME;
    octet::WriteSized(found, finding);
    return {OCTET_OK, 0};
  }
  found.board[0] = 0;
  const uint32_t plan_count = octet::IsOk(status) ? view.model->plan_count : 0;
  bool any = false;
  for (uint32_t p = 0; p < plan_count && found.rule == OCTET_BOARD_OK; ++p) {
    if (plan_mask != 0 && (plan_mask >> p & 1) == 0) continue;
    any = true;
    octet::PlanView plan;
    status = octet::ViewPlan(view, p, &plan);
    if (!octet::IsOk(status)) break;
    found.plan = p;
    octet::CheckPlan(view, plan, allowed, &found);
  }
  if (octet::IsOk(status) && !any) return {OCTET_INVALID_ARGUMENT, 0};
  if (octet::IsOk(status)) octet::WriteSized(found, finding);
  return {static_cast<octet_code>(status.code), status.offset};
}
