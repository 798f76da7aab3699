#include "ports/linux/metrics/camera_metrics.h"

#include <algorithm>
#include <cstdio>

#include "ports/linux/model.h"

namespace octet::port {
namespace {

uint64_t ValueOf(const std::atomic<uint64_t>& counter) {
  return counter.load(std::memory_order_relaxed);
}

// Only one thread writes the number, so no locked instruction is needed.
void AddAlone(std::atomic<uint64_t>* number, uint64_t more) {
  number->store(number->load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

}  // namespace

void CameraMetrics::Histogram::Add(uint64_t ns) {
  // A time equal to a bound is within it: le.
  const uint64_t us = (ns + 999) / 1000;
  const auto* const bound = std::lower_bound(std::begin(kBoundsUs), std::end(kBoundsUs), us);
  AddAlone(&counts[static_cast<size_t>(bound - std::begin(kBoundsUs))], 1);
  AddAlone(&sum_ns, ns);
}

void CameraMetrics::Histogram::Write(Exposition* out) const {
  uint64_t total = 0;
  for (size_t i = 0; i < std::size(kBoundsUs); ++i) {
    total += ValueOf(counts[i]);
    char bound[16];
    std::snprintf(bound, sizeof(bound), "%g", kBoundsUs[i] / 1e6);
    out->Sample("_bucket", {{"le", bound}}, total);
  }
  total += ValueOf(counts.back());
  out->Sample("_bucket", {{"le", "+Inf"}}, total);
  out->Sample("_sum", {}, static_cast<double>(ValueOf(sum_ns)) / 1e9);
  out->Sample("_count", {}, total);  // equal to the last bucket, whatever came meanwhile
}

void CameraMetrics::AddResult(uint64_t inference_ns, uint64_t age_ns) {
  inference_.Add(inference_ns);
  age_.Add(age_ns);
}

void CameraMetrics::SetFrames(uint64_t processed, uint64_t dropped) {
  processed_.store(processed, std::memory_order_relaxed);
  dropped_.store(dropped, std::memory_order_relaxed);
}

void CameraMetrics::CountSkipped() {
  AddAlone(&skipped_, 1);
}

void CameraMetrics::WriteFrames(Exposition* out) const {
  out->Family("octet_inference_seconds", "histogram",
              "Preprocessing, network and decoding of a frame.");
  inference_.Write(out);
  out->Family("octet_result_age_seconds", "histogram", "From a frame's capture to its result.");
  age_.Write(out);
  WriteCounter("octet_frames_total", "Frames with a result.", ValueOf(processed_), out);
  WriteCounter("octet_frames_dropped_total", "Frames that a newer one replaced before their turn.",
               ValueOf(dropped_), out);
  WriteCounter("octet_frames_skipped_total", "Frames skipped while heat lowers the rate.",
               ValueOf(skipped_), out);
}

void CameraMetrics::WriteSource(Exposition* out) const {
  if (health_ == nullptr) return;
  WriteGauge("octet_source_up", "1: frames come; 0: the source is lost, and is opened again.",
             uint64_t{!health_->away}, out);
  WriteCounter("octet_source_starts_total", "How often the source was opened.",
               health_->starts.load(), out);
  WriteCounter("octet_source_losses_total", "How often the source was lost.",
               health_->losses.load(), out);
}

void CameraMetrics::WriteAge(Exposition* out) const {
  if (const uint64_t captured_ns = ValueOf(captured_ns_); captured_ns != kNever) {
    const uint64_t now_ns = NowNs();
    const uint64_t age_ns = now_ns > captured_ns ? now_ns - captured_ns : 0;
    WriteGauge("octet_last_frame_age_seconds", "Age of the newest frame.",
               static_cast<double>(age_ns) / 1e9, out);
  }
}

}  // namespace octet::port
