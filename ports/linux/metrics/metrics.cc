#include "ports/linux/metrics/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "ports/linux/model.h"
#include "ports/linux/wall_clock.h"

namespace octet::port {
namespace {

uint64_t Now(const std::atomic<uint64_t>& counter) {
  return counter.load(std::memory_order_relaxed);
}

// A number that one thread alone adds to needs no locked instruction.
void AddAlone(std::atomic<uint64_t>* number, uint64_t more) {
  number->store(number->load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

template <typename Number>
void WriteGauge(const char* name, const char* help, Number value, Exposition* out) {
  out->Family(name, "gauge", help);
  out->Sample("", {}, value);
}

void WriteCount(const char* name, const char* help, uint64_t value, Exposition* out) {
  out->Family(name, "counter", help);
  out->Sample("", {}, value);
}

// Absent where it is not a number.
void WriteIfKnown(const char* name, const char* help, float value, Exposition* out) {
  if (!std::isnan(value)) WriteGauge(name, help, value, out);
}

template <size_t kWords>
void WriteKinds(const char* name, const char* help, const char* label,
                const char* const (&words)[kWords],
                const std::array<std::atomic<uint64_t>, kWords>& counts, Exposition* out) {
  out->Family(name, "counter", help);
  for (size_t i = 0; i < kWords; ++i) out->Sample("", {{label, words[i]}}, Now(counts[i]));
}

}  // namespace

void BlobDescription::Set(std::string_view text, Name* name) {
  constexpr std::string_view kCut = "...";
  name->fill(0);
  char* at = name->data();
  if (text.size() > kNameBytes - 1) {
    at = std::copy(kCut.begin(), kCut.end(), at);
    text.remove_prefix(text.size() - (kNameBytes - 1 - kCut.size()));
  }
  std::transform(text.begin(), text.end(), at,
                 [](char c) { return c >= 0x20 && c < 0x7F ? c : '?'; });
}

void BlobDescription::SetDigest(const uint8_t digest[32]) {
  for (size_t i = 0; i < 32; ++i) std::snprintf(digest_.data() + 2 * i, 3, "%02x", digest[i]);
}

void BlobDescription::SetModel(std::string_view name) {
  Set(name, &model_);
}
void BlobDescription::SetBoard(std::string_view name) {
  Set(name, &board_);
}

void BlobDescription::AddPlan(std::string_view name) {
  if (plan_count_ < kMaxPlans) Set(name, &plans_[plan_count_++]);
}

void BlobDescription::AddLayer(std::string_view name) {
  if (layer_count_ == kMaxLayers) return;
  Name* own = &layers_[layer_count_];
  Set(name, own);
  // One series twice would make Prometheus refuse the whole page.
  const auto taken = [&] {
    return std::find(layers_.begin(), layers_.begin() + layer_count_, *own) !=
           layers_.begin() + layer_count_;
  };
  const size_t length = strnlen(own->data(), kNameBytes);
  for (uint32_t number = 2; taken(); ++number) {
    char* end = own->data() + std::min(length, kNameBytes - 4);  // "#16" and the end
    std::snprintf(end, 4, "#%u", number % 100);
  }
  ++layer_count_;
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

void Metrics::SetDevice(std::string_view name) {
  device_.fill(0);
  name.copy(device_.data(), device_.size() - 1);
}

void Metrics::SetStore(const StoreState& state) {
  if (last_store_.has_record && state.has_record) {
    const StoreChange change = ChangeOf(last_store_, state);
    if (change.refused) {
      CountFlashRefusal(change.refusal, change.refusals);
    } else {
      CountSlot(SlotEvent::kRollback, change.refusals);
    }
    if (change.activated) CountSlot(SlotEvent::kActivate);
    if (change.confirmed) CountSlot(SlotEvent::kConfirm);
  }
  // What cannot be read now is compared with what was read last.
  if (state.has_record) last_store_ = state;
  store_.Store(state);
}

void Metrics::SetBlob(const BlobDescription& blob) {
  for (uint32_t i = 0; i < BlobDescription::kMaxLayers; ++i) SetLayer(i, kNone, kNone, kNone);
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

void Metrics::SetLayer(uint32_t i, float quantization_error, float saturation_ratio,
                       float range_use) {
  if (i >= layers_.size()) return;
  layers_[i].error.store(quantization_error, std::memory_order_relaxed);
  layers_[i].saturation.store(saturation_ratio, std::memory_order_relaxed);
  layers_[i].range_use.store(range_use, std::memory_order_relaxed);
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
  if (blob.latency_budget_s > 0) {
    WriteGauge("octet_latency_budget_seconds", "Time budget of a frame.", blob.latency_budget_s,
               out);
  }
  out->Family("octet_plan", "gauge", "1 for the running plan, 0 for the others.");
  const uint32_t current = plan_.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < blob.plan_count_; ++i) {
    out->Sample("", {{"plan", blob.plans_[i].data()}}, uint64_t{i == current});
  }
}

void Metrics::WriteLayers(const BlobDescription& blob, Exposition* out) const {
  const auto family = [&](const char* name, const char* help, std::atomic<float> Layer::*value) {
    bool begun = false;
    for (uint32_t i = 0; i < blob.layer_count_; ++i) {
      const float now = (layers_[i].*value).load(std::memory_order_relaxed);
      if (std::isnan(now)) continue;
      if (!begun) out->Family(name, "gauge", help);
      begun = true;
      out->Sample("", {{"layer", blob.layers_[i].data()}}, now);
    }
  };
  family("quantization_error", "Error of a layer's int8 output against FP16, relative.",
         &Layer::error);
  family("octet_saturation_ratio", "Share of a layer's values at the ends of int8.",
         &Layer::saturation);
  family("octet_range_use_ratio",
         "Largest value of the last frame over the end of the layer's int8 range.",
         &Layer::range_use);
}

void Metrics::Write(uint64_t resident_bytes, Exposition* out) const {
  const BlobDescription blob = blob_.Load();
  WriteBlob(blob, out);
  if (device_[0] != 0) {
    out->Family("octet_device_info", "gauge", "The board, by its name.");
    out->Sample("", {{"device", device_.data()}}, uint64_t{1});
  }
  out->Family("octet_inference_seconds", "histogram",
              "Preprocessing, network and decoding of a frame.");
  inference_.Write(out);
  out->Family("octet_result_age_seconds", "histogram", "From a frame's capture to its result.");
  age_.Write(out);
  WriteCount("octet_frames_total", "Frames with a result.", Now(processed_), out);
  WriteCount("octet_frames_dropped_total", "Frames that a newer one replaced before their turn.",
             Now(dropped_), out);
  WriteCount("octet_frames_skipped_total", "Frames skipped while heat lowers the rate.",
             Now(skipped_), out);
  WriteCount("octet_lines_dropped_total", "Result lines that were not read.", Now(lines_dropped_),
             out);
  WriteKinds("octet_plan_switches_total", "Changes of the plan.", "reason", kSwitchReasons,
             switches_, out);
  WriteKinds("octet_breaker_events_total", "Events of the accuracy breaker.", "event",
             kBreakerEvents, breaker_, out);
  WriteKinds("octet_thermal_events_total", "Events of temperature and its sensor.", "event",
             kThermalEvents, thermal_, out);
  WriteKinds("octet_drift_events_total", "Events of drift recalibration.", "event", kDriftEvents,
             drift_, out);
  WriteKinds("octet_flash_refusals_total", "New blobs that were refused.", "reason", kFlashRefusals,
             flash_refusals_, out);
  WriteKinds("octet_slot_events_total", "Events of the slots.", "event", kSlotEvents, slot_events_,
             out);
  if (const char slot = slot_.load(std::memory_order_relaxed); slot != 0) {
    out->Family("octet_slot", "gauge", "1 for the slot that runs, 0 for the other.");
    out->Sample("", {{"slot", "a"}}, uint64_t{slot == 'a'});
    out->Sample("", {{"slot", "b"}}, uint64_t{slot == 'b'});
  }
  if (const float share = agreement_.load(std::memory_order_relaxed); !std::isnan(share)) {
    WriteGauge("octet_trial_agreement", "Agreement of the last model on trial with the one before.",
               static_cast<double>(share), out);
  }
  const StoreState store = store_.Load();
  if (store.known) {
    WriteStore(store, out);
    WriteGauge("octet_store_stuck", "1: the store has not answered for ten seconds.",
               uint64_t{store_stuck_.load(std::memory_order_relaxed)}, out);
  }
  WriteCount("octet_unwritten_total", "Pictures and records that could not be written.",
             Now(unwritten_), out);
  if (const uint64_t starts = Now(unclean_); starts != kNever) {
    WriteCount("octet_unclean_starts_total",
               "Starts after a run that did not end by itself, over the life of the board.", starts,
               out);
  }
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
  WriteIfKnown("octet_score", "Score of the last frame that had one, 1: as good as FP32.",
               score_.load(std::memory_order_relaxed), out);
  WriteIfKnown("octet_temperature_celsius", "Temperature of the board.",
               celsius_.load(std::memory_order_relaxed), out);
  WriteGauge("octet_rate_divisor", "One frame in this many is processed.",
             uint64_t{divisor_.load(std::memory_order_relaxed)}, out);
  WriteGauge("octet_resident_memory_bytes", "Resident memory of the process.", resident_bytes, out);
  WriteGauge("octet_start_time_seconds", "Start of the process, seconds since 1970.",
             StartSeconds(), out);
  WriteLayers(blob, out);
}

}  // namespace octet::port
