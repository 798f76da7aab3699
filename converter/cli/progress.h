// A progress bar on stderr, only where a person can see it.
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
  void Show(int64_t done, int64_t total);  // draws at most ten times a second
  void Finish();                           // ends the line

 private:
  std::string label_;
  bool visible_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_PROGRESS_H_
