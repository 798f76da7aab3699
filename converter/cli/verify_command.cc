// octet verify: the FP32 model against the plans of its blob, sample by sample.
#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "converter/blobs/blob_file.h"
#include "converter/cli/against_ort.h"
#include "converter/cli/arguments.h"
#include "converter/cli/commands.h"
#include "converter/cli/same_model.h"
#include "converter/convert/import.h"
#include "converter/convert/inputs.h"
#include "converter/convert/progress.h"
#include "converter/convert/sequences.h"
#include "converter/convert/warnings.h"
#include "converter/export/model_edit.h"
#include "converter/judge/judge.h"
#include "converter/judge/measure/boxes.h"
#include "converter/judge/score.h"
#include "converter/judge/verdict.h"
#include "converter/judge/words.h"
#include "converter/support/error.h"
#include "converter/support/threads.h"
#include "octet/octet.h"
#include "ports/linux/cpu.h"
#include "runtime/format/view.h"

namespace octet::cli {
namespace {

struct VerifyOptions {
  std::string model, blob, data, labels;
  std::string isa;             // empty: the machine's best
  std::string against;         // empty: this program's own FP32
  std::string rebuild;         // a command of its own (cli/rebuild.h)
  int64_t samples = 0;         // 0: all
  std::string sample_indices;  // in place of that
  int threads = 0;
  bool json = false, details = false;
};

nlohmann::json RowOf(const judge::Findings& findings, const judge::PlanFindings& plan, size_t o) {
  const judge::Output& output = findings.outputs[o];
  const judge::OutputFindings& found = plan.outputs[o];
  const bool numbers = output.kind == judge::Kind::kNumbers;
  nlohmann::json row = judge::OutputJson(output, found);
  row["plan"] = plan.name;
  row["judged_by"] = found.by_answer ? plan.answers->Figure() : judge::NameOf(output.kind);
  row["words"] = found.fault != judge::Fault::kNone ? judge::FaultWords(output, found)
                                                    : judge::OutputWords(output, found);
  if (found.fault == judge::Fault::kNone && numbers) {
    row["words"] =
        fmt::format("{}, largest difference {:.4g} of range {:.4g}",
                    row["words"].get<std::string>(), found.whole.largest, found.whole.range);
  }
  if (found.by_answer) {
    plan.answers->AddJson(&row);
    row["loss"] = plan.loss;
    row["interval"] = {plan.certain.low, plan.certain.high};
    row["limit"] = plan.answers->LimitOf(findings.LimitsOf(plan).losses);
    row["words"] = fmt::format("the plan {}; it {}; {}", judge::LossWords(findings, plan),
                               plan.answers->Words(), row["words"].get<std::string>());
  }
  return row;
}

// The word, what decides, and the limit that is missed; the rest with --details.
void PrintRow(const judge::Findings& findings, const judge::PlanFindings& plan, size_t o,
              const std::string& score, bool details) {
  const judge::OutputFindings& found = plan.outputs[o];
  const judge::Output& output = findings.outputs[o];
  const bool fault = found.fault != judge::Fault::kNone;
  const std::string numbers = judge::OutputWords(output, found);
  const std::string decides =
      fault             ? judge::FaultWords(output, found)
      : found.by_answer ? fmt::format("output '{}': the plan {}; it {}", output.name,
                                      judge::LossWords(findings, plan), plan.answers->Words())
                        : numbers;
  // Of answers the limit stands in the words already.
  const std::string misses = found.by_answer ? "" : judge::MissWords(findings, plan, o);
  fmt::print("{:<8} {:<7}  {}{}{}\n", plan.name, found.agrees ? "agrees" : "differs", decides,
             misses.empty() ? "" : "; " + misses, score);
  if (!details || fault) return;
  if (found.by_answer) fmt::print("{:<8} {:<7}  not judged: {}\n", "", "", numbers);
  if (output.kind == judge::Kind::kNumbers) {
    fmt::print("{:<8} {:<7}  largest difference {:.4g} of range {:.4g}\n", "", "",
               found.whole.largest, found.whole.range);
  }
}

// What the number of boxes in the lines above is of.
void PrintConfident(const judge::Findings& findings) {
  if (findings.task != blob::Task::kDetect || findings.plans.empty()) return;
  if (!findings.plans[0].Speaks()) return;
  fmt::print(
      "confident: score {:g} or more, or just below it if the other side is confident of the same "
      "box. So the number of FP32's boxes may differ between plans (docs/verdict.md)\n",
      judge::kSureScore);
}

// The samples that --samples or --sample-indices names.
std::vector<int64_t> ChosenSamples(const VerifyOptions& options, int64_t available) {
  std::vector<int64_t> samples;
  for (const std::string& word : SplitCommas(options.sample_indices)) {
    int64_t index = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    if (error != std::errc() || end != word.data() + word.size() || index < 0 ||
        index >= available) {
      Fail("--sample-indices {}: expected numbers from 0 to {}, joined by commas", word,
           available - 1);
    }
    samples.push_back(index);
  }
  if (!samples.empty()) return samples;
  samples.resize(
      static_cast<size_t>(options.samples > 0 ? std::min(available, options.samples) : available));
  std::iota(samples.begin(), samples.end(), int64_t{0});
  return samples;
}

judge::Machine MachineOf(const VerifyOptions& options) {
  const port::CpuWord cpu = port::DetectCpu();
  octet_isa isa = port::BestIsa(cpu);
  if (!options.isa.empty() && (octet_isa_from_name(options.isa.c_str(), &isa).code != OCTET_OK ||
                               !port::CanRun(cpu, isa))) {
    Fail("--isa {}: not in this build or on this machine; see octet-run --isa list", options.isa);
  }
  if (!options.against.empty()) ort::FindFolder();  // before any work
  return {isa, port::Features(cpu)};
}

class Verification {
 public:
  Verification(const VerifyOptions& options, const InputArguments& input)
      : options_(options),
        input_(input),
        machine_(MachineOf(options)),
        blob_(options.blob),
        imported_(ImportModelOf(blob_, options.blob, options.model, input.Import())) {
    Open();
  }

