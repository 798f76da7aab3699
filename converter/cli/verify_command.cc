// octet verify: the FP32 model against the plans of its blob, sample by sample.
#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include <nlohmann/json.hpp>

#include "converter/cli/against_ort.h"
#include "converter/cli/agreement.h"
#include "converter/cli/arguments.h"
#include "converter/cli/blob_file.h"
#include "converter/cli/blob_session.h"
#include "converter/cli/commands.h"
#include "converter/cli/pipeline.h"
#include "converter/cli/progress.h"
#include "converter/cli/same_model.h"
#include "converter/cli/score.h"
#include "converter/executor/executor.h"
#include "converter/export/model_edit.h"
#include "converter/support/error.h"
#include "octet/octet.h"
#include "ports/linux/cpu.h"
#include "runtime/format/view.h"

namespace octet::cli {
namespace {

struct VerifyOptions {
  std::string model, blob, data, labels;
  std::string isa;      // empty: the machine's best
  std::string against;  // empty: this program's own FP32
  int64_t samples = 0;  // 0: all
  int threads = 0;
  bool json = false;
};

struct SampleResult {
  std::vector<std::vector<Agreement>> plans;  // [plan][output]
  std::vector<AnswerAgreement> judged;        // [plan], where the blob has a decoder
  std::vector<Answer> answers;                // of FP32, then of each plan; where there are labels
};

// As the names of plans say it.
const Limits& LimitsOf(const std::string& plan) {
  return plan == "fp16" ? kFp16Limits : kInt8Limits;
}

// FP32 outputs of sample i for these inputs.
using Expected =
    std::function<std::vector<graph::Tensor>(const std::vector<graph::Tensor>& inputs, int64_t i)>;

SampleResult RunSample(const Expected& fp32, const BlobSession& session, const Datasets& data,
                       int64_t i, const Decoder* decoder, bool keep_answers) {
  std::vector<graph::Tensor> inputs;
  inputs.reserve(data.size());
  for (const auto& dataset : data) inputs.push_back(dataset->Load(i));
  const std::vector<graph::Tensor> expected = fp32(inputs, i);
  SampleResult result;
  const images::PictureSize picture =
      decoder == nullptr ? images::PictureSize() : data[0]->Picture(i);
  const auto answer = [&](const auto& floats_of) {
    std::vector<const float*> outputs;
    for (size_t o = 0; o < expected.size(); ++o) outputs.push_back(floats_of(o));
    result.answers.push_back(decoder->Decode(outputs, picture));
  };
  if (decoder != nullptr) answer([&](size_t o) { return expected[o].floats.data(); });
  for (uint32_t plan = 0; plan < octet_plan_count(session.get()); ++plan) {
    BlobSession::Check(octet_set_plan(session.get(), plan));
    for (size_t k = 0; k < inputs.size(); ++k) {
      BlobSession::Check(octet_set_input_f32(session.get(), static_cast<uint32_t>(k),
                                             inputs[k].floats.data(), inputs[k].floats.size()));
    }
    BlobSession::Check(octet_run(session.get()));
    result.plans.emplace_back();
    std::vector<std::vector<float>> actual;
    for (size_t o = 0; o < expected.size(); ++o) {
      actual.emplace_back(expected[o].floats.size());
      BlobSession::Check(octet_get_output(session.get(), static_cast<uint32_t>(o), actual[o].data(),
                                          actual[o].size()));
      result.plans.back().emplace_back().Add(expected[o].floats, actual[o]);
    }
    if (decoder == nullptr) continue;
    answer([&](size_t o) { return actual[o].data(); });
    result.judged.emplace_back().Add(decoder->task(), result.answers[0], result.answers.back());
  }
  if (!keep_answers) result.answers.clear();
  return result;
}

const char* JudgeOf(blob::Task task) {
  if (task == blob::Task::kClassify) return "same_top1";
  return task == blob::Task::kDetect ? "f1" : "mask_iou";
}

void AddAnswers(blob::Task task, const AnswerAgreement& judged, nlohmann::json* row) {
  if (task == blob::Task::kClassify) (*row)["same_top1"] = judged.Top1();
  if (task == blob::Task::kSegment) (*row)["mask_iou"] = judged.MeanIou();
  if (task != blob::Task::kDetect) return;
  (*row)["boxes"] = judged.boxes;
  (*row)["boxes_found"] = judged.found;
  (*row)["plan_boxes"] = judged.plan_boxes;
  (*row)["plan_boxes_found"] = judged.plan_found;
  (*row)["f1"] = judged.F1();
}

void PrintRow(const nlohmann::json& row, const std::string& metric) {
  fmt::print(
      "{:<8} {:<24} SNR {:6.2f} dB  cosine {:.4f}  largest difference {:.4g} of range {:.4g}",
      row["plan"].get<std::string>(), row["output"].get<std::string>(), row["snr_db"].get<double>(),
      row["cosine"].get<double>(), row["largest_difference"].get<double>(),
      row["range"].get<double>());
  if (row.contains("same_top1")) {
    fmt::print("  same top-1 {:.2f} %", row["same_top1"].get<double>());
  }
  if (row.contains("mask_iou")) fmt::print("  masks IoU {:.2f} %", row["mask_iou"].get<double>());
  if (row.contains("f1")) {
    fmt::print("  finds {} of FP32's {} sure boxes, is sure of {}, {} of them FP32's, F1 {:.2f} %",
               row["boxes_found"].get<int64_t>(), row["boxes"].get<int64_t>(),
               row["plan_boxes"].get<int64_t>(), row["plan_boxes_found"].get<int64_t>(),
               row["f1"].get<double>());
  }
  if (row.contains(metric)) fmt::print("  {} {:.2f} %", metric, row[metric].get<double>());
  fmt::print("  {}\n", row["agrees"].get<bool>() ? "agrees" : "differs");
}

std::vector<graph::Tensor> LoadOutputs(const ort::Results& results, const graph::Graph& graph,
                                       int64_t sample) {
  std::vector<graph::Tensor> outputs;
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    outputs.push_back(
        graph::Tensor::Floats(*graph.At(graph.outputs[o]).shape, results.Load(sample, o)));
  }
  return outputs;
}

// Returns whether all agree. Of a model that is quantized itself they are told, not judged: a value
// half way between two codes is rounded either way.
bool AddLayers(const std::vector<LayerAgreement>& layers, bool quantized,
               const ort::Results& results, nlohmann::json* report) {
  (*report)["against"] = "ONNX Runtime " + results.version();
  (*report)["fp32_judged"] = !quantized;
  (*report)["fp32_layers"] = nlohmann::json::array();
  bool agrees = true;
  for (const LayerAgreement& layer : layers) {
    agrees &= quantized || layer.picked || layer.Agrees();
    (*report)["fp32_layers"].push_back({{"value", layer.value},
                                        {"op", layer.op},
                                        {"node", layer.node},
                                        {"snr_db", layer.numbers.SnrDb()},
                                        {"largest_difference", layer.numbers.largest},
                                        {"range", layer.Span()},
                                        {"picked", layer.picked},
                                        {"agrees", layer.Agrees()}});
  }
  return agrees;
}

// Those that differ, the first of which is where to look; and how near the others are.
void PrintLayers(const nlohmann::json& report) {
  constexpr size_t kMostShown = 10;
  const auto& layers = report["fp32_layers"];
  const bool judged = report["fp32_judged"];
  size_t differing = 0;
  double worst = 0;
  std::string where;
  for (const auto& layer : layers) {
    if (!layer["agrees"].get<bool>()) {
      if (differing++ >= kMostShown || !judged) continue;
      const bool picked = layer["picked"];
      fmt::print("fp32     {:<24} {} '{}': largest difference {:.4g} of range {:.4g}  {}\n",
                 layer["value"].get<std::string>(), layer["op"].get<std::string>(),
                 layer["node"].get<std::string>(), layer["largest_difference"].get<double>(),
                 layer["range"].get<double>(),
                 picked ? "not judged, for computed indices pick it" : "differs");
      continue;
    }
    const double range = layer["range"].get<double>();
    const double share = range > 0 ? layer["largest_difference"].get<double>() / range : 0;
    if (share < worst) continue;
    worst = share;
    where = layer["value"];
  }
  fmt::print(
      "FP32 here and in {}: {} of {} values within {} of their range{}\n",
      report["against"].get<std::string>(), layers.size() - differing, layers.size(), kFp32Share,
      !judged         ? "; not judged, for the model rounds to codes itself"
      : where.empty() ? ""
                      : fmt::format(", the farthest of them by {:.1e} of it ('{}')", worst, where));
}

int Run(const VerifyOptions& options, const InputArguments& input) {
  const port::CpuWord cpu = port::DetectCpu();
  octet_isa isa = port::BestIsa(cpu);
  if (!options.isa.empty() && (octet_isa_from_name(options.isa.c_str(), &isa).code != OCTET_OK ||
                               !port::CanRun(cpu, isa))) {
    Fail(
        "--isa {}: not in this build or on this machine; octet-run --isa list names those that are",
        options.isa);
  }
  if (!options.against.empty()) ort::FindFolder();  // before any work
  const BlobFile blob(options.blob);
  const graph::Graph graph = LoadModelOf(blob, options.blob, options.model, input.Import());
  const BlobView view = ViewOf(blob);
  std::vector<std::string> warnings;
  const auto data =
      OpenInputs(graph, SplitCommas(options.data), input.Preprocess(PreprocessOf(blob)), &warnings);
  for (const std::string& warning : warnings) fmt::print(stderr, "octet: warning: {}\n", warning);
  const Decoder decoder(view);
  int64_t count = data[0]->size();
  if (options.samples > 0) count = std::min(count, options.samples);
  const bool decodes = view.decode.data != nullptr;
  std::optional<Truth> truth;
  if (!options.labels.empty()) truth.emplace(decoder, options.labels, count);
  const int threads = ThreadCount(options.threads);
  std::vector<std::unique_ptr<executor::Executor>> executors;
  std::vector<std::unique_ptr<BlobSession>> sessions;
  for (int t = 0; t < threads; ++t) {
    executors.push_back(std::make_unique<executor::Executor>(graph));
    sessions.push_back(std::make_unique<BlobSession>(blob, isa));
  }
  const bool against_ort = !options.against.empty();
  std::optional<ort::Results> theirs;
  if (against_ort) theirs = OutputsOfOrt(options.model, graph, data, count, threads);
  std::vector<SampleResult> results(static_cast<size_t>(count));
  Progress progress("verifying");
  std::mutex mutex;
  int64_t done = 0;
  executor::ParallelFor(count, threads, [&](int thread, int64_t i) {
    const auto fp32 = [&](const std::vector<graph::Tensor>& inputs, int64_t sample) {
      return theirs ? LoadOutputs(*theirs, graph, sample)
                    : executors[static_cast<size_t>(thread)]->Run(inputs);
    };
    results[static_cast<size_t>(i)] =
        RunSample(fp32, *sessions[static_cast<size_t>(thread)], data, i,
                  truth || decodes ? &decoder : nullptr, truth.has_value());
    const std::lock_guard lock(mutex);
    progress.Show(++done, count);
  });
  progress.Finish();
  // Merged in the order of the samples, so that sums do not depend on the threads.
  SampleResult total = results[0];
  for (size_t i = 1; i < results.size(); ++i) {
    for (size_t p = 0; p < total.plans.size(); ++p) {
      for (size_t o = 0; o < total.plans[p].size(); ++o)
        total.plans[p][o].Merge(results[i].plans[p][o]);
    }
    for (size_t p = 0; p < total.judged.size(); ++p) total.judged[p].Merge(results[i].judged[p]);
  }
  nlohmann::json report{{"samples", count}, {"isa", octet_isa_name(isa)}};
  const auto score = [&](size_t contestant) {
    std::vector<const Answer*> answers;
    answers.reserve(results.size());
    for (const SampleResult& result : results) answers.push_back(&result.answers[contestant]);
    return truth->Score(answers);
  };
  const std::string metric = truth ? truth->metric() : "";
  if (truth) report["fp32_" + metric] = score(0);
  bool agrees = true;
  for (size_t p = 0; p < total.plans.size(); ++p) {
    const std::string name = octet_plan_name(sessions[0]->get(), static_cast<uint32_t>(p));
    const Limits& limits = LimitsOf(name);
    for (size_t o = 0; o < total.plans[p].size(); ++o) {
      const Agreement& numbers = total.plans[p][o];
      const bool by_answer = decodes && DecoderReads(view, static_cast<uint32_t>(o)) &&
                             total.judged[p].Speaks(decoder.task());
      const bool same =
          by_answer ? total.judged[p].Agrees(decoder.task(), limits) : numbers.Agrees(limits);
      agrees &= same;
      nlohmann::json row{{"plan", name},
                         {"output", graph.At(graph.outputs[o]).name},
                         {"snr_db", numbers.SnrDb()},
                         {"cosine", numbers.Cosine()},
                         {"largest_difference", numbers.largest},
                         {"range", numbers.range},
                         {"judged_by", by_answer ? JudgeOf(decoder.task()) : "numbers"},
                         {"agrees", same}};
      if (by_answer) AddAnswers(decoder.task(), total.judged[p], &row);
      // The score belongs to the plan, not to one of its outputs.
      if (truth && o == 0) row[metric] = score(p + 1);
      report["plans"].push_back(row);
    }
  }
  if (theirs) {
    const std::vector<LayerAgreement> layers =
        CompareLayers(options.model, graph, data, count, threads);
    agrees &= AddLayers(layers, exporting::IsQuantized(options.model), *theirs, &report);
  }
  report["agrees"] = agrees;
  if (options.json) {
    fmt::print("{}\n", report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return agrees ? kDone : kAnswerIsNo;
  }
  if (truth) {
    fmt::print("fp32 {} {:.2f} % of {} samples\n", metric, report["fp32_" + metric].get<double>(),
               count);
  }
  bool int8_differs = false;
  for (const auto& row : report["plans"]) {
    PrintRow(row, metric);
    int8_differs |= !row["agrees"].get<bool>() && row["plan"] != "fp16";
  }
  if (int8_differs) {
    fmt::print(
        "where int8 differs: calibrate with more pictures like those of the camera; octet analyze "
        "names the layers that lose, octet assign puts them in FP16 (docs/precision.md)\n");
  }
  if (theirs) PrintLayers(report);
  return agrees ? kDone : kAnswerIsNo;
}

}  // namespace

void AddVerify(port::CommandLine& app, std::function<int()>* run) {
  port::Options command = app.AddCommand(
      "verify",
      "compare a blob with its ONNX model in FP32; exit 0 agrees, 1 differs, 2 cannot be compared");
  command.Footer(fmt::format(
      "Pictures are prepared as the blob says; --mean, --std, --scale, --colour and "
      "--resize put other values in its place. Over all samples, an output agrees when (int8 "
      "plans, "
      "in brackets fp16 plans) a classifier gives the same first class in {} % ({} %); a detector "
      "with --decode the same boxes, F1 {} % ({} %) of those that score {} or more, found by one "
      "of "
      "the same class with an IoU of {}; a segmenter the same masks, mean IoU {} % ({} %); "
      "anything "
      "else when signal stands {} dB ({} dB) above the difference and the cosine is {} ({}) or "
      "more. From five samples on one miss is always allowed. Where int8 differs: calibrate with "
      "more pictures like "
      "those of the camera, or keep layers in FP16 with --config (docs/precision.md).",
      kInt8Limits.top1, kFp16Limits.top1, kInt8Limits.f1, kFp16Limits.f1, kSureScore, kFoundIou,
      kInt8Limits.iou, kFp16Limits.iou, kInt8Limits.snr_db, kFp16Limits.snr_db, kInt8Limits.cosine,
      kFp16Limits.cosine));
  auto options = std::make_shared<VerifyOptions>();
  auto input = std::make_shared<InputArguments>();
  command.Add("MODEL", options->model, "the ONNX file").Required();
  command.Add("BLOB", options->blob, "the blob made of it").Required();
  command
      .Add("--data", options->data,
           "as --calibrate of octet convert: a folder of pictures, one picture, or a .npy "
           "file; several inputs: joined by commas")
      .Required();
  command.Add("--labels", options->labels,
              "to score with: a .npy of class numbers [N]; for a detector BOXES.npy,CLASSES.npy "
              "(float32 [N,M,4] in pixels, integers [N,M], negative: none); for "
              "segmentation masks [N,H,W]");
  command.Add("--samples", options->samples, "only the first samples; 0: all")
      .Range(int64_t{0}, int64_t{1} << 31)
      .ShowDefault();
  command.Add("--isa", options->isa,
              "level of the runtime's kernels (default: the best here); every level gives the "
              "same int8 bits");
  command
      .Add("--against", options->against,
           fmt::format("ort: FP32 as ONNX Runtime computes it, and this program's FP32 beside it, "
                       "every layer of the first {} samples, which has to be within {} of its "
                       "range; the folder of npm's onnxruntime-node is that in {}",
                       kLayerSamples, kFp32Share, ort::kFolderVariable))
      .Among({"ort"});
  command.Add("--threads", options->threads, "0: as many as the machine has").ShowDefault();
  command.AddFlag("--json", options->json, "print the figures as JSON");
  input->AddTo(command);
  command.WhenChosen([=] { *run = [=] { return Run(*options, *input); }; });
}

}  // namespace octet::cli
