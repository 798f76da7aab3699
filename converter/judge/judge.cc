#include "converter/judge/judge.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "converter/executor/executor.h"
#include "converter/judge/answers.h"
#include "converter/judge/measure/boxes.h"
#include "converter/judge/real_ports.h"
#include "converter/judge/reference.h"
#include "converter/support/error.h"

namespace octet::judge {
namespace {

using graph::Tensor;

// Samples that show a fault are run again layer by layer, a few of them.
constexpr size_t kTraced = 4;

std::vector<Tensor> Load(const Case& given, int64_t sample) {
  std::vector<Tensor> inputs;
  inputs.reserve(given.inputs.size());
  for (const images::Dataset* input : given.inputs) inputs.push_back(input->Load(sample));
  return inputs;
}

void RequireSameOutputs(const BlobView& view, const std::vector<Output>& outputs) {
  if (view.model->output_count != outputs.size()) {
    Fail("the blob has {} outputs, the model {}; give the ONNX file that the blob was made from",
         view.model->output_count, outputs.size());
  }
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (view.outputs[o].element_count == graph::ElementCount(outputs[o].shape)) continue;
    Fail(
        "output '{}' has {} elements in the blob, {} in the model; give the model and "
        "--input-shape that the blob was made from",
        outputs[o].name, view.outputs[o].element_count, graph::ElementCount(outputs[o].shape));
  }
}

// One sample by both sides.
struct Run {
  Outputs reference;
  std::vector<Outputs> plans;
  std::vector<Answer> answers;  // FP32's, then the plans'; empty without a decoder
  std::vector<bool> asked;      // by plan
};

class Trial {
 public:
  explicit Trial(const Case& given)
      : given_(given),
        graph_(WithRealPorts(OfOutputs(*given.imported))),
        threads_(std::max(1, given.threads)) {
    const auto count = static_cast<int64_t>(given.samples.size());
    threads_ = static_cast<int>(std::min<int64_t>(threads_, std::max<int64_t>(1, count)));
    if (InClosedLoop()) threads_ = 1;
    for (int t = 0; t < threads_; ++t) {
      runners_.push_back(std::make_unique<Runner>(given.blob, given.blob_bytes, given.machine));
    }
    // A session has one state for all its plans.
    for (uint32_t p = 1; InClosedLoop() && p < runners_[0]->plan_count(); ++p) {
      runners_.push_back(std::make_unique<Runner>(given.blob, given.blob_bytes, given.machine));
    }
    findings_.samples = given.samples;
    findings_.outputs = DescribeOutputs(graph_);
    findings_.rounds_to_codes = RoundsToCodes(graph_);
    RequireSameOutputs(View(), findings_.outputs);
    for (uint32_t i = 0; i < View().model->input_count; ++i) {
      names_.emplace_back(StringAt(View(), View().inputs[i].name));
    }
    if (!given.reference) {
      for (int t = 0; t < threads_; ++t) {
        references_.push_back(std::make_unique<Reference>(graph_, names_));
      }
    }
    if (View().decode.data != nullptr) findings_.task = View().model->task;
    if (findings_.task != blob::Task::kNone || given.on_answer) decoder_.emplace(View());
  }

  Findings Find() {
    const uint32_t plan_count = runners_[0]->plan_count();
    for (const Output& output : findings_.outputs) {
      std::vector<double> steps;
      for (const Piece& piece : output.pieces) {
        steps.push_back(std::max(piece.step, piece.grid));
      }
      distances_.emplace_back(static_cast<size_t>(graph::ElementCount(output.shape)),
                              output.piece_of, std::move(steps), plan_count);
    }
    findings_.plans.resize(plan_count);
    FindSteps(plan_count);
    for (uint32_t p = 0; p < plan_count; ++p) {
      findings_.plans[p].name = runners_[0]->PlanName(p);
      findings_.plans[p].outputs.resize(findings_.outputs.size());
      measures_.push_back(
          MakeMeasure(findings_.task, decoder_ ? decoder_->sure_score() : kSureScore));
    }
    // Sums are made in the order of the samples, so that they do not depend on the threads.
    const auto total = static_cast<int64_t>(given_.samples.size());
    for (int64_t first = 0; first < total; first += threads_) {
      const int64_t count = std::min<int64_t>(threads_, total - first);
      std::vector<Run> runs(static_cast<size_t>(count));
      executor::ParallelFor(count, threads_, [&](int thread, int64_t i) {
        runs[static_cast<size_t>(i)] = RunOne(thread, static_cast<size_t>(first + i));
      });
      for (int64_t i = 0; i < count; ++i) {
        Add(runs[static_cast<size_t>(i)], given_.samples[static_cast<size_t>(first + i)]);
      }
      if (given_.progress) given_.progress(first + count, total);
    }
    for (uint32_t p = 0; p < plan_count; ++p) Conclude(p);
    return std::move(findings_);
  }

