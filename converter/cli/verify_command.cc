// octet verify: the FP32 model against the plans of its blob, sample by sample.
#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>

#include <nlohmann/json.hpp>

#include "converter/cli/arguments.h"
#include "converter/cli/blob_file.h"
#include "converter/cli/commands.h"
#include "converter/cli/pipeline.h"
#include "converter/cli/progress.h"
#include "converter/cli/score.h"
#include "converter/executor/executor.h"
#include "converter/support/error.h"
#include "octet/octet.h"
#include "ports/linux/cpu.h"
#include "runtime/format/view.h"

namespace octet::cli {
namespace {

struct VerifyOptions {
  std::string model, blob, data, labels;
  std::string isa;      // empty: the machine's best
  int64_t samples = 0;  // 0: all
  int threads = 0;
  bool json = false;
};

// One runtime session with its own arena.
class Session {
 public:
  Session(const BlobFile& blob, octet_isa isa) {
    size_t bytes = 0;
    Check(octet_arena_bytes(blob.data(), blob.bytes(), isa, 1, &bytes));
    arena_.reset(static_cast<uint8_t*>(::operator new[](bytes, std::align_val_t{64})));
    octet_config config{};
    config.isa = isa;
    Check(octet_bind(blob.data(), blob.bytes(), arena_.get(), bytes, &config, &session_));
  }
  octet_session* get() const { return session_; }

  static void Check(octet_status status) {
    if (status.code != OCTET_OK) {
      Fail("the blob cannot be compared: {}; was it made from this model, with these shapes?",
           octet_code_name(status.code));
    }
  }

