#include "ports/linux/camera/program/printer.h"

namespace octet::port {
namespace {

double Milliseconds(uint64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

using Count = unsigned long long;

}  // namespace

void Printer::Reserve(size_t line_bytes) {
  line_.Reserve(line_bytes);
  status_.Reserve(line_bytes);
}

const Line& Printer::Json(const FrameReport& report, const Outcome& outcome) {
  fields_.Clear();
  for (Observer* observer : observers_) observer->AddFields(outcome.done_ns, &fields_);
  FormatJson(report, fields_, outcome.results, outcome.session, &line_);
  return line_;
}

bool Printer::Print(const FrameReport& report, const Outcome& outcome, bool json) {
  if (json) return emitter_.Write(*outcome.json, stop_);
  if (*report.picture == 0) return PrintEverySecond(report, outcome);
  status_.Clear();
  BeginPlain(&status_);
  FormatPicture(report.picture, report.infer_ms, outcome.results, outcome.session, &status_);
  return emitter_.Write(status_, stop_);
}

void Printer::BeginPlain(Line* line) const {
  if (!camera_.empty()) line->Add("%s  ", camera_.c_str());
}

bool Printer::PrintEverySecond(const FrameReport& report, const Outcome& outcome) {
  const uint64_t now = outcome.done_ns;
  if (now < next_print_ns_) return true;
  const bool first = next_print_ns_ == 0;
  const double fps = first ? 0
                           : static_cast<double>(outcome.processed - printed_) * 1e9 /
                                 static_cast<double>(now - printed_ns_);
  status_.Clear();
  BeginPlain(&status_);
  status_.Add("frame %-8llu %s  %7.2f ms  age %7.2f ms  %6.1f fps  dropped %llu",
              static_cast<Count>(report.number), report.plan, report.infer_ms, report.age_ms, fps,
              static_cast<Count>(report.dropped));
  for (Observer* observer : observers_) observer->AddStatus(&status_);
  status_.Add("  ");
  FormatResults(outcome.results, outcome.session, false, &status_);
  status_.Add("\n");
  printed_ = outcome.processed;
  printed_ns_ = now;
  next_print_ns_ = now + 1000000000u;
  return emitter_.Write(status_, stop_);
}

void Printer::SummariseJson(uint64_t elapsed_ns, const Tally& tally, const Source& source,
                            const Changes& changes) {
  const double seconds = static_cast<double>(elapsed_ns) / 1e9;
  Line line(4096);
  BeginJson(camera_.c_str(), &line);
  line.Add(
      "\"summary\":{\"frames\":%llu,\"captured\":%llu,\"dropped\":%llu,\"fps\":%.2f,"
      "\"median_ms\":%.3f,\"max_ms\":%.3f,\"median_age_ms\":%.3f,\"max_age_ms\":%.3f,"
      "\"max_gap_ms\":%.3f,\"rss_bytes\":%llu,\"rss_bytes_at_frame_1000\":%llu,"
      "\"lines_dropped\":%llu,\"max_pause_ms\":%.3f",
      static_cast<Count>(tally.processed), static_cast<Count>(source.captured),
      static_cast<Count>(source.dropped),
      seconds > 0 ? static_cast<double>(tally.processed) / seconds : 0,
      Milliseconds(tally.inference.MedianNs()), Milliseconds(tally.inference.largest_ns()),
      Milliseconds(tally.age.MedianNs()), Milliseconds(tally.age.largest_ns()),
      Milliseconds(source.longest_gap_ns), static_cast<Count>(ResidentBytes()),
      static_cast<Count>(tally.settled_rss_bytes), static_cast<Count>(emitter_.dropped()),
      Milliseconds(tally.longest_pause_ns));
  if (changes.told || changes.count != 0) {
    line.Add(",\"model_changes\":%llu,\"max_change_ms\":%.3f", static_cast<Count>(changes.count),
             Milliseconds(changes.longest_ns));
  }
  for (Observer* observer : observers_) observer->AddSummary(elapsed_ns, &line);
  line.Add("}}\n");
  emitter_.Last(line, false);
}

void Printer::Summarise(uint64_t elapsed_ns, const Tally& tally, const Source& source, bool json,
                        const Changes& changes) {
  if (json) return SummariseJson(elapsed_ns, tally, source, changes);
  const double seconds = static_cast<double>(elapsed_ns) / 1e9;
  Line line(4096);
  BeginPlain(&line);
  line.Add(
      "%llu frames in %.1f s (%.1f fps), %llu dropped; median %.2f ms, age %.2f ms (at most "
      "%.2f); %.1f MB resident",
      static_cast<Count>(tally.processed), seconds,
      seconds > 0 ? static_cast<double>(tally.processed) / seconds : 0,
      static_cast<Count>(source.dropped), Milliseconds(tally.inference.MedianNs()),
      Milliseconds(tally.age.MedianNs()), Milliseconds(tally.age.largest_ns()),
      static_cast<double>(ResidentBytes()) / 1e6);
  for (Observer* observer : observers_) observer->AddSummaryText(&line);
  if (const uint64_t dropped = emitter_.dropped(); dropped != 0) {
    line.Add("; %llu result lines were not read and were dropped", static_cast<Count>(dropped));
  }
  line.Add("\n");
  emitter_.Last(line, true);
}

}  // namespace octet::port
