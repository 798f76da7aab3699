#include "converter/convert/prepare.h"

#include <filesystem>
#include <utility>

#include "converter/boards/board.h"
#include "converter/calibrate/calibrate.h"
#include "converter/convert/assign.h"
#include "converter/convert/calibration_data.h"
#include "converter/convert/in_model.h"
#include "converter/convert/model_info.h"
#include "converter/lower/lower.h"
#include "converter/passes/equalize.h"
#include "converter/quantize/weight_schemes.h"
#include "converter/support/error.h"
#include "converter/support/file.h"

namespace octet::convert {
namespace {

boards::Board ReadBoard(const std::string& word) {
  if (word.empty()) return {};
  RefuseFolder(word);
  const std::string path = boards::FindBoard(word);
  boards::Board board = boards::ReadBoard(path, boards::Missing::kAllowed);
  for (const char* precision : {"int8", "fp16"}) {
    if (boards::Allows(board.precisions, precision)) continue;
    Fail("{}: whitelist: precisions lacks {}, and a blob holds an int8 and an fp16 plan; add {}",
         path, precision, precision);
  }
  return board;
}

std::unique_ptr<assign::Clock> CostModel(const boards::Board& board) {
  if (board.file.empty()) return assign::DefaultClock();
  // Else a list of what is allowed, and no more.
  return board.is_whole ? assign::FindModelClock(board) : nullptr;
}

// Where layers share weight scales or gain much by it, or everywhere or nowhere as the
// configuration says.
int Equalize(const quantize::Config& config, graph::Graph* graph) {
  quantize::Scheme scheme;
  quantize::ChooseWeightSchemes(*graph, config, &scheme);
  const auto wants = [&](size_t node) {
    return config.equalization.value_or(scheme.weight_schemes[node] !=
                                        quantize::WeightScheme::kPerChannel);
  };
  return passes::EqualizeLayers(*graph, wants, !config.equalization.has_value());
}

// The configuration's file under the options and what the board allows.
quantize::Config Restrict(quantize::Config config, const ConvertOptions& options,
                          const boards::Board& board) {
  config.symmetric_only |= !boards::Allows(board.activation_schemes, "asymmetric");
  // Without a list groups have to be asked for.
  config.allowed_weights = {
      boards::Allows(board.weight_schemes, "per_channel"),
      !board.weight_schemes.empty() && boards::Allows(board.weight_schemes, "group")};
  // Factors of channels tell scales of activations and of weights apart no more than the board
  // does.
  config.channel_scales &= config.allowed_weights.per_channel;
  config.int8_everywhere |= options.int8_everywhere;
  return config;
}

write::ModelInfo ReadInfo(const graph::Graph& graph, const ConvertOptions& options,
                          const boards::Board& board) {
  write::ModelInfo info = InfoOf(graph, options);
  info.board = board.compatible;
  info.security_counter = options.security_counter;
  info.section_alignment = options.section_align;
  info.random_ranges = options.random_calibration;
  return info;
}

}  // namespace

void CheckPlans(const graph::Graph& graph, quantize::Config config) {
  std::vector<std::optional<calibrate::Statistics>> statistics(graph.values.size());
  for (size_t id = 0; id < graph.values.size(); ++id) {
    const graph::Value& value = graph.values[id];
    if (value.type != graph::DataType::kFloat || value.constant != nullptr) continue;
    calibrate::Statistics& seen = statistics[id].emplace();
    seen.min = seen.histogram_min = -1;
    seen.max = seen.histogram_max = 1;
    seen.histogram = {1, 1};
    seen.count = 2;
  }
  config.method = calibrate::Method::kMinMax;
  config.channel_scales = false;
  std::vector<quantize::Scheme> schemes(2, quantize::AssignScheme(graph, statistics, config));
  schemes[1].precision.assign(graph.nodes.size(), blob::Precision::kFp16);
  lower::CheckLowers(graph, schemes);
}

Prepared Prepare(const Passed& from) {
  const ConvertOptions& options = from.from.options;
  Prepared prepared{from, from.graph, 0, {}, {}, {}, {}, {}, nullptr, nullptr};
  if (!options.config.empty()) prepared.config = quantize::ReadConfig(options.config);
  const boards::Board board = ReadBoard(options.board);
  prepared.wishes = {board.winograd || options.winograd, false, false};
  // One of the options comes before what the board's file says.
  const bool board_decides = !options.native_fp16 && !options.winograd_fp16;
  prepared.whole_fp16 = {
      prepared.wishes.winograd,
      options.native_fp16 || (board_decides && board.fp16_arithmetic == "native"),
      options.winograd_fp16 || (board_decides && board.fp16_arithmetic == "winograd")};
  prepared.config = Restrict(std::move(prepared.config), options, board);
  InModel(options.model, [&] {
    prepared.equalized = Equalize(prepared.config, &prepared.graph);
    CheckPlans(prepared.graph, prepared.config);
  });
  prepared.info = ReadInfo(prepared.graph, options, board);
  if (options.mixed) prepared.mixed_clock = MixedClock(*options.mixed, options.board);
  prepared.clock = CostModel(board);
  const uint32_t plan_count = options.mixed ? 3 : 2;  // int8, mixed and fp16
  prepared.asked = {options.model, board, plan_count, options.seed, options.preprocess};
  for (const auto& section : options.sections) section->Check(prepared.asked);
  CheckSampleOptions(options, prepared.info);
  if (!prepared.graph.states.empty() && (options.select != 0 || !options.sample_labels.empty())) {
    Fail("{}: the model has states, so its samples are a sequence; remove {}", options.model,
         options.select != 0 ? "--select" : "--sample-labels");
  }
  return prepared;
}

}  // namespace octet::convert
