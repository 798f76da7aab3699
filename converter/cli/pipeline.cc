#include "converter/cli/pipeline.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fmt/ranges.h>

#include "converter/calibrate/calibrate.h"
#include "converter/calibrate/stand_ins.h"
#include "converter/cli/blob_checks.h"
#include "converter/cli/calibration_checks.h"
#include "converter/cli/calibration_data.h"
#include "converter/cli/constant_parts.h"
#include "converter/cli/decode_ports.h"
#include "converter/cli/finite_data.h"
#include "converter/cli/golden.h"
#include "converter/cli/golden_inputs.h"
#include "converter/cli/guard_section.h"
#include "converter/cli/judging.h"
#include "converter/cli/make_plan.h"
#include "converter/cli/mixed_plan.h"
#include "converter/cli/model_info.h"
#include "converter/cli/probes.h"
#include "converter/cli/progress.h"
#include "converter/cli/recovery.h"
#include "converter/cli/task_judge.h"
#include "converter/cli/warnings.h"
#include "converter/decode/spec.h"
#include "converter/import/import.h"
#include "converter/lower/lower.h"
#include "converter/operators/operator.h"
#include "converter/passes/equalize.h"
#include "converter/quantize/weight_schemes.h"
#include "converter/support/error.h"
#include "converter/support/file.h"
#include "octet/octet.h"
#include "runtime/format/guard_record.h"
#include "runtime/format/view.h"

