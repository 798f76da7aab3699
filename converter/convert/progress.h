// The progress of a command on stderr: a bar where a person can see it; elsewhere, as in a log, a
// line every half a minute of long work.
#ifndef OCTET_CONVERTER_CONVERT_PROGRESS_H_
#define OCTET_CONVERTER_CONVERT_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace octet::convert {

// What the stages of one command report to.
class Progress {
 public:
  // stages: their labels in order: each Stage with one of them says which of how many it is. A
  // stage that is left out keeps its number.
  explicit Progress(std::vector<std::string> stages = {}) : stages_(std::move(stages)) {}

  // "[2/7] rounding weights"; the label alone where it is none of them. Numbers never fall: work
  // that is done again belongs to the last stage that began.
  std::string Begin(const std::string& label);
  // Whether a line is due in a log: many short pieces are long work too.
  bool TakeLine();

 private:
  std::vector<std::string> stages_;
  size_t stage_ = 0;  // the last that began, from 1
  std::chrono::steady_clock::time_point last_line_ = std::chrono::steady_clock::now();
};

// One of them, as long as it lives. Shares are in percent of the stage and never fall, whatever the
// work turns out to be.
class Stage {
 public:
  Stage(Progress* progress, const std::string& label);
  ~Stage() { Finish(); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  void Show(int64_t done, int64_t total);
  // Show, for work that is given a function.
  std::function<void(int64_t done, int64_t total)> Shower() {
    return [this](int64_t done, int64_t total) { Show(done, total); };
  }
  void Finish();  // ends the line

 private:
  Progress* progress_;
  std::string label_;
  bool is_terminal_;
  bool drawn_ = false;
  double share_ = 0;  // done, the largest so far
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_PROGRESS_H_
