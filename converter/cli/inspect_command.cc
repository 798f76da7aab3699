#include <cstring>
#include <memory>
#include <set>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "converter/cli/blob_file.h"
#include "converter/cli/commands.h"
#include "converter/lower/names.h"
#include "converter/support/error.h"
#include "octet/octet.h"
#include "runtime/core/isa.h"
#include "runtime/format/view.h"

namespace octet::cli {
namespace {

using lower::FunctionName;
using lower::OpName;
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

// Output tile of the transformed weights, 0 where there are none.
int WinogradOf(const blob::LayerRecord& layer) {
  if (!HasTransformedWeights(layer)) return 0;
  blob::ConvParams params{};
  std::memcpy(&params, layer.params.bytes, sizeof(params));
  return params.winograd;
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

// The slot of the kernel table that runs the layer (runtime/kernels/kernel_table.h).
std::string KernelOf(const blob::LayerRecord& layer) {
  std::string name;
  for (const char c : OpName(layer.op)) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !name.empty()) name += '_';
    name += static_cast<char>(upper ? c - 'A' + 'a' : c);
  }
  if (layer.op == blob::Op::kUnary && layer.precision == blob::Precision::kInt8) name = "table";
  return name + (layer.precision == blob::Precision::kInt8 ? "_s8" : "_f16");
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
          {"transformed_bytes", HasTransformedWeights(layer) ? layer.extra.bytes : 0},
          {"winograd", WinogradOf(layer)},
          {"kernel", KernelOf(layer)},
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

const char* TaskName(blob::Task task) {
  switch (task) {
    case blob::Task::kNone:
      return "none";
    case blob::Task::kClassify:
      return "classify";
    case blob::Task::kDetect:
      return "detect";
    case blob::Task::kSegment:
      return "segment";
  }
  return "?";
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
    case blob::SectionKind::kTransformed:
      return "transformed-weights";
    case blob::SectionKind::kDecode:
      return "decode";
  }
  return "other";
}

// What octet_arena_bytes() asks for; the same at every level.
size_t SessionArenaBytes(const BlobFile& file, uint32_t threads) {
  size_t bytes = 0;
  if (octet_arena_bytes(file.data(), file.bytes(), OCTET_ISA_REFERENCE, threads, &bytes).code !=
      OCTET_OK) {
    throw std::logic_error("verified blob has no arena size");
  }
  return bytes;
}

json Describe(const BlobFile& file) {
  BlobView view{};
  if (!IsOk(ViewBlob(file.data(), file.bytes(), &view)))
    throw std::logic_error("verified blob has no view");
  json result;
  result["name"] = StringAt(view, view.model->name);
  result["version"] = fmt::format("{}.{}", view.header->version_major, view.header->version_minor);
  result["blob_bytes"] = view.header->file_bytes;
  const auto* board = reinterpret_cast<const char*>(view.header->board);
  result["board"] = std::string(board, strnlen(board, sizeof(view.header->board)));
  result["task"] = TaskName(view.model->task);
  result["decoder"] = view.decode.data != nullptr;
  for (uint32_t i = 0; i < view.header->section_count; ++i) {
    const blob::Section* section = SectionAt(view.header, i);
    std::string hash;
    for (uint8_t byte : section->sha256) hash += fmt::format("{:02x}", byte);
    result["sections"].push_back({{"kind", SectionName(section->kind)},
                                  {"index", section->index},
                                  {"offset", section->offset},
                                  {"bytes", section->bytes},
                                  {"sha256", hash}});
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
  result["labels"] = view.model->label_count;
  const size_t one = SessionArenaBytes(file, 1);
  result["session_arena_bytes"] = {{"one_thread", one},
                                   {"each_further_thread", SessionArenaBytes(file, 2) - one}};
  for (uint32_t p = 0; p < view.model->plan_count; ++p) {
    PlanView plan{};
    if (!IsOk(ViewPlan(view, p, &plan))) throw std::logic_error("verified blob has no plan");
    const std::string name = StringAt(view, plan.record->name);
    json layers = json::array(), tensors = json::array();
    uint64_t macs = 0, weight_bytes = 0, transformed_bytes = 0;
    for (uint32_t i = 0; i < plan.header->layer_count; ++i) {
      layers.push_back(LayerJson(view, plan, plan.layers[i], name));
      macs += plan.layers[i].macs;
      weight_bytes += HasWeights(plan.layers[i]) ? plan.layers[i].weights.bytes : 0;
      transformed_bytes += HasTransformedWeights(plan.layers[i]) ? plan.layers[i].extra.bytes : 0;
    }
    for (uint32_t i = 0; i < plan.header->tensor_count; ++i)
      tensors.push_back(TensorJson(view, plan.tensors[i]));
    result["plans"].push_back({{"name", name},
                               {"arena_bytes", plan.record->arena_bytes},
                               {"scratch_bytes", plan.record->scratch_bytes[0]},
                               {"macs", macs},
                               {"weight_bytes", weight_bytes},
                               {"transformed_bytes", transformed_bytes},
                               {"layers", layers},
                               {"tensors", tensors}});
  }
  return result;
}

// What goes in and comes out, and for whom.
void PrintModel(const json& blob) {
  const std::string board = blob["board"].get<std::string>();
  fmt::print("{}: format {}, {} bytes, {}; task {}, {} decoder, {} labels\n",
             blob["name"].get<std::string>(), blob["version"].get<std::string>(),
             blob["blob_bytes"].get<uint64_t>(), board.empty() ? "any board" : "board " + board,
             blob["task"].get<std::string>(), blob["decoder"].get<bool>() ? "with" : "no",
             blob["labels"].get<uint32_t>());
  for (const json& input : blob.value("inputs", json::array())) {
    fmt::print("input {} {}", input["name"].get<std::string>(), input["shape"].dump());
    if (input["image"].get<bool>()) {
      fmt::print(": pictures, {}, {}, x * {:.6g} - {}, / {}", input["colour"].get<std::string>(),
                 input["resize"].get<std::string>(), input["scale"].get<double>(),
                 input["mean"].dump(), input["std"].dump());
    }
    fmt::print("\n");
  }
  for (const json& output : blob["outputs"]) {
    fmt::print("output {} {}\n", output["name"].get<std::string>(), output["shape"].dump());
  }
}

void PrintText(const json& blob) {
  PrintModel(blob);
  fmt::print("\n");
  fmt::print("{:<14} {:>5} {:>10} {:>10}  sha256\n", "section", "index", "offset", "bytes");
  for (const json& s : blob["sections"]) {
    fmt::print("{:<14} {:>5} {:>10} {:>10}  {}\n", s["kind"].get<std::string>(),
               s["index"].get<int>(), s["offset"].get<uint64_t>(), s["bytes"].get<uint64_t>(),
               s["sha256"].get<std::string>());
  }
  const json& session = blob["session_arena_bytes"];
  fmt::print(
      "\narena of a session: {} bytes with one thread, {} more for each further thread: records, "
      "scratch and the tensors of the largest plan\n",
      session["one_thread"].get<uint64_t>(), session["each_further_thread"].get<uint64_t>());
  for (const json& plan : blob["plans"]) {
    fmt::print(
        "\nplan {}: {} layers, {:.2f} MMAC, {} weight bytes, {} transformed, {} arena bytes of "
        "tensors, {} "
        "scratch bytes a thread\n",
        plan["name"].get<std::string>(), plan["layers"].size(), plan["macs"].get<double>() / 1e6,
        plan["weight_bytes"].get<uint64_t>(), plan["transformed_bytes"].get<uint64_t>(),
        plan["arena_bytes"].get<uint64_t>(), plan["scratch_bytes"].get<uint64_t>());
    fmt::print("{:<40} {:<14} {:<5} {:<17} {:>12} {:>5} {:>12} {:>10} {:<10} {}\n", "layer", "op",
               "prec", "weights", "scale", "zero", "macs", "w bytes", "scheme", "fused");
    for (const json& l : plan["layers"]) {
      fmt::print("{:<40} {:<14} {:<5} {:<17} {:>12.6g} {:>5} {:>12} {:>10} {:<10} {}\n",
                 l["name"].get<std::string>(), l["op"].get<std::string>(),
                 l["precision"].get<std::string>(), l["weights_type"].get<std::string>(),
                 l["scale"].get<double>(), l["zero_point"].get<int>(), l["macs"].get<uint64_t>(),
                 l["weight_bytes"].get<uint64_t>(), l["scheme"].get<std::string>(),
                 l["fused"].get<std::string>());
    }
  }
}

// conv_s8,conv_f16,...: the kernels of all plans, each once.
std::string OperatorsOf(const json& blob) {
  std::set<std::string> words;
  for (const json& plan : blob["plans"]) {
    for (const json& layer : plan["layers"]) words.insert(layer["kernel"].get<std::string>());
  }
  return fmt::format("{}", fmt::join(words, ","));
}

}  // namespace

void AddInspect(port::CommandLine& app, std::function<int()>* run) {
  port::Options command =
      app.AddCommand("inspect", "show every layer, tensor and section of a blob");
  auto path = std::make_shared<std::string>();
  auto as_json = std::make_shared<bool>(false);
  auto operators = std::make_shared<bool>(false);
  command.Add("BLOB", *path, "the .octet file").Required();
  command.AddFlag("--json", *as_json, "as JSON, tensors with their arena places included");
  command.AddFlag("--operators", *operators,
                  "only the operators of all plans, as a program linked without the others wants "
                  "them (CMake: octet_select_operators)");
  command.WhenChosen([=] {
    *run = [=] {
      const json description = Describe(BlobFile(*path));
      if (*operators) {
        fmt::print("{}\n", OperatorsOf(description));
      } else if (*as_json) {
        // Names come from the file as bytes; what is no UTF-8 must not stop the report.
        fmt::print("{}\n", description.dump(2, ' ', false, json::error_handler_t::replace));
      } else {
        PrintText(description);
      }
      return kDone;
    };
  });
}

}  // namespace octet::cli
