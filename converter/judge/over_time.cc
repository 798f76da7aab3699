#include "converter/judge/over_time.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "converter/support/functions.h"

namespace octet::judge {
namespace {

constexpr int64_t kParts = 8;
constexpr size_t kMostClasses = 1024;  // more numbers are no classes

// -1: none.
int64_t DecisionOf(const std::vector<float>& output) {
  if (output.empty() || output.size() > kMostClasses) return -1;
  if (output.size() == 1) return output[0] > 0.5F ? 1 : 0;
  return std::max_element(output.begin(), output.end()) - output.begin();
}

}  // namespace

OverTime::OverTime(size_t outputs, int64_t longest) : longest_(longest) {
  parts_.assign(static_cast<size_t>(std::min(kParts, longest)), std::vector<Sums>(outputs));
}

int64_t OverTime::FirstStep(size_t part) const {
  const auto count = static_cast<int64_t>(parts_.size());
  return (static_cast<int64_t>(part) * longest_ + count - 1) / count;
}

void OverTime::Add(int64_t sequence, int64_t step, const std::vector<std::vector<float>>& reference,
                   const std::vector<std::vector<float>>& actual) {
  const auto part = static_cast<size_t>(step * static_cast<int64_t>(parts_.size()) / longest_);
  ++steps_;
  for (size_t o = 0; o < reference.size(); ++o) {
    Sums& sums = parts_[part][o];
    for (size_t i = 0; i < reference[o].size(); ++i) {
      const double meant = reference[o][i], difference = meant - static_cast<double>(actual[o][i]);
      if (!std::isfinite(meant)) continue;
      sums.count += 1;
      sums.sum += meant;
      sums.squares += meant * meant;
      sums.error += difference * difference;
    }
    const int64_t decision = DecisionOf(reference[o]);
    if (decision < 0) continue;
    ++decisions_;
    if (decision == DecisionOf(actual[o])) {
      ++same_;
    } else if (!first_ || step < first_->step) {
      first_ = Parting{sequence, step, o};
    }
  }
}

std::vector<double> OverTime::Db() const {
  std::vector<double> figures;
  for (const auto& outputs : parts_) {
    double worst = std::numeric_limits<double>::infinity();
    for (const Sums& sums : outputs) {
      const double about_mean = sums.squares - sums.sum * sums.sum / std::max(1.0, sums.count);
      if (sums.error > 0 && about_mean > 0) {
        worst = std::min(worst, 10 * math::Log10(about_mean / sums.error));
      }
    }
    figures.push_back(worst);
  }
  return figures;
}

std::string OverTime::Words(const std::vector<std::string>& names) const {
  const std::vector<double> db = Db();
  std::string words = "over time:";
  for (size_t part = 0; part < db.size(); ++part) {
    const int64_t end = part + 1 == db.size() ? longest_ : FirstStep(part + 1);
    words += fmt::format("{} {:.1f} dB in steps {} to {}", part == 0 ? "" : ",", db[part],
                         FirstStep(part), end - 1);
  }
  if (decisions_ == 0) return words;
  words += fmt::format("; {} of {} decisions are FP32's", same_, decisions_);
  if (first_) {
    words += fmt::format(", the first other one at step {} of sequence {} ('{}')", first_->step,
                         first_->sequence, names[first_->output]);
  }
  return words;
}

nlohmann::json OverTime::Json(const std::vector<std::string>& names) const {
  nlohmann::json json{{"decisions", decisions_}, {"same", same_}};
  const std::vector<double> db = Db();
  for (size_t part = 0; part < db.size(); ++part) {
    json["parts"].push_back(
        {{"first_step", FirstStep(part)},
         {"snr_db", std::isfinite(db[part]) ? nlohmann::json(db[part]) : nlohmann::json()}});
  }
  if (first_) {
    json["first_other"] = {
        {"sequence", first_->sequence}, {"step", first_->step}, {"output", names[first_->output]}};
  }
  return json;
}

}  // namespace octet::judge
