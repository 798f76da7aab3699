#include <algorithm>
#include <memory>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "converter/cli/arguments.h"
#include "converter/cli/byte_inputs.h"
#include "converter/cli/commands.h"
#include "converter/cli/report_file.h"
#include "converter/cli/short_form.h"
#include "converter/convert/convert.h"
#include "converter/convert/import.h"
#include "converter/convert/warnings.h"
#include "converter/quantize/names.h"
#include "converter/support/error.h"

namespace octet::cli {
namespace {

constexpr int64_t kRowsShown = 20;

struct AnalyzeOptions {
  convert::ConvertOptions convert;
  std::string layer;  // pattern; empty: all
  int64_t pictures = kAnalyzedPictures;
  int64_t top = kRowsShown;  // rows of the table; 0: all
};

// Before the minutes that calibration takes.
void CheckLayer(const AnalyzeOptions& options) {
  const graph::Graph graph =
      convert::LoadGraph(options.convert.model, options.convert.import, nullptr);
  std::vector<std::string_view> names;
  for (const graph::Node& node : graph.nodes) names.push_back(node.name);
  quantize::RequireMatch(options.layer, names, "layer", "--layer");
}

// Rows of the table whose layers --layer names.
std::vector<size_t> ChosenLayers(const analyze::Analysis& analysis, const std::string& pattern) {
  std::vector<size_t> order = analyze::WorstFirst(analysis);
  if (pattern.empty()) return order;
  std::erase_if(order,
                [&](size_t i) { return !quantize::Matches(pattern, analysis.layers[i].name); });
  return order;
}

std::string FlagsOf(const analyze::LayerFigures& layer) {
  std::vector<const char*> flags;
  if (layer.FarWeights()) flags.push_back("weights");
  if (layer.Sensitive()) {
    flags.push_back("sensitive");
  } else if (layer.LowOverlap()) {
    flags.push_back("overlap");
  }
  return fmt::format("{}", fmt::join(flags, " "));
}

std::string WeightsOf(const analyze::LayerFigures& layer) {
  return layer.weights ? fmt::format("{:.3f}", layer.weights->kl) : "-";
}

void PrintTable(const analyze::Analysis& analysis, std::vector<size_t> order, int64_t top) {
  const auto rows = static_cast<int64_t>(order.size());
  const int64_t hidden = top > 0 ? std::max(int64_t{0}, rows - top) : 0;
  order.resize(static_cast<size_t>(rows - hidden));
  size_t widest = 5;
  for (const size_t i : order) widest = std::max(widest, analysis.layers[i].name.size());
  fmt::print("{:<{}} {:<14} {:<4} {:>7} {:>7} {:>8} {:>9} {:>9} {:>8} {:>8} {:>7} {:>7} {}\n",
             "layer", widest, "operator", "", "SNR dB", "cosine", "adds", "MSE", "noise", "clipped",
             "saturat.", "overlap", "KL", "flags");
  for (const size_t i : order) {
    const analyze::LayerFigures& layer = analysis.layers[i];
    const analyze::ActivationRecord& a = layer.activations;
    fmt::print(
        "{:<{}} {:<14} {:<4} {:>7.2f} {:>7.4f} {:>7.3f}% {:>9.3g} {:>9.3g} {:>7.3f}% {:>7.3f}% "
        "{:>7.3f} {:>7} {}\n",
        layer.name, widest, layer.op, layer.int8 ? "int8" : "fp16", a.SnrDb(), a.Cosine(),
        100 * layer.added, a.Mse(), a.NoiseSigma(), 100 * a.ClippedShare(),
        100 * a.SaturatedShare(), a.Overlap(), WeightsOf(layer), FlagsOf(layer));
  }
  if (hidden > 0) fmt::print("and {} more layers, which add less; --top 0 prints all\n", hidden);
  fmt::print("adds: error that the layer adds, in % of the energy of its own result\n");
}

// Bars of the two histograms.
void PrintHistogram(const analyze::LayerFigures& layer) {
  constexpr size_t kMostStars = 30;
  const analyze::Histogram exact = layer.activations.Exact(), int8 = layer.activations.Int8();
  uint64_t most = 1;
  for (size_t i = 0; i < analyze::kBins; ++i) most = std::max({most, exact[i], int8[i]});
  const auto bar = [&](uint64_t count) {
    return std::string(static_cast<size_t>(count * kMostStars / most), '*');
  };
  fmt::print("{:>12} {:<{}} {:<{}}\n", "codes", "FP32", kMostStars, "int8", kMostStars);
  for (size_t i = 0; i < analyze::kBins; ++i) {
    if (exact[i] == 0 && int8[i] == 0) continue;
    const int first = (static_cast<int>(i) - 1) * analyze::kCodesPerBin - analyze::kCodes / 2;
    const std::string codes =
        i == 0 ? "below"
        : i == analyze::kBins - 1
            ? "above"
            : fmt::format("{} to {}", first, first + analyze::kCodesPerBin - 1);
    fmt::print("{:>12} {:<{}} {:<{}}\n", codes, bar(exact[i]), kMostStars, bar(int8[i]),
               kMostStars);
  }
}

void PrintLayer(const analyze::LayerFigures& layer) {
  const quantize::TensorScheme& range = layer.activations.scheme();
  fmt::print("\n'{}' ({}), result '{}' {}\n", layer.name, layer.op, layer.tensor,
             graph::ToString(layer.shape));
  fmt::print("  range {:.4g} to {:.4g} ({}{}), seen {:.4g} to {:.4g}\n", range.min, range.max,
             range.origin.Text(),
             range.channels.empty() ? "" : fmt::format(", {} channels", range.channels.size()),
             layer.seen_min, layer.seen_max);
  fmt::print(
      "  mean -+ {} sigma {:.4g} to {:.4g}: {:.4f} % of the values are outside; the range is "
      "{:.2f} times as wide\n",
      analyze::kSigmas, layer.sigma_low, layer.sigma_high, 100 * layer.beyond_sigma,
      layer.range_ratio);
  fmt::print("  error: mean {:.3g}, sigma {:.3g}\n", layer.activations.ErrorMean(),
             layer.activations.NoiseSigma());
  if (layer.weights) {
    fmt::print(
        "  weights: {:.1f} dB above their rounding error; channel {} of {} has {:.1f} dB; KL "
        "{:.3f}\n",
        layer.weights->snr_db, layer.weights->worst_channel, layer.weights->channels,
        layer.weights->worst_db, layer.weights->kl);
  }
  if (!layer.cause.empty()) fmt::print("  why: {}\n", layer.cause);
  PrintHistogram(layer);
}

void PrintText(const AnalyzeOptions& options, const analyze::Analysis& analysis,
               const std::vector<size_t>& order) {
  for (const analyze::OutputFigures& output : analysis.outputs) {
    fmt::print("output '{}': energy over error {:.1f} dB, cosine {:.4f}, simulated\n", output.name,
               output.snr_db, output.cosine);
  }
  const analyze::Coverage& coverage = analysis.coverage;
  fmt::print(
      "scales: {} int8 tensors; {} have their own ({} by channel), {} share another's, {} have the "
      "model's, {} have none{}\n\n",
      coverage.Total(), coverage.own, coverage.by_channel, coverage.shared, coverage.given,
      coverage.missing.size(),
      coverage.missing.empty() ? "" : fmt::format(": '{}'", fmt::join(coverage.missing, "', '")));
  PrintTable(analysis, order, options.layer.empty() ? options.top : 0);
  if (!options.layer.empty()) {
    for (const size_t i : order) PrintLayer(analysis.layers[i]);
    return;
  }
  // Three, as the verdict of convert names.
  constexpr size_t kMostCauses = 3;
  size_t told = 0;
  for (const size_t i : order) {
    const analyze::LayerFigures& layer = analysis.layers[i];
    if (layer.cause.empty() || told == kMostCauses) break;
    fmt::print("{}'{}' ({}) adds {:.2f} % of noise: {}\n", told++ == 0 ? "\n" : "", layer.name,
               layer.op, 100 * layer.added, layer.cause);
  }
}

int Run(const AnalyzeOptions& options) {
  const std::string& file = options.convert.report;
  if (!file.empty()) CheckReport(file, {options.convert.model});
  if (!options.layer.empty()) CheckLayer(options);
  const convert::Conversion conversion = convert::Convert(options.convert);
  for (const std::string& warning : conversion.scheme.warnings) convert::PrintWarning(warning);
  const analyze::Analysis analysis =
      AnalyzeConversion(options.convert, conversion, options.pictures);
  const std::vector<size_t> order = ChosenLayers(analysis, options.layer);
  if (!file.empty()) SaveReport(file, ReportOf(options.convert, conversion, analysis));
  if (!options.convert.json) {
    PrintText(options, analysis, order);
    return kDone;
  }
  analyze::Analysis chosen = analysis;
  chosen.layers.clear();
  for (const size_t i : order) chosen.layers.push_back(analysis.layers[i]);
  nlohmann::json document = report::ToJson(chosen);
  document["samples"] = conversion.samples;
  document["warnings"] = conversion.scheme.warnings;
  fmt::print("{}\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return kDone;
}

}  // namespace

void AddAnalyze(port::CommandLine& app, std::function<int()>* run) {
  port::Options command = app.AddCommand("analyze",
                                         "show the loss of each layer in the int8 plan, and its "
                                         "cause; writes only the file of --report");
  auto options = std::make_shared<AnalyzeOptions>();
  convert::ConvertOptions& convert = options->convert;
  auto plan = std::make_shared<PlanArguments>(&convert);
  auto pictures = std::make_shared<std::string>();
  command.Add("MODEL", convert.model, "the ONNX file").Required();
  command.Add(
      "PICTURES", *pictures,
      "short for --data PICTURES. The command then reads pixel scale, resize, task, decoder "
      "and labels from the model, as octet convert MODEL PICTURES does");
  command.Add("--data,--calibrate", plan->calibration,
              "pictures for calibration and comparison, as --calibrate of octet convert");
  command.Add("--layer", options->layer,
              "only this layer (* matches any characters), with ranges and histogram");
  command.Add("--top", options->top, "rows of the table; 0: all. --json always has all")
      .Range(int64_t{0}, int64_t{1} << 31)
      .ShowDefault();
  command
      .Add("--pictures", options->pictures,
           "simulate at most this many samples; none of them was used for corrections")
      .Range(int64_t{1}, int64_t{1} << 31)
      .ShowDefault();
  plan->input.AddTo(command);
  plan->AddCutAt(command);
  const port::Option task_option = plan->AddTask(command);
  plan->AddDecode(command);
  plan->input.AddKeyPointsTo(command);
  command.Add("--labels", convert.labels, "class names, for the report's pictures");
  plan->input.AddBlankTo(command);
  plan->AddBoard(command);
  plan->AddCache(command);
  plan->AddConfig(command);
  plan->AddInt8Everywhere(command);
  plan->AddSamples(command);
  plan->AddSeed(command);
  plan->AddThreads(command);
  plan->AddEffort(command);
  plan->AddMemory(command);
  command.Add("--report", convert.report, kReportHelp);
  command.AddFlag("--json", convert.json, "print the figures as JSON");
  command.Footer(fmt::format(
      "Layers are sorted: most added noise first. adds: noise (error energy / signal energy) "
      "behind the layer minus that of its worst input, in % of the layer's own energy. noise: "
      "standard deviation of the error. "
      "clipped: FP32 values outside the codes' range. saturated: int8 values at its ends. overlap: "
      "of the two histograms of the result. KL: divergence of the weights. Flags: weights (KL "
      "above {}), overlap (below {}), sensitive (below {}). Definitions: docs/analyze.md.",
      analyze::kFarWeights, analyze::kLowOverlap, analyze::kSensitiveOverlap));
  command.WhenChosen([=] {
    *run = [=] {
      convert::ConvertOptions& chosen = options->convert;
      plan->Read();
      chosen.analyze = true;
      chosen.judge = !chosen.report.empty();
      if (!pictures->empty()) {
        const recognise::GivenOptions given{plan->input.GivesPixels(), !plan->input.resize.empty(),
                                            task_option.Given(), !chosen.decode.empty(),
                                            !chosen.labels.empty()};
        for (const auto& line : Complete(ShortCommand::kAnalyze, *pictures, given, &chosen)) {
          fmt::print(chosen.json ? stderr : stdout, "{}\n", line);
        }
        std::fflush(stdout);
      } else if (plan->calibration.empty()) {
        Fail("pictures are required; give --data PICTURES, or octet analyze MODEL PICTURES");
      } else {
        TakeBytes(plan->input.GivesPixels(), &chosen);
      }
      return Run(*options);
    };
  });
}

}  // namespace octet::cli
