// A progress bar on stderr where a person can see it; elsewhere, as in a log, a line every half a
// minute of long work.
#ifndef OCTET_CONVERTER_CLI_PROGRESS_H_
#define OCTET_CONVERTER_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace octet::cli {

class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress() { Finish(); }
  void Show(int64_t done, int64_t total);
  void Finish();  // ends the line

 private:
  std::string label_;
  bool is_terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_PROGRESS_H_
