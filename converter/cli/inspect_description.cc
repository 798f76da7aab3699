#include "converter/cli/inspect.h"

#include <cstring>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "converter/cli/inspect_offsets.h"
#include "converter/lower/names.h"
#include "converter/sections/sections.h"
#include "octet/octet.h"
#include "ports/linux/cpu.h"
#include "ports/linux/slot/key.h"
#include "runtime/core/isa.h"
#include "runtime/format/optional_features.h"
#include "runtime/format/sha256.h"
#include "runtime/format/signature.h"
#include "runtime/format/tasks.h"
#include "runtime/format/view.h"

namespace octet::cli {
namespace {

using lower::FunctionName;
using lower::OperatorWord;
using lower::OpName;
using lower::WhyNotInt8;
using nlohmann::json;

const char* TypeName(blob::ElementType type) {
  switch (type) {
    case blob::ElementType::kInt8:
      return "int8";
    case blob::ElementType::kFp16:
      return "fp16";
    case blob::ElementType::kInt32:
      return "int32";
  }
  return "?";
}

bool HasWeights(const blob::LayerRecord& layer) {
  return layer.weights.offset != blob::kNone;
}

// Tables of a unary layer: one, or several that its channels share.
uint32_t TablesOf(const blob::LayerRecord& layer) {
  const bool int8 = layer.precision == blob::Precision::kInt8;
  return int8 && layer.op == blob::Op::kUnary ? layer.table.bytes / 256 : 0;
}

// What a layer does to its result besides its own operator.
std::string FusedOf(const blob::LayerRecord& layer) {
  const bool conv = layer.op == blob::Op::kConv || layer.op == blob::Op::kDepthwiseConv;
  const bool binary =
      layer.op == blob::Op::kAdd || layer.op == blob::Op::kMul || layer.op == blob::Op::kDiv;
  if (!conv && !binary) return "";
  blob::ConvParams c{};
  blob::BinaryParams b{};
  std::memcpy(&c, layer.params.bytes, sizeof(c));
  std::memcpy(&b, layer.params.bytes, sizeof(b));
  if (layer.precision == blob::Precision::kFp16)
    return FunctionName(conv ? c.function : b.function);
  if (conv && layer.table.offset != blob::kNone) return "Table";
  const int lo = conv ? c.clamp_lo : b.clamp_lo, hi = conv ? c.clamp_hi : b.clamp_hi;
  return lo != -128 || hi != 127 ? "Clamp" : "";
}

json LayerJson(const BlobView& view, const PlanView& plan, const blob::LayerRecord& layer,
               const std::string& plan_name) {
  const blob::TensorRecord& out = plan.tensors[layer.output];
  const bool int8 = layer.precision == blob::Precision::kInt8;
  json inputs = json::array();
  for (uint32_t i = 0; i < layer.input_count; ++i) {
    inputs.push_back(StringAt(view, plan.tensors[plan.operands[layer.first_operand + i]].name));
  }
  const std::string scheme = out.type == blob::ElementType::kFp16    ? "float"
                             : out.type == blob::ElementType::kInt32 ? "integer"
                             : out.per_channel != 0                  ? "per-channel"
                             : out.zero_point == 0                   ? "symmetric"
                                                                     : "asymmetric";
  return {{"name", StringAt(view, layer.name)},
          {"op", OpName(layer.op)},
          {"plan", plan_name},
          {"precision", out.type == blob::ElementType::kInt32 ? "int32"
                        : int8                                ? "int8"
                                                              : "fp16"},
          {"inputs", inputs},
          {"outputs", json::array({StringAt(view, out.name)})},
          {"weights_type", !HasWeights(layer) ? ""
                           : int8             ? "int8 per-channel"
                                              : "fp16"},
          {"bias_type", !HasWeights(layer) ? ""
                        : int8             ? "int32"
                                           : "float32"},
          {"scheme", scheme},
          {"scale", out.scale},
          {"zero_point", out.zero_point},
          {"macs", layer.macs},
          {"weight_bytes", HasWeights(layer) ? layer.weights.bytes : 0},
          {"transformed_bytes", WinogradOf(layer) != 0 ? layer.extra.bytes : 0},
          {"winograd", IsWinogradF16(layer) ? 2 : WinogradOf(layer)},
          {"arithmetic", int8                    ? "int32"
                         : AllowsHalfSums(layer) ? "fp16"
                                                 : "float32"},
          {"why_not_int8", WhyNotInt8(layer, out.type)},
          {"kernel", OperatorWord(layer.op, layer.precision)},
          {"tables", TablesOf(layer)},
          {"fused", FusedOf(layer)}};
}

json TensorJson(const BlobView& view, const blob::TensorRecord& tensor) {
  const int64_t first =
      tensor.first_layer == blob::kNone ? -1 : static_cast<int64_t>(tensor.first_layer);
  return {{"name", StringAt(view, tensor.name)},
          {"type", TypeName(tensor.type)},
          {"dims", tensor.dims},
          {"bytes", tensor.bytes},
          {"offset", tensor.arena_offset},
          {"first", first},
          {"last", tensor.last_layer},
          {"scale", tensor.scale},
          {"zero_point", tensor.zero_point},
          {"per_channel", tensor.per_channel != 0}};
}

const char* ResizeName(blob::ResizeMode mode) {
  switch (mode) {
    case blob::ResizeMode::kStretch:
      return "stretch";
    case blob::ResizeMode::kLetterbox:
      return "letterbox";
    case blob::ResizeMode::kCrop:
      return "crop";
  }
  return "?";
}

}  // namespace

const char* SectionName(blob::SectionKind kind) {
  switch (kind) {
    case blob::SectionKind::kModel:
      return "model";
    case blob::SectionKind::kPlan:
      return "plan";
    case blob::SectionKind::kWeightsS8:
      return "weights-int8";
    case blob::SectionKind::kWeightsF16:
      return "weights-fp16";
    case blob::SectionKind::kTables:
      return "tables";
    case blob::SectionKind::kStrings:
      return "strings";
    case blob::SectionKind::kLabels:
      return "labels";
    case blob::SectionKind::kReport:
      return "report";
    case blob::SectionKind::kLayouts:
      return "other-layouts";
    case blob::SectionKind::kDecode:
      return "decode";
    case blob::SectionKind::kSignature:
      return "signature";
    default:
      break;
  }
  for (const auto& section : sections::All()) {
    if (const char* name = section->NameOf(kind)) return name;
  }
  return "other";
}

namespace {

// What octet_arena_bytes() asks for with these plans: at the levels that stand alone, at the first
// level of x86, and at the first of all others.
json ArenaJson(const blobs::BlobFile& file, const std::string& plans, uint32_t plan_mask) {
  json result = {{"plans", plans}, {"plan_mask", plan_mask}};
  for (const auto& [name, isa] : ArenaLevels()) {
    size_t bytes[2] = {};
    for (uint32_t threads : {1u, 2u}) {
      if (octet_arena_bytes(file.data(), file.bytes(), isa, threads, plan_mask, &bytes[threads - 1])
              .code != OCTET_OK) {
        throw std::logic_error("verified blob has no arena size");
      }
    }
    result[name] = {{"one_thread", bytes[0]}, {"each_further_thread", bytes[1] - bytes[0]}};
  }
  return result;
}

// Of every plan alone, and of all together.
json ArenasJson(const blobs::BlobFile& file, const BlobView& view) {
  json result = json::array();
  for (uint32_t p = 0; p < view.model->plan_count; ++p) {
    result.push_back(ArenaJson(file, StringAt(view, view.plans[p].name), 1u << p));
  }
  if (view.model->plan_count > 1) result.push_back(ArenaJson(file, "all", 0));
  return result;
}

std::string Hex(const uint8_t (&hash)[kSha256Bytes]) {
  std::string text;
  for (const uint8_t byte : hash) text += fmt::format("{:02x}", byte);
  return text;
}

// Whose signature it has; whether it is right only the key can tell.
json SignatureJson(const BlobView& view) {
  const blob::SignatureRecord* record = FindSignature(view);
  if (record == nullptr) return nullptr;
  return {{"algorithm", "ed25519"}, {"key_id", port::KeyIdText(record->key_id)}};
}

}  // namespace

const std::vector<std::pair<std::string, octet_isa>>& ArenaLevels() {
  static const auto levels = [] {
    std::vector<std::pair<std::string, octet_isa>> made;
    std::set<std::string> names;
    for (const octet_isa isa : port::kIsasLowestFirst) {
      std::string name = octet_isa_name(isa);
      const IsaFamily family = IsaFamilyOf(static_cast<Isa>(isa));
      if (family == IsaFamily::kX86) name = "x86_levels";
      if (family == IsaFamily::kNeon) name = "other_levels";
      if (names.insert(name).second) made.emplace_back(name, isa);
    }
    return made;
  }();
  return levels;
}

namespace {

// arenas: of its sessions, by level.
json PlanJson(const BlobView& view, uint32_t index, const json& arenas) {
  PlanView plan{};
  if (!IsOk(ViewPlan(view, index, &plan))) throw std::logic_error("verified blob has no plan");
  const std::string name = StringAt(view, plan.record->name);
  json layers = json::array(), tensors = json::array();
  uint64_t macs = 0, weight_bytes = 0, transformed_bytes = 0;
  for (uint32_t i = 0; i < plan.header->layer_count; ++i) {
    layers.push_back(LayerJson(view, plan, plan.layers[i], name));
    macs += plan.layers[i].macs;
    weight_bytes += HasWeights(plan.layers[i]) ? plan.layers[i].weights.bytes : 0;
    transformed_bytes += WinogradOf(plan.layers[i]) != 0 ? plan.layers[i].extra.bytes : 0;
  }
  for (uint32_t i = 0; i < plan.header->tensor_count; ++i) {
    tensors.push_back(TensorJson(view, plan.tensors[i]));
  }
  json scratch;
  for (const auto& [level, isa] : ArenaLevels()) {
    scratch[level] = arenas[level]["each_further_thread"];
  }
  return {{"name", name},
          {"arena_bytes", plan.record->arena_bytes},
          {"scratch_bytes", scratch},
          {"macs", macs},
          {"weight_bytes", weight_bytes},
          {"transformed_bytes", transformed_bytes},
          {"offsets", OffsetsJson(view, *plan.record)},
          {"layers", layers},
          {"tensors", tensors}};
}

}  // namespace

json Describe(const blobs::BlobFile& file) {
  BlobView view{};
  if (!IsOk(ViewBlob(file.data(), file.bytes(), &view)))
    throw std::logic_error("verified blob has no view");
  json result;
  result["name"] = StringAt(view, view.model->name);
  result["version"] = fmt::format("{}.{}", view.header->version_major, view.header->version_minor);
  result["blob_bytes"] = view.header->file_bytes;
  const auto* board = reinterpret_cast<const char*>(view.header->board);
  result["board"] = std::string(board, strnlen(board, sizeof(view.header->board)));
  result["security_counter"] = view.header->security_counter;
  result["random_calibration"] = blob::HasRandomRanges(*view.header);
  result["section_alignment"] = view.header->section_alignment;
  result["digest"] = Hex(view.header->sha256);
  result["signature"] = SignatureJson(view);
  for (const auto& section : sections::All()) {
    section->Inspect(file.data(), file.bytes(), &result);
  }
  result["task"] = TaskWord(view.model->task);
  result["decoder"] = view.decode.data != nullptr;
  for (uint32_t i = 0; i < view.header->section_count; ++i) {
    const blob::Section* section = SectionAt(view.header, i);
    result["sections"].push_back({{"kind", SectionName(section->kind)},
                                  {"index", section->index},
                                  {"offset", section->offset},
                                  {"bytes", section->bytes},
                                  {"sha256", Hex(section->sha256)}});
  }
  for (uint32_t i = 0; i < view.model->input_count; ++i) {
    const blob::InputRecord& input = view.inputs[i];
    result["inputs"].push_back(
        {{"name", StringAt(view, input.name)},
         {"shape", std::vector<uint32_t>(input.dims, input.dims + input.rank)},
         {"image", input.is_image != 0},
         {"colour", input.colour == blob::ColourOrder::kBgr ? "bgr" : "rgb"},
         {"resize", ResizeName(input.resize)},
         {"scale", input.scale},
         {"mean", input.mean},
         {"std", input.std_dev}});
  }
  for (uint32_t i = 0; i < view.model->output_count; ++i) {
    const blob::OutputRecord& output = view.outputs[i];
    result["outputs"].push_back(
        {{"name", StringAt(view, output.name)},
         {"shape", std::vector<uint32_t>(output.dims, output.dims + output.rank)}});
  }
  result["states"] = json::array();
  for (uint32_t i = 0; i < view.model->state_count; ++i) {
    const blob::StateRecord& state = view.states[i];
    result["states"].push_back(
        {{"name", StringAt(view, state.name)},
         {"output", StringAt(view, state.output_name)},
         {"shape", std::vector<uint32_t>(state.dims, state.dims + state.rank)},
         {"type", state.type == blob::ElementType::kInt32 ? "int32" : "fp16"},
         {"bytes", StateBytes(state)},
         {"initial", state.initial == blob::kNone ? "zeros" : "values"}});
  }
  result["labels"] = view.model->label_count;
  result["session_arena_bytes"] = ArenasJson(file, view);
  for (uint32_t p = 0; p < view.model->plan_count; ++p) {
    result["plans"].push_back(PlanJson(view, p, result["session_arena_bytes"][p]));
  }
  return result;
}

}  // namespace octet::cli
