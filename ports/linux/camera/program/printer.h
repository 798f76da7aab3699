// Results as lines: one object a frame, one line a picture, or one line a second for people; and
// the summary behind them.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_PRINTER_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_PRINTER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ports/linux/camera/program/emitter.h"
#include "ports/linux/camera/program/observer.h"
#include "ports/linux/camera/program/tally.h"
#include "ports/linux/results/text.h"

namespace octet::port {

class Printer {
 public:
  // camera: its name, which begins each line; empty: there is no list.
  Printer(const std::string& camera, Emitter& emitter, const StopRequest& stop,
          const std::vector<Observer*>& observers)
      : camera_(camera), emitter_(emitter), stop_(stop), observers_(observers) {}
  void Reserve(size_t line_bytes);
  // The frame's object, whether it is printed or not.
  const Line& Json(const FrameReport& report, const Outcome& outcome);
  // False if the reader has gone. json: print the object that the outcome has.
  bool Print(const FrameReport& report, const Outcome& outcome, bool json);
  struct Source {
    uint64_t captured, dropped, longest_gap_ns;
  };
  void Summarise(uint64_t elapsed_ns, const Tally& tally, const Source& source, bool json,
                 const Changes& changes);

 private:
  static constexpr size_t kFieldBytes = 4096;  // of all features
  bool PrintEverySecond(const FrameReport& report, const Outcome& outcome);
  void SummariseJson(uint64_t elapsed_ns, const Tally& tally, const Source& source,
                     const Changes& changes);
  void BeginPlain(Line* line) const;

  const std::string& camera_;
  Emitter& emitter_;
  const StopRequest& stop_;
  const std::vector<Observer*>& observers_;
  Line line_{kLineBytes}, status_{kLineBytes}, fields_{kFieldBytes};
  uint64_t printed_ = 0, printed_ns_ = 0, next_print_ns_ = 0;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_PRINTER_H_
