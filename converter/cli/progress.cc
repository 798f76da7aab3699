#include "converter/cli/progress.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace octet::cli {

Progress::Progress(std::string label)
    : label_(std::move(label)),
      visible_(isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()) {}

void Progress::Show(int64_t done, int64_t total) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (!visible_ || total <= 0 || (drawn_ && done < total && now - last_ < 100ms)) return;
  last_ = now;
  drawn_ = true;
  constexpr int64_t kWidth = 30;
  const auto filled = static_cast<size_t>(kWidth * done / total);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double left =
      done > 0 ? seconds * static_cast<double>(total - done) / static_cast<double>(done) : 0;
  fmt::print(stderr, "\r{} [{}{}] {}/{} {:.0f} s left ", label_, std::string(filled, '#'),
             std::string(static_cast<size_t>(kWidth) - filled, '.'), done, total, left);
  std::fflush(stderr);
}

void Progress::Finish() {
  if (drawn_) fmt::print(stderr, "\n");
  drawn_ = false;
}

}  // namespace octet::cli