 private:
  const BlobView& View() const { return runners_[0]->view(); }

  bool InClosedLoop() const { return !graph_.states.empty(); }

  // By index into the samples: sequence and step.
  void FindSteps(uint32_t plan_count) {
    if (!InClosedLoop()) return;
    int64_t longest = 1;
    for (const int64_t sample : given_.samples) {
      const bool first = steps_.empty() || given_.starts.count(sample) != 0;
      const int64_t sequence = steps_.empty() ? 0 : steps_.back().first + (first ? 1 : 0);
      steps_.emplace_back(sequence, first ? 0 : steps_.back().second + 1);
      longest = std::max(longest, steps_.back().second + 1);
    }
    for (uint32_t p = 0; p < plan_count; ++p) {
      findings_.plans[p].over_time = OverTime(findings_.outputs.size(), longest);
    }
  }

  void BeginSequence() {
    for (const auto& runner : runners_) runner->Reset();
    for (const auto& reference : references_) reference->Reset();
  }

  Run RunOne(int thread, size_t index) {
    const auto t = static_cast<size_t>(thread);
    const int64_t sample = given_.samples[index];
    const bool numbers =
        InClosedLoop() || !decoder_ || !given_.numbers || given_.numbers->count(sample) != 0;
    if (InClosedLoop() && steps_[index].second == 0) BeginSequence();
    const std::vector<Tensor> inputs = Load(given_, sample);
    const Answer* known = nullptr;
    if (given_.answers != nullptr) {
      const auto found = given_.answers->find(sample);
      if (found != given_.answers->end()) known = &found->second;
    }
    Run run;
    if (numbers || known == nullptr) run.reference = Fp32(t, sample, inputs);
    if (decoder_)
      run.answers.push_back(known != nullptr ? *known : AnswerOf(run.reference, sample));
    for (uint32_t p = 0; p < runners_[t]->plan_count(); ++p) {
      // FP16 loses so little that few samples tell it, and takes as long as FP32.
      const bool few_tell = findings_.plans[p].Is(PlanId::kFp16);
      Outputs outputs;
      if (numbers || !few_tell) outputs = runners_[InClosedLoop() ? p : t]->Run(p, inputs);
      if (InClosedLoop()) {
        const auto [sequence, step] = steps_[index];
        findings_.plans[p].over_time.Add(sequence, step, run.reference, outputs);
      }
      if (decoder_) {
        run.answers.push_back(outputs.empty() ? Answer() : AnswerOf(outputs, sample));
      }
      run.asked.push_back(!outputs.empty());
      run.plans.push_back(std::move(outputs));
    }
    if (!numbers) run.reference.clear(), run.plans.clear();  // a picture's numbers take megabytes
    return run;
  }

  Outputs Fp32(size_t thread, int64_t sample, const std::vector<Tensor>& inputs) {
    if (given_.reference) return given_.reference(sample);
    if (given_.outputs != nullptr) {
      const std::lock_guard lock(keeping_);
      const auto kept = given_.outputs->find(sample);
      if (kept != given_.outputs->end()) return kept->second;
    }
    Outputs outputs = references_[thread]->Run(inputs);
    if (given_.outputs != nullptr) {
      const std::lock_guard lock(keeping_);
      given_.outputs->emplace(sample, outputs);
    }
    return outputs;
  }

  // Boxes down to kLeastScore, whatever the decoder keeps: they are found by their places.
  Answer AnswerOf(const Outputs& outputs, int64_t sample) const {
    return Read(*decoder_, given_.inputs, sample, outputs);
  }

