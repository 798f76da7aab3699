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

Metrics::Metrics() : start_ns_(NowNs()) {}

double Metrics::StartSeconds() const {
  return start_ns_ == kNever ? start_s_ : WallSecondsAt(start_ns_);
}

CameraMetrics& Metrics::AddCamera(const std::string& name) {
  return *cameras_.emplace_back(std::make_unique<CameraMetrics>(name));
}

void Metrics::SetBlob(const BlobDescription& blob) {
  for (const auto& camera : cameras_) camera->SetPlan(0);
  blob_.Store(blob);
}

void Metrics::SetBlob(const BlobView& blob) {
  SetBlobOfFeatures(blob);
  for (const auto& camera : cameras_) camera->SetBlobOfFeatures(blob);
}

template <typename WriteOne>
void Metrics::EachCamera(WriteOne write, Exposition* out) const {
  for (const auto& camera : cameras_) {
    out->SetCamera(camera->name());
    write(*camera);
  }
  out->SetCamera("");
}

void Metrics::WriteFeatures(MetricPlace place, Exposition* out) const {
  EachCamera([&](const CameraMetrics& camera) { camera.WriteOwn(place, out); }, out);
  WriteOwn(place, out);
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
  EachCamera(
      [&](const CameraMetrics& camera) {
        const uint32_t current = camera.plan();
        for (uint32_t i = 0; i < blob.plan_count_; ++i) {
          out->Sample("", {{"plan", blob.plans_[i].data()}}, uint64_t{i == current});
        }
      },
      out);
}

void Metrics::Write(uint64_t resident_bytes, Exposition* out) const {
  const BlobDescription blob = blob_.Load();
  WriteBlob(blob, out);
  WriteFeatures(MetricPlace::kDevice, out);
  EachCamera([&](const CameraMetrics& camera) { camera.WriteFrames(out); }, out);
  WriteCounter("octet_lines_dropped_total", "Result lines that were not read.", Now(lines_dropped_),
               out);
  WriteFeatures(MetricPlace::kEvents, out);
  WriteCounter("octet_unwritten_total", "Pictures and records that could not be written.",
               Now(unwritten_), out);
  WriteFeatures(MetricPlace::kRecords, out);
  EachCamera([&](const CameraMetrics& camera) { camera.WriteAge(out); }, out);
  EachCamera([&](const CameraMetrics& camera) { camera.WriteSource(out); }, out);
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
