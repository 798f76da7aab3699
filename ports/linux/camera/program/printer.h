// Results as lines: one object a frame, one line a picture, or one line a second for people; and
// the summary behind them.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_PRINTER_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_PRINTER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "ports/linux/camera/program/emitter.h"
#include "ports/linux/camera/program/observer.h"
#include "ports/linux/camera/program/tally.h"
#include "ports/linux/results/text.h"

namespace octet::port {

class Printer {
 public:
  // json: read for each line.
  Printer(const bool& json, Emitter& emitter, const StopRequest& stop,
          const std::vector<std::unique_ptr<Observer>>& observers)
      : json_(json), emitter_(emitter), stop_(stop), observers_(observers) {}
  void Reserve(size_t line_bytes);
  // The frame's object, whether it is printed or not.
  const Line& Json(const FrameReport& report, const Outcome& outcome);
  // False where nobody reads any more. json: of this frame, where it was asked for.
  bool Print(const FrameReport& report, const Outcome& outcome, const Line* json);
  struct Source {
    uint64_t captured, dropped, longest_gap_ns;
  };
  void Summarise(uint64_t elapsed_ns, const Tally& tally, const Source& source, bool has_slots);

 private:
  bool PrintEverySecond(const FrameReport& report, const Outcome& outcome);
  void SummariseJson(uint64_t elapsed_ns, const Tally& tally, const Source& source, bool has_slots);

  const bool& json_;
  Emitter& emitter_;
  const StopRequest& stop_;
  const std::vector<std::unique_ptr<Observer>>& observers_;
  Line line_{kLineBytes}, status_{kLineBytes};
  uint64_t printed_ = 0, printed_ns_ = 0, next_print_ns_ = 0;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_PRINTER_H_
