#include "converter/cli/progress.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace octet::cli {
namespace {

// Of all work together: many short pieces are long work too.
std::chrono::steady_clock::time_point last_line = std::chrono::steady_clock::now();

}  // namespace

Progress::Progress(std::string label)
    : label_(std::move(label)),
      is_terminal_(isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

void Progress::Show(int64_t done, int64_t total) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (total <= 0) return;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double left =
      done > 0 ? seconds * static_cast<double>(total - done) / static_cast<double>(done) : 0;
  if (!is_terminal_) {
    if (now - last_line < 30s) return;
    last_line = now;
    fmt::print(stderr, "octet: {}: {} of {}, {:.0f} s left\n", label_, done, total, left);
    return;
  }
  if (drawn_ && done < total && now - last_ < 100ms) return;
  last_ = now;
  drawn_ = true;
  constexpr int64_t kWidth = 30;
  const auto filled = static_cast<size_t>(kWidth * done / total);
  fmt::print(stderr, "\r{} [{}{}] {}/{} {:.0f} s left ", label_, std::string(filled, '#'),
             std::string(static_cast<size_t>(kWidth) - filled, '.'), done, total, left);
  std::fflush(stderr);
}

void Progress::Finish() {
  if (drawn_) fmt::print(stderr, "\n");
  drawn_ = false;
}

}  // namespace octet::cli
