#include <algorithm>

#include <fmt/format.h>

#include "converter/cli/inspect.h"
#include "converter/cli/inspect_offsets.h"
#include "converter/sections/sections.h"

namespace octet::cli {
namespace {

using nlohmann::json;

// What goes in and comes out, and for whom.
void PrintModel(const json& blob) {
  const std::string board = blob["board"].get<std::string>();
  fmt::print("{}: format {}, {} bytes, {}, security counter {}; task {}, {} decoder, {} labels\n",
             blob["name"].get<std::string>(), blob["version"].get<std::string>(),
             blob["blob_bytes"].get<uint64_t>(), board.empty() ? "any board" : "board " + board,
             blob["security_counter"].get<uint64_t>(), blob["task"].get<std::string>(),
             blob["decoder"].get<bool>() ? "with" : "no", blob["labels"].get<uint32_t>());
  if (blob["random_calibration"].get<bool>()) {
    fmt::print(
        "RANDOM RANGES: calibrated with random data, so int8 results on real inputs may be wrong; "
        "convert again with pictures\n");
  }
  for (const auto& section : sections::All()) fmt::print("{}", section->InspectText(blob));
  if (!blob["signature"].is_null()) {
    fmt::print("signed with key {}\n", blob["signature"]["key_id"].get<std::string>());
  }
  for (const json& input : blob.value("inputs", json::array())) {
    fmt::print("input {} {}", input["name"].get<std::string>(), input["shape"].dump());
    if (input["image"].get<bool>()) {
      fmt::print(": pictures, {}, {}, scale {:.6g}, mean {}, std {}",
                 input["colour"].get<std::string>(), input["resize"].get<std::string>(),
                 input["scale"].get<double>(), input["mean"].dump(), input["std"].dump());
    }
    fmt::print("\n");
  }
  for (const json& output : blob["outputs"]) {
    fmt::print("output {} {}\n", output["name"].get<std::string>(), output["shape"].dump());
  }
  for (const json& state : blob["states"]) {
    fmt::print("state {} {}: {}, {} bytes, from output {}, {} at the start\n",
               state["name"].get<std::string>(), state["shape"].dump(),
               state["type"].get<std::string>(), state["bytes"].get<uint64_t>(),
               state["output"].get<std::string>(), state["initial"].get<std::string>());
  }
}

// Of FP16 weights also what is computed with them; int8 weights that come a second time,
// transformed, have an asterisk.
std::string WeightsText(const json& layer) {
  std::string text = layer["weights_type"].get<std::string>();
  if (text != "fp16") return layer["winograd"] != 0 ? text + "*" : text;
  if (layer["arithmetic"] == "fp16") text += ", fp16 sums";
  if (layer["winograd"] != 0) text += ", winograd";
  return text;
}

// Of a layer that is none of int8 in a plan that has some.
std::string WhyText(const json& plan, const json& layer) {
  const auto why = layer["why_not_int8"].get<std::string>();
  const bool is_mixed = std::any_of(
      plan["layers"].begin(), plan["layers"].end(),
      [](const json& other) { return other["precision"] == "int8" && other["op"] != "Convert"; });
  return why.empty() || !is_mixed ? "" : " (" + why + ")";
}

}  // namespace

void PrintText(const json& blob) {
  PrintModel(blob);
  fmt::print("\n");
  fmt::print("{:<14} {:>5} {:>10} {:>10}  sha256\n", "section", "index", "offset", "bytes");
  for (const json& s : blob["sections"]) {
    fmt::print("{:<14} {:>5} {:>10} {:>10}  {}\n", s["kind"].get<std::string>(),
               s["index"].get<int>(), s["offset"].get<uint64_t>(), s["bytes"].get<uint64_t>(),
               s["sha256"].get<std::string>());
  }
  fmt::print("\n{:<16}", "arena bytes of");
  for (const auto& [level, isa] : ArenaLevels())
    fmt::print(" {:>12} {:>14}", level, "a thread more");
  fmt::print("\n");
  for (const json& arena : blob["session_arena_bytes"]) {
    fmt::print("{:<16}", arena["plans"].get<std::string>());
    for (const auto& [level, isa] : ArenaLevels()) {
      fmt::print(" {:>12} {:>14}", arena[level]["one_thread"].get<uint64_t>(),
                 arena[level]["each_further_thread"].get<uint64_t>());
    }
    fmt::print("\n");
  }
  for (const json& plan : blob["plans"]) {
    fmt::print(
        "\nplan {}: {} layers, {:.2f} MMAC, {} weight bytes, {} transformed, {} arena bytes of "
        "tensors\n",
        plan["name"].get<std::string>(), plan["layers"].size(), plan["macs"].get<double>() / 1e6,
        plan["weight_bytes"].get<uint64_t>(), plan["transformed_bytes"].get<uint64_t>(),
        plan["arena_bytes"].get<uint64_t>());
    size_t width = 40;  // of the longest name, which is not cut
    for (const json& l : plan["layers"])
      width = std::max(width, l["name"].get<std::string>().size());
    fmt::print("{:<{}} {:<14} {:<5} {:<17} {:>12} {:>5} {:>12} {:>10} {:<10} {}\n", "layer", width,
               "op", "prec", "weights", "scale", "zero", "macs", "w bytes", "scheme", "fused");
    for (const json& l : plan["layers"]) {
      fmt::print("{:<{}} {:<14} {:<5} {:<17} {:>12.6g} {:>5} {:>12} {:>10} {:<10} {}\n",
                 l["name"].get<std::string>(), width, l["op"].get<std::string>(),
                 l["precision"].get<std::string>(), WeightsText(l), l["scale"].get<double>(),
                 l["zero_point"].get<int>(), l["macs"].get<uint64_t>(),
                 l["weight_bytes"].get<uint64_t>(), l["scheme"].get<std::string>(),
                 l["fused"].get<std::string>() + WhyText(plan, l));
    }
    fmt::print("{}", OffsetsText(plan["offsets"]));
    if (plan["transformed_bytes"] != 0) {
      fmt::print("* also transformed for Winograd's method; a level uses it where it is faster\n");
    }
  }
}

}  // namespace octet::cli
