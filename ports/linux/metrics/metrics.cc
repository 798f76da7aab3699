#include "ports/linux/metrics/metrics.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "ports/linux/model.h"
#include "ports/linux/wall_clock.h"

namespace octet::port {
namespace {

uint64_t Now(const std::atomic<uint64_t>& counter) {
  return counter.load(std::memory_order_relaxed);
}

// Only one thread writes the number, so no locked instruction is needed.
void AddAlone(std::atomic<uint64_t>* number, uint64_t more) {
  number->store(number->load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

}  // namespace

void BlobDescription::SetDigest(const uint8_t digest[32]) {
  for (size_t i = 0; i < 32; ++i) std::snprintf(digest_.data() + 2 * i, 3, "%02x", digest[i]);
}

void BlobDescription::SetModel(std::string_view name) {
  SetName(name, &model_);
}
void BlobDescription::SetBoard(std::string_view name) {
  SetName(name, &board_);
}

void BlobDescription::AddPlan(std::string_view name) {
  if (plan_count_ < kMaxPlans) SetName(name, &plans_[plan_count_++]);
}

void Metrics::Histogram::Add(uint64_t ns) {
  // A time equal to a bound is within it: le.
  const uint64_t us = (ns + 999) / 1000;
  const auto* const bound = std::lower_bound(std::begin(kBoundsUs), std::end(kBoundsUs), us);
  AddAlone(&counts[static_cast<size_t>(bound - std::begin(kBoundsUs))], 1);
  AddAlone(&sum_ns, ns);
}

void Metrics::Histogram::Write(Exposition* out) const {
  uint64_t total = 0;
  for (size_t i = 0; i < std::size(kBoundsUs); ++i) {
    total += Now(counts[i]);
    char bound[16];
    std::snprintf(bound, sizeof(bound), "%g", kBoundsUs[i] / 1e6);
    out->Sample("_bucket", {{"le", bound}}, total);
  }
  total += Now(counts.back());
  out->Sample("_bucket", {{"le", "+Inf"}}, total);
  out->Sample("_sum", {}, static_cast<double>(Now(sum_ns)) / 1e9);
  out->Sample("_count", {}, total);  // equal to the last bucket, whatever came meanwhile
}

Metrics::Metrics() : start_ns_(NowNs()) {}

double Metrics::StartSeconds() const {
  return start_ns_ == kNever ? start_s_ : WallSecondsAt(start_ns_);
}

void Metrics::SetBlob(const BlobDescription& blob) {
  SetPlan(0);
  blob_.Store(blob);
}

void Metrics::AddResult(uint64_t inference_ns, uint64_t age_ns) {
  inference_.Add(inference_ns);
  age_.Add(age_ns);
}

void Metrics::SetFrames(uint64_t processed, uint64_t dropped, uint64_t lines_dropped) {
  processed_.store(processed, std::memory_order_relaxed);
  dropped_.store(dropped, std::memory_order_relaxed);
  lines_dropped_.store(lines_dropped, std::memory_order_relaxed);
}

void Metrics::CountSkipped() {
  AddAlone(&skipped_, 1);
}

void Metrics::WriteFeatures(MetricPlace place, Exposition* out) const {
  for (const auto& [type, feature] : features_) feature->Write(place, out);
}

void Metrics::WriteBlob(const BlobDescription& blob, Exposition* out) const {
  out->Family("octet_blob_info", "gauge", "The running blob: digest, name and board.");
  out->Sample("",
              {{"digest", blob.digest_.data()},
               {"model", blob.model_.data()},
               {"board", blob.board_.data()}},
              uint64_t{1});
  WriteGauge("octet_security_version",
             "Security counter of the blob, which rises with its releases.", blob.security_counter,
             out);
  WriteFeatures(MetricPlace::kBlob, out);
  out->Family("octet_plan", "gauge", "1 for the running plan, 0 for the others.");
  const uint32_t current = plan_.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < blob.plan_count_; ++i) {
    out->Sample("", {{"plan", blob.plans_[i].data()}}, uint64_t{i == current});
  }
}

void Metrics::Write(uint64_t resident_bytes, Exposition* out) const {
  const BlobDescription blob = blob_.Load();
  WriteBlob(blob, out);
  WriteFeatures(MetricPlace::kDevice, out);
  out->Family("octet_inference_seconds", "histogram",
              "Preprocessing, network and decoding of a frame.");
  inference_.Write(out);
  out->Family("octet_result_age_seconds", "histogram", "From a frame's capture to its result.");
  age_.Write(out);
  WriteCounter("octet_frames_total", "Frames with a result.", Now(processed_), out);
  WriteCounter("octet_frames_dropped_total", "Frames that a newer one replaced before their turn.",
               Now(dropped_), out);
  WriteCounter("octet_frames_skipped_total", "Frames skipped while heat lowers the rate.",
               Now(skipped_), out);
  WriteCounter("octet_lines_dropped_total", "Result lines that were not read.", Now(lines_dropped_),
               out);
  WriteFeatures(MetricPlace::kEvents, out);
  WriteCounter("octet_unwritten_total", "Pictures and records that could not be written.",
               Now(unwritten_), out);
  WriteFeatures(MetricPlace::kRecords, out);
  if (const uint64_t captured_ns = Now(captured_ns_); captured_ns != kNever) {
    const uint64_t now_ns = NowNs();
    const uint64_t age_ns = now_ns > captured_ns ? now_ns - captured_ns : 0;
    WriteGauge("octet_last_frame_age_seconds", "Age of the newest frame.",
               static_cast<double>(age_ns) / 1e9, out);
  }
  if (const ClockState clock = ReadClockState(); clock != ClockState::kUnknown) {
    WriteGauge("octet_clock_synchronised", "1: the clock is synchronised (NTP); 0: it is not.",
               uint64_t{clock == ClockState::kSynchronised}, out);
  }
  WriteFeatures(MetricPlace::kScore, out);
  WriteIfKnown("octet_temperature_celsius", "Temperature of the board.",
               celsius_.load(std::memory_order_relaxed), out);
  WriteFeatures(MetricPlace::kRate, out);
  WriteGauge("octet_resident_memory_bytes", "Resident memory of the process.", resident_bytes, out);
  WriteGauge("octet_start_time_seconds", "Start of the process, seconds since 1970.",
             StartSeconds(), out);
  WriteFeatures(MetricPlace::kLayers, out);
}

}  // namespace octet::port
