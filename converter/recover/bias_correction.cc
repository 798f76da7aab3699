#include "converter/recover/bias_correction.h"

#include <algorithm>
#include <cmath>

#include "converter/operators/weights.h"
#include "converter/recover/lockstep.h"

namespace octet::recover {
namespace {

using Corrections = std::vector<std::vector<float>>;

// Who corrects never judges: a mean of few pictures always fits those.
constexpr int64_t kFewestOfEither = 4, kMostJudges = 8;

struct Pictures {
  std::vector<int64_t> correct, judge;
};

// Spread over the data set. Of those that correct no more than `fits`, for they go side by side.
Pictures Split(int64_t available, int64_t wanted, int64_t fits) {
  Pictures pictures;
  const int64_t count = std::min(available, wanted);
  if (count < 2 * kFewestOfEither || fits < kFewestOfEither) return pictures;
  const int64_t judges = std::clamp(count / 4, kFewestOfEither, kMostJudges);
  const int64_t every = count / judges;
  for (int64_t i = 0; i < count; ++i) {
    const bool judges_it = i % every == every - 1;
    (judges_it ? pictures.judge : pictures.correct).push_back(i * available / count);
  }
  const auto some = static_cast<int64_t>(pictures.correct.size());
  if (some <= fits) return pictures;
  for (int64_t i = 0; i < fits; ++i) {
    pictures.correct[static_cast<size_t>(i)] =
        pictures.correct[static_cast<size_t>(i * some / fits)];
  }
  pictures.correct.resize(static_cast<size_t>(fits));
  return pictures;
}

// The mean over pieces of outputs, in dB.
double ScoreOf(const std::vector<Figure>& figures) {
  double sum = 0;
  int count = 0;
  for (const Figure& figure : figures) {
    const double db = Decibels(figure);
    if (std::isnan(db)) continue;
    sum += db;
    ++count;
  }
  return sum / std::max(1, count);
}

// By node and piece: whether the piece depends on the node.
std::vector<std::vector<bool>> Reach(const graph::Graph& graph) {
  const operators::OutputView view = operators::ViewOutputs(graph);
  size_t count = 0;
  for (const auto& pieces : view.outputs) count += pieces.size();
  std::vector<std::vector<bool>> of_value(graph.values.size(), std::vector<bool>(count));
  size_t piece = 0;
  for (const auto& pieces : view.outputs) {
    for (const auto& one : pieces) of_value[static_cast<size_t>(one.value)][piece++] = true;
  }
  std::vector<std::vector<bool>> of_node(graph.nodes.size(), std::vector<bool>(count));
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const auto unite = [count](const std::vector<bool>& from, std::vector<bool>* to) {
      for (size_t p = 0; p < count; ++p) (*to)[p] = (*to)[p] || from[p];
    };
    for (graph::ValueId id : graph.nodes[n].outputs) {
      if (id != graph::kNoValue) unite(of_value[static_cast<size_t>(id)], &of_node[n]);
    }
    for (graph::ValueId id : graph.nodes[n].inputs) {
      if (id != graph::kNoValue) unite(of_node[n], &of_value[static_cast<size_t>(id)]);
    }
  }
  return of_node;
}

// `corrections` less those that only pieces feel which they made worse. Empty where that changes
// nothing, or leaves nothing.
Corrections WithoutFallen(const graph::Graph& graph, const std::vector<Figure>& before,
                          const std::vector<Figure>& after, const Corrections& corrections) {
  Corrections rest = corrections;
  const auto reach = Reach(graph);
  bool dropped = false, any = false;
  for (size_t n = 0; n < rest.size(); ++n) {
    if (rest[n].empty()) continue;
    bool gains = false;
    for (size_t p = 0; p < before.size(); ++p) {
      gains |= reach[n][p] && !(Decibels(after[p]) < Decibels(before[p]));
    }
    if (!gains) std::fill(rest[n].begin(), rest[n].end(), 0.0f);
    dropped |= !gains;
    any |= gains;
  }
  return dropped && any ? rest : Corrections{};
}

}  // namespace

bool IsWorthCorrecting(const graph::Graph& graph) {
  int64_t layers = 0, depthwise = 0;
  for (const graph::Node& node : graph.nodes) {
    const auto weights = operators::WeightsOf(graph, node);
    if (!weights) continue;
    ++layers;
    if (weights->outputs > 1 && node.Int("group", 1) == weights->outputs) ++depthwise;
  }
  return depthwise > 0 && 8 * depthwise >= layers;
}

Gain CorrectBiases(const graph::Graph& graph, const std::vector<const images::Dataset*>& inputs,
                   const Options& options, quantize::Scheme* scheme) {
  Gain gain;
  const Corrections none(graph.nodes.size());
  scheme->bias_correction = none;
  const int64_t available = inputs.empty() ? 0 : inputs[0]->size();
  const int64_t fits = options.memory_bytes / std::max<int64_t>(BytesOfPicture(graph), 1);
  const Pictures pictures = Split(available, options.samples, fits);
  if (pictures.judge.empty()) return gain;
  const auto judges = static_cast<int64_t>(pictures.judge.size());
  const int64_t rounds = (judges + fits - 1) / fits;
  // Judged without corrections, with them, and perhaps with a part of them.
  const auto total = (1 + 3 * rounds) * static_cast<int64_t>(graph.nodes.size());
  int64_t done = 0;
  const auto progress = [&] {
    ++done;
    if (options.progress) options.progress(done, total);
  };
  const auto judge = [&](const Corrections& corrections) {
    scheme->bias_correction = corrections;
    std::vector<Figure> figures;
    for (int64_t first = 0; first < judges; first += fits) {
      Lockstep lockstep(graph, *scheme, options.threads);
      for (int64_t i = first; i < std::min(judges, first + fits); ++i) {
        lockstep.Add(inputs, pictures.judge[static_cast<size_t>(i)]);
      }
      lockstep.Run(progress, &figures);
    }
    return figures;
  };
  const std::vector<Figure> before = judge(none);
  Corrections corrections;
  {
    Lockstep lockstep(graph, *scheme, options.threads);
    for (int64_t sample : pictures.correct) lockstep.Add(inputs, sample);
    corrections = lockstep.Correct(progress);
  }
  const std::vector<Figure> after = judge(corrections);
  gain.judges = judges;
  gain.before_db = ScoreOf(before);
  gain.after_db = ScoreOf(after);
  Corrections part = WithoutFallen(graph, before, after, corrections);
  if (!part.empty()) {
    const double part_db = ScoreOf(judge(part));
    if (part_db > gain.after_db) {
      gain.after_db = part_db;
      corrections = std::move(part);
    }
  }
  gain.kept = gain.after_db > gain.before_db;
  scheme->bias_correction = gain.kept ? corrections : none;
  return gain;
}

}  // namespace octet::recover