  void Add(const Run& run, int64_t sample) {
    for (size_t o = 0; !run.reference.empty() && o < distances_.size(); ++o) {
      distances_[o].AddReference(run.reference[o]);
      for (size_t p = 0; p < run.plans.size(); ++p) {
        if (distances_[o].AddPlan(p, run.reference[o], run.plans[p][o])) {
          broken_[{static_cast<uint32_t>(p), static_cast<uint32_t>(o)}].push_back(sample);
        }
        AddLikeness(p, o, run);
      }
    }
    for (size_t c = 0; c < run.answers.size(); ++c) {
      if (c > 0 && !run.asked[c - 1]) continue;
      Tell(c, run.answers[c]);
      if (c > 0 && measures_[c - 1]) measures_[c - 1]->Add(sample, run.answers[0], run.answers[c]);
    }
  }

  // As the decoder itself gives it.
  void Tell(size_t contestant, Answer answer) const {
    if (!given_.on_answer) return;
    const float threshold = decoder_->score_threshold();
    std::erase_if(answer.boxes,
                  [threshold](const Detection& box) { return box.score < threshold; });
    given_.on_answer(contestant, answer);
  }

  // Outputs of one list are judged with the first of them.
  void AddLikeness(size_t p, size_t o, const Run& run) {
    Likeness& likeness = findings_.plans[p].outputs[o].likeness;
    const std::vector<Output>& outputs = findings_.outputs;
    if (outputs[o].kind != Kind::kRows) {
      likeness.Add(outputs[o], run.reference[o], run.plans[p][o]);
      return;
    }
    if (outputs[o].list != o) return;
    std::vector<Column> columns;
    for (size_t i = o; i < outputs.size(); ++i) {
      if (outputs[i].kind != Kind::kRows || outputs[i].list != o) continue;
      columns.push_back({&outputs[i], &run.reference[i], &run.plans[p][i]});
    }
    likeness.AddList(columns);
  }

  void Conclude(uint32_t p) {
    PlanFindings& plan = findings_.plans[p];
    const Limits& limits = findings_.LimitsOf(plan);
    if (measures_[p] != nullptr) {
      plan.loss = measures_[p]->Loss();
      plan.certain = measures_[p]->Certain();
      plan.answers = std::move(measures_[p]);
    }
    const bool speaks = plan.Speaks();
    for (size_t o = 0; o < plan.outputs.size(); ++o) {
      OutputFindings& found = plan.outputs[o];
      const Output& output = findings_.outputs[o];
      found.whole = distances_[o].Whole(p);
      if (output.kind == Kind::kRows) found.likeness = plan.outputs[output.list].likeness;
      for (size_t i = 0; i < distances_[o].piece_count(); ++i) {
        found.pieces.push_back(distances_[o].Piece(p, i));
      }
      FindFault(output, &found);
      if (found.fault != Fault::kNone) {
        found.first_layer = Trace(found.fault, p, static_cast<uint32_t>(o));
      }
      found.by_answer = speaks && DecoderReads(View(), static_cast<uint32_t>(o));
      found.agrees = found.fault == Fault::kNone && found.whole.changed == 0;
      if (found.by_answer) {
        found.agrees &= !plan.LosesMore(limits);
      } else if (output.kind != Kind::kNumbers) {
        found.agrees &= found.likeness.Agrees(output.kind, limits);
      } else {
        found.agrees &= NumbersAgree(output, found, plan);
      }
    }
  }

  // By pieces where there are several: what they are joined of is no quantity of its own.
  bool NumbersAgree(const Output& output, const OutputFindings& found,
                    const PlanFindings& plan) const {
    if (found.pieces.size() < 2) {
      return findings_.Reaches(plan, output.pieces[0], found.whole);
    }
    for (size_t i = 0; i < found.pieces.size(); ++i) {
      if (!findings_.Reaches(plan, output.pieces[i], found.pieces[i])) return false;
    }
    return true;
  }

