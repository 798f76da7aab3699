#include "converter/convert/progress.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace octet::convert {
namespace {

// Of all work together: many short pieces are long work too.
std::chrono::steady_clock::time_point last_line = std::chrono::steady_clock::now();

std::vector<std::string> stages;
size_t stage = 0;  // the last that began, from 1

}  // namespace

void PlanStages(std::vector<std::string> labels) {
  stages = std::move(labels);
  stage = 0;
}

std::string StageLabel(const std::string& label) {
  const auto at = std::find(stages.begin(), stages.end(), label);
  if (at == stages.end()) return label;
  stage = std::max(stage, static_cast<size_t>(at - stages.begin()) + 1);
  return fmt::format("[{}/{}] {}", stage, stages.size(), label);
}

Progress::Progress(const std::string& label)
    : label_(StageLabel(label)),
      is_terminal_(isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

void Progress::Show(int64_t done, int64_t total) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (total <= 0) return;
  share_ = std::clamp(static_cast<double>(done) / static_cast<double>(total), share_, 1.0);
  // Of less the rest cannot be told: the first steps often take longest.
  constexpr double kLeastShare = 0.05;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string left =
      share_ < kLeastShare ? "" : fmt::format(", {:.0f} s left", seconds * (1 - share_) / share_);
  if (!is_terminal_) {
    if (now - last_line < 30s) return;
    last_line = now;
    fmt::print(stderr, "octet: {}: {:.0f} %{}\n", label_, 100 * share_, left);
    return;
  }
  if (drawn_ && done < total && now - last_ < 100ms) return;
  last_ = now;
  drawn_ = true;
  constexpr double kWidth = 30;
  const auto filled = static_cast<size_t>(kWidth * share_);
  fmt::print(stderr, "\r{} [{}{}] {:.0f} %{}   ", label_, std::string(filled, '#'),
             std::string(static_cast<size_t>(kWidth) - filled, '.'), 100 * share_, left);
  std::fflush(stderr);
}

void Progress::Finish() {
  if (drawn_) fmt::print(stderr, "\n");
  drawn_ = false;
}

}  // namespace octet::convert
