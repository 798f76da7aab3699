#include "converter/judge/halves.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "converter/support/error.h"

namespace octet::judge {
namespace {

// Twice the error: what is cut off in few samples is no luck, however far these differ.
constexpr double kErrorDoubledDb = 3.0103;

double DecibelsOf(const simulate::Scores& scores) {
  return simulate::MeanDecibels(scores.Pieces());
}

// Beyond what is worth a word, and beyond luck.
bool IsFar(double db, double error_db) {
  return db >= std::min(kErrorDoubledDb, std::max(kHalvesDifferDb, kErrorsOfHalves * error_db));
}

void FindTensor(const graph::Graph& graph, const quantize::Scheme& first,
                const quantize::Scheme& second, HalvesFindings* found) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (first.precision[n] != blob::Precision::kInt8) continue;
    for (const graph::ValueId id : graph.nodes[n].outputs) {
      if (id == graph::kNoValue) continue;
      const auto &a = first.tensors[static_cast<size_t>(id)],
                 &b = second.tensors[static_cast<size_t>(id)];
      if (!a || !b) continue;
      const double ratio = static_cast<double>(a->scale) / static_cast<double>(b->scale);
      const double apart = std::max(ratio, 1 / ratio);
      if (apart <= found->scale_ratio) continue;
      found->scale_ratio = apart;
      found->tensor = graph.At(id).name;
    }
  }
}

}  // namespace

bool HalvesFindings::Disagree() const {
  return IsFar(std::fabs(DifferenceDb()), error_db) || IsFar(own_db, own_error_db);
}

std::string HalvesFindings::Words() const {
  return fmt::format(
      "two halves of the calibration samples disagree: int8 plans of {:.1f} and {:.1f} dB, {:.1f} "
      "dB less on samples of the other half; the scales of '{}' differ most, {:.2f} times; try: "
      "more calibration samples",
      first_db, second_db, std::max(0.0, own_db), tensor, scale_ratio);
}

nlohmann::json HalvesFindings::Json() const {
  return {{"samples", samples},           {"first_db", first_db},
          {"second_db", second_db},       {"difference_db", DifferenceDb()},
          {"error_db", error_db},         {"own_db", own_db},
          {"own_error_db", own_error_db}, {"tensor", tensor},
          {"scale_ratio", scale_ratio},   {"disagree", Disagree()}};
}

std::optional<HalvesFindings> CompareHalves(const simulate::Simulator& simulator,
                                            const calibrate::Halves& halves,
                                            const quantize::Config& config,
                                            const std::array<std::vector<int64_t>, 2>& samples) {
  if (halves[0].empty() || halves[1].empty() || samples[0].empty() || samples[1].empty()) {
    return std::nullopt;
  }
  const graph::Graph& graph = simulator.topology().graph;
  try {
    const quantize::Scheme first = quantize::AssignScheme(graph, halves[0], config);
    const quantize::Scheme second = quantize::AssignScheme(graph, halves[1], config);
    std::vector<int64_t> all = samples[0];
    all.insert(all.end(), samples[1].begin(), samples[1].end());
    const auto compared = simulator.Compare(first, {second}, all);
    const simulate::Gain gain = simulate::GainInDecibels(compared.base, compared.variants[0]);
    // The same where the plan of a sample's own half stands behind.
    simulate::Scores other = compared.base, own = compared.variants[0];
    for (size_t i = 0; i < samples[0].size(); ++i) std::swap(other.pictures[i], own.pictures[i]);
    const simulate::Gain own_gain = simulate::GainInDecibels(other, own);
    HalvesFindings found;
    found.samples = static_cast<int64_t>(all.size());
    found.first_db = DecibelsOf(compared.base);
    found.second_db = DecibelsOf(compared.variants[0]);
    found.error_db = gain.error;
    found.own_db = DecibelsOf(own) - DecibelsOf(other);
    found.own_error_db = own_gain.error;
    FindTensor(graph, first, second, &found);
    return found;
  } catch (const UserError&) {  // a value that one half never reaches
    return std::nullopt;
  }
}

}  // namespace octet::judge