  int Run() {
    const judge::Findings findings = Judge();
    bool agrees = std::all_of(findings.plans.begin(), findings.plans.end(),
                              [](const judge::PlanFindings& plan) { return plan.Agrees(); });
    nlohmann::json report = ReportOf(findings);
    if (theirs_) {
      const std::vector<LayerAgreement> layers = CompareLayers(
          {options_.model, input_.Import()}, *canonical_, data_, SampleCount(), Threads());
      agrees &= AddLayers(layers, exporting::IsQuantized(options_.model), *theirs_, &report);
    }
    report["agrees"] = agrees;
    if (options_.json) {
      fmt::print("{}\n", report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
      Print(findings, report);
    }
    return agrees ? kDone : kAnswerIsNo;
  }

 private:
  void Open() {
    std::vector<std::string> warnings;
    data_ = convert::OpenInputs(WithInputsOf(blob_, imported_), SplitCommas(options_.data),
                                input_.Preprocess(PreprocessOf(blob_)), &warnings);
    for (const std::string& warning : warnings) convert::PrintWarning(warning);
    samples_ = ChosenSamples(options_, data_[0]->size());
    const auto sequences = convert::SequencesOf(
        imported_, convert::ParseSequences(input_.sequences), data_[0]->size());
    if (!sequences.empty() && (!options_.against.empty() || !options_.sample_indices.empty())) {
      Fail("{}: the model has states, so its samples are a sequence; remove {}", options_.model,
           options_.against.empty() ? "--sample-indices" : "--against");
    }
    starts_ = convert::StartsOf(sequences);
    if (!options_.labels.empty()) {
      truth_.emplace(judge::Decoder(blobs::ViewOf(blob_)), options_.labels, SampleCount());
    }
    if (options_.against.empty()) return;
    canonical_ = LoadModelOf(blob_, options_.blob, options_.model, input_.Import());
    theirs_ = OutputsOfOrt({options_.model, input_.Import()}, *canonical_, data_, SampleCount(),
                           Threads());
  }

  int64_t SampleCount() const { return static_cast<int64_t>(samples_.size()); }
  int Threads() const { return ThreadCount(options_.threads); }

  judge::Findings Judge() {
    convert::Progress progress;
    convert::Stage stage(&progress, "verifying");
    judge::Case given;
    given.imported = &imported_;
    given.blob = blob_.data();
    given.blob_bytes = blob_.bytes();
    for (const auto& dataset : data_) given.inputs.push_back(dataset.get());
    given.samples = samples_;
    given.starts = starts_;
    given.machine = machine_;
    given.threads = Threads();
    given.progress = stage.Shower();
    if (truth_) {
      given.on_answer = [this](size_t contestant, const judge::Answer& answer) {
        if (contestant >= answers_.size()) answers_.resize(contestant + 1);
        answers_[contestant].push_back(answer);
      };
    }
    if (theirs_) {
      given.reference = [this](int64_t sample) {
        std::vector<std::vector<float>> outputs;
        for (size_t o = 0; o < imported_.outputs.size(); ++o) {
          outputs.push_back(theirs_->Load(sample, o));
        }
        return outputs;
      };
    }
    judge::Findings findings = judge::Judge(given);
    stage.Finish();
    return findings;
  }

  double Score(size_t contestant) const {
    std::vector<const judge::Answer*> answers;
    for (const judge::Answer& answer : answers_[contestant]) answers.push_back(&answer);
    return truth_->Score(answers);
  }

  nlohmann::json ReportOf(const judge::Findings& findings) const {
    nlohmann::json report{{"samples", SampleCount()},
                          {"sample_indices", samples_},
                          {"isa", octet_isa_name(machine_.isa)},
                          {"over_time", nullptr}};
    if (truth_) report[std::string("fp32_") + truth_->metric()] = Score(0);
    for (size_t p = 0; p < findings.plans.size(); ++p) {
      const judge::PlanFindings& plan = findings.plans[p];
      if (!plan.over_time.IsEmpty()) {
        report["over_time"][plan.name] = plan.over_time.Json(judge::NamesOf(findings.outputs));
      }
      for (size_t o = 0; o < plan.outputs.size(); ++o) {
        nlohmann::json row = RowOf(findings, plan, o);
        // The score belongs to the plan, not to one of its outputs.
        if (truth_ && o == 0) row[truth_->metric()] = Score(p + 1);
        report["plans"].push_back(std::move(row));
      }
    }
    return report;
  }

  void Print(const judge::Findings& findings, const nlohmann::json& report) const {
    const auto score = [this](const nlohmann::json& figures, const std::string& key) {
      return fmt::format("{} {:.2f} %", truth_->metric(), figures[key].get<double>());
    };
    if (truth_) {
      fmt::print("fp32 {} of {} samples\n", score(report, std::string("fp32_") + truth_->metric()),
                 SampleCount());
    }
    size_t row = 0;
    for (const judge::PlanFindings& plan : findings.plans) {
      for (size_t o = 0; o < plan.outputs.size(); ++o) {
        const nlohmann::json& figures = report["plans"][row++];
        const bool scored = truth_ && figures.contains(truth_->metric());
        PrintRow(findings, plan, o, scored ? "; " + score(figures, truth_->metric()) : "",
                 options_.details);
      }
    }
    for (const judge::PlanFindings& plan : findings.plans) {
      if (plan.over_time.IsEmpty()) continue;
      fmt::print("{:<8} {:<7}  {}\n", plan.name, "",
                 plan.over_time.Words(judge::NamesOf(findings.outputs)));
    }
    PrintConfident(findings);
    if (theirs_) PrintLayers(report);
  }

  const VerifyOptions& options_;
  const InputArguments& input_;
  judge::Machine machine_;
  blobs::BlobFile blob_;
  graph::Graph imported_;
  Datasets data_;
  std::vector<int64_t> samples_;
  std::set<int64_t> starts_;
  std::optional<judge::Truth> truth_;
  std::optional<graph::Graph> canonical_;  // whose layers are compared with ONNX Runtime's
  std::optional<ort::Results> theirs_;
  std::vector<std::vector<judge::Answer>> answers_;  // by contestant, FP32 first
};

}  // namespace

void AddVerify(port::CommandLine& app, std::function<int()>* run) {
  port::Options command = app.AddCommand(
      "verify",
      "compare a blob with its ONNX model in FP32; exit 0 agrees, 1 differs, 2 cannot be compared");
  command.Footer(fmt::format(
      "Pictures are prepared as the blob says; --mean, --std, --scale, --colour and --resize "
      "replace its values. FP32 runs the imported file before any rewriting (docs/verdict.md).\n"
      "A plan differs where it certainly (95 %) loses more than the limit. Limits of int8 plans "
      "(of "
      "fp16 plans in brackets):\n"
      "classifier: another first class in {} % ({} %) of the samples.\n"
      "detector with --decode: {} points ({}) of mAP50-95.\n"
      "segmenter: {} % ({} %) of the mean IoU of the masks.\n"
      "numbers: signal over error {} dB ({} dB) and cosine {} ({}) or more.\n"
      "Classes, masks, counts and rows of lists are compared as such. From five samples on, one "
      "miss is allowed.\n"
      "Where the file rounds to codes itself, fp16 plans have the limits of int8 plans, because "
      "they do not round there.",
      judge::kInt8Losses.class_percent, judge::kFp16Losses.class_percent,
      judge::kInt8Losses.map_points, judge::kFp16Losses.map_points, judge::kInt8Losses.mask_percent,
      judge::kFp16Losses.mask_percent, judge::kInt8Limits.snr_db, judge::kFp16Limits.snr_db,
      judge::kInt8Limits.cosine, judge::kFp16Limits.cosine));
  auto options = std::make_shared<VerifyOptions>();
  auto input = std::make_shared<InputArguments>();
  command.Add("MODEL", options->model, "the ONNX file").Required();
  command.Add("BLOB", options->blob, "the blob made of it").Required();
  command
      .Add("--data", options->data,
           "as --calibrate of octet convert: a folder of pictures, one picture, or a .npy file; "
           "several inputs: joined by commas")
      .Required();
  command.Add(
      "--labels", options->labels,
      "labels for a score: a .npy of class numbers [N]; detector: BOXES.npy,CLASSES.npy (float32 "
      "[N,M,4] in pixels, integers [N,M], negative: none); segmentation: masks [N,H,W]; text: "
      "a text file, one text a line");
  command.Add("--samples", options->samples, "use only the first samples; 0: all")
      .Range(int64_t{0}, int64_t{1} << 31)
      .ShowDefault();
  command.Add("--sample-indices", options->sample_indices,
              "use these samples, counted from 0, joined by commas; verdict.sample_indices in the "
              "JSON of octet convert repeats its verdict");
  command.Add("--isa", options->isa,
              "level of the runtime's kernels (default: the best here); all levels give the same "
              "int8 bits");
  command
      .Add("--against", options->against,
           fmt::format("ort: FP32 is computed by ONNX Runtime. Each layer of this program's FP32 "
                       "is compared with it on the first {} samples, bound {} of its range. {} "
                       "names the folder of npm's onnxruntime-node",
                       kLayerSamples, kFp32Share, ort::kFolderVariable))
      .Among({"ort"});
  command.Add("--rebuild", options->rebuild,
              "octet verify --rebuild BLOB MODEL PICTURES: convert again with the options of octet "
              "convert that follow, and compare the bytes; exit 0 equal, 1 not equal (the first "
              "difference is named)");
  command.Add("--threads", options->threads, "0: one thread for each core").ShowDefault();
  command.AddFlag("--details", options->details,
                  "also print the figures that do not decide, such as dB where boxes decide");
  command.AddFlag("--json", options->json, "print the figures as JSON");
  input->AddTo(command);
  input->AddSequencesTo(command);
  command.WhenChosen([=] {
    *run = [=] {
      if (!options->rebuild.empty())
        Fail("--rebuild {}: must come first, as in octet verify --rebuild BLOB MODEL PICTURES",
             options->rebuild);
      if (!options->sample_indices.empty() &&
          (options->samples > 0 || !options->labels.empty() || !options->against.empty())) {
        Fail(
            "--sample-indices: --samples, --labels and --against count samples from the first; "
            "remove them");
      }
      return Verification(*options, *input).Run();
    };
  });
}

}  // namespace octet::cli