namespace octet::cli {
namespace {

// What `f` returns; its UserErrors begin with the path of the model.
template <typename F>
auto InModel(const std::string& path, F&& f) {
  try {
    return f();
  } catch (const UserError& error) {
    const std::string line = error.what();
    if (line.rfind(path, 0) == 0) throw;
    Fail("{}: {}", path, line);
  }
}

quantize::Board ReadBoard(const std::string& path) {
  if (path.empty()) return {};
  RefuseFolder(path);
  if (!std::filesystem::is_regular_file(path)) {
    Fail(
        "{}: no such file; --board takes a YAML file, such as those in the folder "
        "boards: " OCTET_BOARDS,
        path);
  }
  return quantize::ReadBoard(path);
}

// Of the board's cores; null where nobody knows what FP16 costs there. Never of profiles: they are
// of an int8 plan that must not change by them.
std::unique_ptr<assign::Clock> CostModel(const std::string& board) {
  if (board.empty()) return assign::DefaultClock();
  try {
    return assign::FindModelClock(boards::ReadBoard(board));
  } catch (const UserError&) {  // a list of what is allowed, and no more
    return nullptr;
  }
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

// Both plans with dummy ranges: what cannot run shows in shapes and constants.
void CheckPlans(const graph::Graph& graph, quantize::Config config) {
  Statistics statistics(graph.values.size());
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

// Of a conversion, in order (progress.h). recovery: those of Recover.
std::vector<std::string> StagesOf(const ConvertOptions& options,
                                  const std::vector<std::string>& recovery) {
  std::vector<std::string> stages;
  if (!options.sample_labels.empty()) stages.emplace_back("comparing with labels");
  if (options.select != 0) stages.emplace_back("selecting");
  stages.emplace_back("calibrating");
  stages.insert(stages.end(), recovery.begin(), recovery.end());
  if (options.mixed) {
    stages.emplace_back("measuring layers");
    stages.emplace_back("judging assignments");
  }
  if (options.analyze) stages.emplace_back("analyzing");
  if (options.judge) stages.emplace_back("judging");
  return stages;
}

}  // namespace

int ThreadCount(int requested) {
  return requested > 0 ? requested
                       : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

bool IsImageInput(const graph::Shape& shape, bool* channels_last) {
  *channels_last = false;
  // A batch of pictures is no picture: each is a frame of its own.
  if (shape.size() != 4 || shape[0] != 1) return false;
  // Nor is a signal, however it is shaped.
  if (*std::max_element(shape.begin(), shape.end()) > int64_t{kMaxPictureSize}) return false;
  if (shape[1] == 1 || shape[1] == 3) return true;
  *channels_last = shape[3] == 1 || shape[3] == 3;
  return *channels_last;
}

std::vector<std::unique_ptr<images::Dataset>> OpenInputs(const graph::Graph& graph,
                                                         const std::vector<std::string>& paths,
                                                         const images::Preprocess& preprocess,
                                                         std::vector<std::string>* warnings) {
  if (paths.size() != graph.inputs.size()) {
    Fail(
        "the model has {} inputs, but {} data sets are given; give one path per input, joined by "
        "commas",
        graph.inputs.size(), paths.size());
  }
  std::vector<std::unique_ptr<images::Dataset>> datasets;
  const calibrate::StandIns stand_ins(graph);
  for (size_t i = 0; i < paths.size(); ++i) {
    const graph::Shape& shape = *graph.At(graph.inputs[i]).shape;
    bool channels_last = false;
    images::Preprocess own = preprocess;
    own.is_image = IsImageInput(shape, &channels_last);
    datasets.push_back(images::OpenDataset(paths[i], shape, own, channels_last));
    if (!stand_ins.IsCandidate(graph.inputs[i])) {
      datasets.back() = RequireFinite(std::move(datasets.back()), paths[i]);
    }
    if (own.is_image) WarnOfColour(shape, channels_last, *datasets[i], paths[i], warnings);
    if (datasets[i]->size() != datasets[0]->size()) {
      Fail("{} has {} samples, {} has {}; give the same number for every input", paths[0],
           datasets[0]->size(), paths[i], datasets[i]->size());
    }
  }
  return datasets;
}

graph::Graph ImportGraph(const std::string& model, const import::ImportOptions& options) {
  return InModel(model, [&] {
    graph::Graph graph = import::ImportOnnx(model, options);
    import::CheckOperators(graph);
    import::CheckInputs(graph);
    operators::InferShapes(graph);
    return graph;
  });
}

graph::Graph LoadGraph(const std::string& model, const import::ImportOptions& options,
                       passes::PassReport* report) {
  graph::Graph graph = ImportGraph(model, options);
  InModel(model, [&] { passes::Canonicalise(graph, report); });
  return graph;
}

Conversion Convert(const ConvertOptions& options) {
  Conversion result;
  const graph::Graph imported = ImportGraph(options.model, options.import);
  result.graph = imported;
  InModel(options.model, [&] { passes::Canonicalise(result.graph, &result.passes); });
  const graph::Graph& graph = result.graph;
  InModel(options.model, [&graph] { lower::CheckLowerable(graph); });
  quantize::Config config;
  if (!options.config.empty()) config = quantize::ReadConfig(options.config);
  const quantize::Board board = ReadBoard(options.board);
  const Wishes wishes = {board.winograd || options.winograd, false, false};
  // One of the options comes before what the board's file says.
  const bool board_decides = !options.native_fp16 && !options.winograd_fp16;
  const Wishes whole_fp16 = {wishes.winograd,
                             options.native_fp16 || (board_decides && board.native_fp16),
                             options.winograd_fp16 || (board_decides && board.winograd_fp16)};
  config.symmetric_only |= board.symmetric_only;
  config.allowed_weights = board.weights;
  // Factors of channels tell scales of activations and of weights apart no more than the board
  // does.
  config.channel_scales &= board.weights.per_channel;
  config.int8_everywhere |= options.int8_everywhere;

  InModel(options.model, [&] { result.equalized = Equalize(config, &result.graph); });
  // Before the minutes that calibration takes: whatever can be refused.
  InModel(options.model, [&] { CheckPlans(graph, config); });
  write::ModelInfo info = InfoOf(graph, options);
  info.board = board.compatible;
  info.security_counter = options.security_counter;
  info.section_alignment = options.section_align;
  const uint32_t plan_count = options.mixed ? 3 : 2;  // int8, mixed and fp16
  const auto mixed_clock = options.mixed ? MixedClock(*options.mixed, options.board) : nullptr;
  const auto clock = CostModel(options.board);
  info.guard = GuardSection(options.board, plan_count);
  CheckSampleOptions(options, info);
  PlanStages(StagesOf(options, RecoveryStages(graph, config, clock.get(), options.effort)));
  Warnings warnings = graph.notes;
  result.inputs = options.golden_calibration
                      ? GoldenInputs(options.calibration[0], graph, options.preprocess)
                      : OpenInputs(graph, options.calibration, options.preprocess, &warnings);
  if (!options.golden_calibration) {
    CheckCalibration(result.inputs, options.calibration, options.preprocess, &warnings);
  }
  const int64_t given = result.inputs.empty() ? 1 : result.inputs[0]->size();
  result.choice = ChooseSamples(graph, options, info, &result.inputs);
  const auto& inputs = result.inputs;
  std::vector<const images::Dataset*> datasets;
  datasets.reserve(inputs.size());
  for (const auto& input : inputs) datasets.push_back(input.get());
  if (TakeConstantParts(datasets, options, &result.graph) > 0) {
    InModel(options.model, [&] { CheckPlans(graph, config); });
  }
  result.statistics = Calibrate(graph, datasets, options);
  const Statistics& statistics = result.statistics;
  result.samples = std::min<int64_t>(options.samples, datasets.empty() ? 0 : datasets[0]->size());

  simulate::Options judging;
  judging.threads = ThreadCount(options.threads);
  judging.memory_bytes = options.memory_bytes;
  std::optional<TaskJudge> judge;
  // Without a decoder (boxes need --decode) outputs are numbers, as verify takes them.
  if (!info.decode.empty()) judging.judge = &judge.emplace(info, datasets);
  const simulate::Simulator simulator(graph, datasets, judging);
  result.sets = simulate::SplitSamples(result.samples, RecoverySamples(options.effort));
  const simulate::Samples& samples = result.sets;

  const assign::ArenaOf arena_of = [&](const quantize::Scheme& scheme) -> std::optional<int64_t> {
    try {
      std::string beyond;
      const write::Plan plan = MakePlan(graph, scheme, statistics, "int8", {}, &beyond);
      if (!beyond.empty()) return std::nullopt;
      return static_cast<int64_t>(plan.memory.arena_bytes);
    } catch (const UserError&) {  // it cannot be lowered
      return std::nullopt;
    }
  };
  // Scheme and int8 plan; returns what FP16 cannot hold of its FP16 layers.
  const auto make_int8 = [&](const quantize::Config& how) {
    Recovered recovered = Recover(simulator, samples, result.samples, statistics, how, clock.get(),
                                  arena_of, options.effort);
    result.scheme = std::move(recovered.scheme);
    result.config = std::move(recovered.config);
    result.stretches = std::move(recovered.stretches);
    result.verdict.notes = std::move(recovered.notes);
    result.steps = std::move(recovered.steps);
    std::string beyond;
    result.plans.clear();
    result.plans.push_back(MakePlan(graph, result.scheme, statistics, "int8", wishes, &beyond));
    if (beyond.empty()) {
      warnings.insert(warnings.end(), recovered.warnings.begin(), recovered.warnings.end());
    }
    return beyond;
  };
  // The int8 plan keeps its name where single layers stay FP16; `octet inspect` shows which.
  InModel(options.model, [&] {
    const std::string beyond = make_int8(config);
    if (beyond.empty()) return;
    quantize::Config all_int8 = config;
    all_int8.overflow = beyond + ", more than FP16 holds (65504)";
    // Where something of it is left, a layer that only FP16 can run, or has to.
    if (!make_int8(all_int8).empty()) {
      Fail(
          "{}; the int8 plan runs it in FP16, whose largest number is 65504; scale down the "
          "model's numbers",
          beyond);
    }
    warnings.push_back(
        fmt::format("{}: the int8 plan runs all layers that can in int8, with less accuracy",
                    result.config.overflow));
  });
  quantize::Scheme fp16 = result.scheme;
  fp16.precision.assign(graph.nodes.size(), blob::Precision::kFp16);
  InModel(options.model, [&] {
    std::string beyond;
    write::Plan plan = MakePlan(graph, fp16, statistics, "fp16", whole_fp16, &beyond);
    if (beyond.empty()) {
      result.plans.push_back(std::move(plan));
    } else {
      warnings.push_back(
          fmt::format("no FP16 plan: {}, above FP16's largest number 65504, and an operator there "
                      "allows no scaling; the blob has the int8 plan only",
                      beyond));
    }
  });
  if (options.mixed) {
    InModel(options.model, [&] {
      result.assignment = AssignMixed(simulator, samples, statistics, result.config, result.scheme,
                                      *mixed_clock, *options.mixed);
      std::string beyond;
      if (result.assignment->fp16.empty()) {
        warnings.push_back("no mixed plan: no layer gains enough in FP16");
        return;
      }
      write::Plan plan =
          MakePlan(graph, result.assignment->scheme, statistics, "mixed", wishes, &beyond);
      if (beyond.empty()) {
        result.plans.insert(result.plans.begin() + 1, std::move(plan));
      } else {
        warnings.push_back(
            fmt::format("no mixed plan: {}, above FP16's largest number 65504; the int8 plan runs "
                        "this layer in int8",
                        beyond));
      }
    });
  }
  JudgePlans({imported, options, info, simulator, given, wishes}, &result, &warnings);
  if (result.plans.empty()) {
    result.scheme.warnings.insert(result.scheme.warnings.end(), warnings.begin(), warnings.end());
    return result;
  }
  const bool has_int8 = result.plans[0].program.name == "int8";
  if (!has_int8 && (options.drift || options.temporal.kind != TemporalKind::kNone)) {
    Fail("{}: {} needs the int8 plan, which fails; remove the option, or add --keep-failing",
         options.model, options.drift ? "--drift" : "--temporal");
  }
  WarnOfCalibration(graph, inputs, options, result.samples, &warnings);
  WarnOfRange(graph, statistics, inputs, options, &warnings);
  WarnOfBoxes(graph, statistics, info, options.decode, &warnings);
  WarnOfScores(graph.outputs, statistics, info, options.decode, &warnings);
  WarnOfMeaning(info, options.labels, &warnings);
  result.scheme.warnings.insert(result.scheme.warnings.end(), warnings.begin(), warnings.end());
  if (options.drift) {
    if (result.plans.back().program.name != "fp16") {
      Fail("{}: --drift needs an FP16 plan to check ranges, and this blob has none; remove --drift",
           options.model);
    }
    info.drift =
        drift::MakeSection(graph, statistics, result.plans[0].program, result.plans.back().program,
                           static_cast<uint32_t>(result.plans.size() - 1), &result.drift.emplace());
    if (info.drift.empty()) {
      Fail("{}: --drift: no tensor of the int8 plan can change its scale; remove --drift",
           options.model);
    }
  }
  info.probes = ChooseProbes(graph, statistics, result.plans);
  bool channels_last = false;
  if (graph.inputs.size() == 1 && IsImageInput(*graph.At(graph.inputs[0]).shape, &channels_last)) {
    if (auto input = ProbeInput(graph, statistics, result.plans, options.preprocess)) {
      if (info.probes.size() == blob::kMostProbes) info.probes.pop_back();
      info.probes.insert(info.probes.begin(), *input);
    }
  }
  if (options.temporal.kind != TemporalKind::kNone) {
    result.temporal =
        ChooseTemporal(graph, recover::MeasureNoise(simulator, result.scheme, samples.report),
                       result.plans, options.temporal);
    info.temporal = result.temporal->section;
  }
  result.blob = write::WriteBlob(info, result.plans);
  VerifyBlob(result.blob);
  if (options.golden != 0) {
    result.golden = AddGolden(datasets, options.golden, options.seed, &result.blob);
    VerifyBlob(result.blob);
  }
  CheckWhitelist(result.blob, board, options.model);
  return result;
}

}  // namespace octet::cli
