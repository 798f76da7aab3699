// A progress bar on stderr where a person can see it; elsewhere, as in a log, a line every half a
// minute of long work. Shares are in percent of the stage and never fall, whatever the work turns
// out to be.
#ifndef OCTET_CONVERTER_CONVERT_PROGRESS_H_
#define OCTET_CONVERTER_CONVERT_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace octet::convert {

// The stages of a command in their order, before the first begins: each Progress with one of these
// labels then says which of how many it is. A stage that is left out keeps its number.
void PlanStages(std::vector<std::string> labels);

// "[2/7] rounding weights"; the label alone where it is no stage of the plan. Numbers never fall:
// work that is done again belongs to the last stage that began.
std::string StageLabel(const std::string& label);

class Progress {
 public:
  explicit Progress(const std::string& label);
  ~Progress() { Finish(); }
  void Show(int64_t done, int64_t total);
  void Finish();  // ends the line

 private:
  std::string label_;
  bool is_terminal_;
  bool drawn_ = false;
  double share_ = 0;  // done, the largest so far
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_PROGRESS_H_