  static void FindFault(const Output& output, OutputFindings* found) {
    const auto fault_of = [&output](const Figures& figures) {
      if (figures.broken > 0) return Fault::kNoNumber;
      const bool amounts = output.kind == Kind::kNumbers || output.kind == Kind::kRows;
      return figures.lost && amounts ? Fault::kConstant : Fault::kNone;
    };
    found->fault = fault_of(found->whole);
    for (size_t i = 0; i < found->pieces.size() && found->fault == Fault::kNone; ++i) {
      if (output.pieces[i].exact) continue;
      found->fault = fault_of(found->pieces[i]);
      if (found->fault != Fault::kNone) found->faulty_piece = output.pieces[i].name;
    }
  }

  std::string Trace(Fault fault, uint32_t plan, uint32_t output) {
    std::vector<std::vector<Tensor>> samples;
    std::set<std::string> infinite;
    const auto broken = broken_.find({plan, output});
    const bool known = fault == Fault::kNoNumber && broken != broken_.end();
    for (const int64_t sample : known ? broken->second : given_.samples) {
      if (samples.size() == kTraced) break;
      samples.push_back(Load(given_, sample));
      if (fault == Fault::kNoNumber && !references_.empty()) {
        infinite.merge(references_[0]->InfiniteNodes(samples.back()));
      }
    }
    return FirstLayerWith(fault, *runners_[0], plan, output, samples, infinite);
  }

  const Case& given_;
  graph::Graph graph_;
  int threads_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Runner>> runners_;
  std::vector<std::unique_ptr<Reference>> references_;
  std::optional<Decoder> decoder_;
  std::vector<std::unique_ptr<Measure>> measures_;  // by plan; null: no task
  std::vector<Distance> distances_;
  std::vector<std::pair<int64_t, int64_t>> steps_;
  // By plan and output: samples with a result that is no number where the reference has one.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<int64_t>> broken_;
  std::mutex keeping_;  // of given_.outputs
  Findings findings_;
};

}  // namespace

int OutputFindings::WorstPiece() const {
  if (pieces.size() < 2) return -1;
  return static_cast<int>(std::ranges::min_element(pieces, {}, &Figures::Db) - pieces.begin());
}

bool PlanFindings::Fails() const {
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const OutputFindings& output) { return output.fault != Fault::kNone; });
}

bool PlanFindings::Agrees() const {
  return std::all_of(outputs.begin(), outputs.end(),
                     [](const OutputFindings& output) { return output.agrees; });
}

size_t PlanFindings::Worst(const std::vector<Output>& outputs_of) const {
  const auto is_amount = [&outputs_of](size_t o) {
    return std::any_of(outputs_of[o].pieces.begin(), outputs_of[o].pieces.end(),
                       [](const Piece& piece) { return !piece.exact; }) &&
           outputs_of[o].kind != Kind::kClasses && outputs_of[o].kind != Kind::kMask;
  };
  size_t worst = 0;
  for (size_t o = 1; o < outputs.size(); ++o) {
    const bool lower = outputs[o].whole.Db() < outputs[worst].whole.Db();
    if (is_amount(o) != is_amount(worst) ? is_amount(o) : lower) worst = o;
  }
  return worst;
}

const PlanFindings* Findings::Find(PlanId plan) const {
  const auto found = std::find_if(plans.begin(), plans.end(),
                                  [plan](const PlanFindings& p) { return p.Is(plan); });
  return found == plans.end() ? nullptr : &*found;
}

const Limits& Findings::LimitsOf(const PlanFindings& plan) const {
  return plan.Is(PlanId::kFp16) && !rounds_to_codes ? kFp16Limits : kInt8Limits;
}

bool Findings::Reaches(const PlanFindings& plan, const Piece& piece, const Figures& figures) const {
  if (figures.broken > 0) return false;
  const bool fp16 = plan.Is(PlanId::kFp16);
  const double step = std::max(piece.grid, piece.step / (fp16 ? kFinerThanInt8 : 1));
  if (figures.rms_error <= step && figures.largest <= kMostSteps * step) return true;
  const Limits& limits = LimitsOf(plan);
  if (figures.about_mean_db < limits.snr_db) return false;
  if (fp16 && rounds_to_codes) return true;
  return figures.cosine >= limits.cosine &&
         (!figures.about_elements_db ||
          *figures.about_elements_db >= limits.snr_db - kElementsAllowanceDb);
}

Findings Judge(const Case& given) {
  return Trial(given).Find();
}

}  // namespace octet::judge