 private:
  struct Free {
    void operator()(uint8_t* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::unique_ptr<uint8_t[], Free> arena_;
  octet_session* session_ = nullptr;
};

// Agreement of one plan with FP32 over the samples of one output.
struct Agreement {
  double signal = 0, noise = 0;   // sums of squares
  double largest = 0, range = 0;  // absolute difference, FP32 output range
  int64_t same_top1 = 0;          // samples
  int64_t boxes = 0, found = 0;   // that FP32 is sure of; that the plan finds again
};

struct SampleResult {
  std::vector<std::vector<Agreement>> plans;  // [plan][output]
  std::vector<Answer> answers;                // of FP32, then of each plan; where there are labels
};

size_t Top1(const float* values, size_t count) {
  return static_cast<size_t>(std::max_element(values, values + count) - values);
}

Agreement Compare(const std::vector<float>& expected, const std::vector<float>& actual) {
  Agreement a;
  const auto [lo, hi] = std::minmax_element(expected.begin(), expected.end());
  a.range = static_cast<double>(*hi) - *lo;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double difference = static_cast<double>(actual[i]) - expected[i];
    a.signal += static_cast<double>(expected[i]) * expected[i];
    a.noise += difference * difference;
    a.largest = std::max(a.largest, std::fabs(difference));
  }
  a.same_top1 =
      Top1(actual.data(), actual.size()) == Top1(expected.data(), expected.size()) ? 1 : 0;
  return a;
}

constexpr float kSureScore = 0.5f, kFoundIou = 0.5f;

// A box is found again by one of its class that overlaps it by half.
void CompareBoxes(const Answer& expected, const Answer& actual, Agreement* a) {
  for (const Detection& box : expected.boxes) {
    if (box.score < kSureScore) continue;
    ++a->boxes;
    a->found += std::any_of(actual.boxes.begin(), actual.boxes.end(), [&](const Detection& other) {
      return other.label == box.label && BoxOverlap(other, box) >= kFoundIou;
    });
  }
}

void Merge(const Agreement& from, Agreement* into) {
  into->signal += from.signal;
  into->noise += from.noise;
  into->largest = std::max(into->largest, from.largest);
  into->range = std::max(into->range, from.range);
  into->same_top1 += from.same_top1;
  into->boxes += from.boxes;
  into->found += from.found;
}

double SnrDb(const Agreement& a) {
  return 10 * std::log10(std::max(a.signal, 1e-30) / std::max(a.noise, 1e-30));
}

// The answer, as --help states it: signal over noise of the whole output.
constexpr double kInt8AgreesDb = 10, kFp16AgreesDb = 30;
bool Agrees(const Agreement& a, bool fp16) {
  return SnrDb(a) >= (fp16 ? kFp16AgreesDb : kInt8AgreesDb);
}

SampleResult RunSample(executor::Executor& executor, const Session& session,
                       const std::vector<std::unique_ptr<images::Dataset>>& data, int64_t i,
                       const Decoder* decoder) {
  std::vector<graph::Tensor> inputs;
  inputs.reserve(data.size());
  for (const auto& dataset : data) inputs.push_back(dataset->Load(i));
  const std::vector<graph::Tensor> expected = executor.Run(inputs);
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
    Session::Check(octet_set_plan(session.get(), plan));
    for (size_t k = 0; k < inputs.size(); ++k) {
      Session::Check(octet_set_input_f32(session.get(), static_cast<uint32_t>(k),
                                         inputs[k].floats.data(), inputs[k].floats.size()));
    }
    Session::Check(octet_run(session.get()));
    result.plans.emplace_back();
    std::vector<std::vector<float>> actual;
    for (size_t o = 0; o < expected.size(); ++o) {
      actual.emplace_back(expected[o].floats.size());
      Session::Check(octet_get_output(session.get(), static_cast<uint32_t>(o), actual[o].data(),
                                      actual[o].size()));
      result.plans.back().push_back(Compare(expected[o].floats, actual[o]));
    }
    if (decoder == nullptr) continue;
    answer([&](size_t o) { return actual[o].data(); });
    CompareBoxes(result.answers[0], result.answers.back(), result.plans.back().data());
  }
  return result;
}

// As the blob says for its first picture input.
images::Preprocess PreprocessOf(const BlobFile& file) {
  images::Preprocess result;
  BlobView view{};
  if (!IsOk(ViewBlob(file.data(), file.bytes(), &view))) {
    throw std::logic_error("verified blob has no view");
  }
  for (uint32_t i = 0; i < view.model->input_count; ++i) {
    const blob::InputRecord& input = view.inputs[i];
    if (input.is_image == 0) continue;
    result.scale = input.scale;
    for (int c = 0; c < 3; ++c) {
      result.mean[c] = input.mean[c];
      result.std_dev[c] = input.std_dev[c];
    }
    result.colour = input.colour;
    result.resize = input.resize;
    result.letterbox_value = input.letterbox_value;
    break;
  }
  return result;
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
  const graph::Graph graph = LoadGraph(options.model, input.Import(), nullptr);
  const BlobFile blob(options.blob);
  std::vector<std::string> warnings;
  const auto data =
      OpenInputs(graph, SplitCommas(options.data), input.Preprocess(PreprocessOf(blob)), &warnings);
  for (const std::string& warning : warnings) fmt::print(stderr, "octet: warning: {}\n", warning);
  BlobView view;
  ViewBlob(blob.data(), blob.bytes(), &view);  // BlobFile has verified it
  const Decoder decoder(view);
  int64_t count = data[0]->size();
  if (options.samples > 0) count = std::min(count, options.samples);
  const bool detects = decoder.task() == blob::Task::kDetect;
  std::optional<Truth> truth;
  if (!options.labels.empty()) truth.emplace(decoder, options.labels, count);
  const int threads = ThreadCount(options.threads);
  std::vector<std::unique_ptr<executor::Executor>> executors;
  std::vector<std::unique_ptr<Session>> sessions;
  for (int t = 0; t < threads; ++t) {
    executors.push_back(std::make_unique<executor::Executor>(graph));
    sessions.push_back(std::make_unique<Session>(blob, isa));
  }
  if (octet_output_count(sessions[0]->get()) != graph.outputs.size()) {
    Fail("{} has {} outputs, {} has {}: they are not the same model", options.blob,
         octet_output_count(sessions[0]->get()), options.model, graph.outputs.size());
  }
  std::vector<SampleResult> results(static_cast<size_t>(count));
  Progress progress("verifying");
  std::mutex mutex;
  int64_t done = 0;
  executor::ParallelFor(count, threads, [&](int thread, int64_t i) {
    results[static_cast<size_t>(i)] =
        RunSample(*executors[static_cast<size_t>(thread)], *sessions[static_cast<size_t>(thread)],
                  data, i, truth || detects ? &decoder : nullptr);
    const std::lock_guard lock(mutex);
    progress.Show(++done, count);
  });
  progress.Finish();
  // Merged in the order of the samples, so that sums do not depend on the threads.
  SampleResult total = results[0];
  for (size_t i = 1; i < results.size(); ++i) {
    for (size_t p = 0; p < total.plans.size(); ++p) {
      for (size_t o = 0; o < total.plans[p].size(); ++o)
        Merge(results[i].plans[p][o], &total.plans[p][o]);
    }
  }
  const double percent = 100.0 / static_cast<double>(count);
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
    for (size_t o = 0; o < total.plans[p].size(); ++o) {
      const Agreement& a = total.plans[p][o];
      agrees &= Agrees(a, name == "fp16");
      nlohmann::json row{{"plan", name},
                         {"output", graph.At(graph.outputs[o]).name},
                         {"snr_db", SnrDb(a)},
                         {"largest_difference", a.largest},
                         {"range", a.range},
                         {"same_top1", static_cast<double>(a.same_top1) * percent},
                         {"agrees", Agrees(a, name == "fp16")}};
      // These belong to the plan, not to one of its outputs.
      if (truth && o == 0) row[metric] = score(p + 1);
      if (detects && o == 0) row["boxes"] = a.boxes, row["boxes_found"] = a.found;
      report["plans"].push_back(row);
    }
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
  for (const auto& row : report["plans"]) {
    fmt::print("{:<8} {:<24} SNR {:6.2f} dB  largest difference {:.4g} of range {:.4g}",
               row["plan"].get<std::string>(), row["output"].get<std::string>(),
               row["snr_db"].get<double>(), row["largest_difference"].get<double>(),
               row["range"].get<double>());
    if (decoder.task() == blob::Task::kClassify) {
      fmt::print("  same top-1 {:.2f} %", row["same_top1"].get<double>());
    }
    if (row.contains("boxes")) {
      fmt::print("  finds {} of {} boxes", row["boxes_found"].get<int64_t>(),
                 row["boxes"].get<int64_t>());
    }
    if (row.contains(metric)) fmt::print("  {} {:.2f} %", metric, row[metric].get<double>());
    fmt::print("  {}\n", row["agrees"].get<bool>() ? "agrees" : "differs");
  }
  return agrees ? kDone : kAnswerIsNo;
}

}  // namespace

void AddVerify(CLI::App& app, std::function<int()>* run) {
  CLI::App* command = app.add_subcommand(
      "verify",
      "compare a blob with its ONNX model in FP32; exit 0 agrees, 1 differs, 2 cannot be compared");
  command->footer(fmt::format(
      "Pictures are prepared as the blob says; --mean, --std, --scale, --colour and "
      "--resize put other values in its place. An "
      "output agrees when its signal "
      "stands {} dB (int8 plans) or {} dB (fp16 plans) above its difference from FP32, "
      "over all samples. Of a detector's boxes those of FP32 count that score {} or more; one of "
      "the same class that overlaps by half finds it. Where int8 "
      "differs: calibrate with more pictures like those of the camera, or keep layers "
      "in FP16 with --config (docs/precision.md).",
      kInt8AgreesDb, kFp16AgreesDb, kSureScore));
  auto options = std::make_shared<VerifyOptions>();
  auto input = std::make_shared<InputArguments>();
  command->add_option("MODEL", options->model, "the ONNX file")->required();
  command->add_option("BLOB", options->blob, "the blob made of it")->required();
  command
      ->add_option("--data", options->data,
                   "as --calibrate of octet convert: a folder of pictures, one picture, or a .npy "
                   "file; several inputs: joined by commas")
      ->required();
  command->add_option(
      "--labels", options->labels,
      "to score with: a .npy of class numbers [N]; for a detector BOXES.npy,CLASSES.npy "
      "(float32 [N,M,4] in pixels, integers [N,M], negative: none); for "
      "segmentation masks [N,H,W]");
  command->add_option("--samples", options->samples, "only the first samples; 0: all")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 31))
      ->capture_default_str();
  command->add_option(
      "--isa", options->isa,
      "level of the runtime's kernels (default: the best here); every level gives the "
      "same int8 bits");
  command->add_option("--threads", options->threads, "0: as many as the machine has")
      ->capture_default_str();
  command->add_flag("--json", options->json, "print the figures as JSON");
  input->AddTo(*command);
  command->callback([=] { *run = [=] { return Run(*options, *input); }; });
}

}  // namespace octet::cli
