#include "converter/convert/progress.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace octet::convert {
std::string Progress::Begin(const std::string& label) {
  const auto at = std::find(stages_.begin(), stages_.end(), label);
  if (at == stages_.end()) return label;
  stage_ = std::max(stage_, static_cast<size_t>(at - stages_.begin()) + 1);
  return fmt::format("[{}/{}] {}", stage_, stages_.size(), label);
}

bool Progress::TakeLine() {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_line_ < 30s) return false;
  last_line_ = now;
  return true;
}

Stage::Stage(Progress* progress, const std::string& label)
    : progress_(progress),
      label_(progress->Begin(label)),
      is_terminal_(isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

void Stage::Show(int64_t done, int64_t total) {
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
    if (!progress_->TakeLine()) return;
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

void Stage::Finish() {
  if (drawn_) fmt::print(stderr, "\n");
  drawn_ = false;
}

}  // namespace octet::convert
