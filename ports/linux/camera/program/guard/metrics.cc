#include "ports/linux/camera/program/guard/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

namespace octet::port {

void LayerNames::Add(std::string_view name) {
  if (count_ == kMost) return;
  MetricName* own = &names_[count_];
  SetName(name, own);
  // Prometheus refuses a page that has a series twice.
  const auto taken = [&] {
    return std::find(names_.begin(), names_.begin() + count_, *own) != names_.begin() + count_;
  };
  const size_t length = strnlen(own->data(), own->size());
  for (uint32_t number = 2; taken(); ++number) {
    char* end = own->data() + std::min(length, own->size() - 4);  // "#16" and the end
    std::snprintf(end, 4, "#%u", number % 100);
  }
  ++count_;
}

void GuardNumbers::SetBlob(const BlobView& blob) {
  const uint64_t budget_us = octet_guard_latency_budget_us(blob.base, blob.header->file_bytes);
  SetLatencyBudget(static_cast<float>(budget_us) / 1e6f);
}

void GuardNumbers::SetLayers(const LayerNames& names) {
  for (uint32_t i = 0; i < LayerNames::kMost; ++i) SetLayer(i, kNone, kNone, kNone);
  names_.Store(names);
}

void GuardNumbers::SetLayer(uint32_t i, float quantization_error, float saturation_ratio,
                            float range_use) {
  if (i >= layers_.size()) return;
  layers_[i].error.store(quantization_error, std::memory_order_relaxed);
  layers_[i].saturation.store(saturation_ratio, std::memory_order_relaxed);
  layers_[i].range_use.store(range_use, std::memory_order_relaxed);
}

void GuardNumbers::WriteLayers(Exposition* out) const {
  const LayerNames names = names_.Load();
  const auto family = [&](const char* name, const char* help, std::atomic<float> Layer::*value) {
    bool begun = false;
    for (uint32_t i = 0; i < names.count(); ++i) {
      const float now = (layers_[i].*value).load(std::memory_order_relaxed);
      if (std::isnan(now)) continue;
      if (!begun) out->Family(name, "gauge", help);
      begun = true;
      out->Sample("", {{"layer", names.name(i)}}, now);
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

void GuardNumbers::Write(MetricPlace place, Exposition* out) const {
  switch (place) {
    case MetricPlace::kBlob:
      if (const float budget_s = budget_s_.load(std::memory_order_relaxed); budget_s > 0) {
        WriteGauge("octet_latency_budget_seconds", "Time budget of a frame.", budget_s, out);
      }
      break;
    case MetricPlace::kEvents:
      switches.Write("octet_plan_switches_total", "Changes of the plan.", "reason", out);
      breaker.Write("octet_breaker_events_total", "Events of the accuracy breaker.", "event", out);
      thermal.Write("octet_thermal_events_total", "Events of temperature and its sensor.", "event",
                    out);
      break;
    case MetricPlace::kScore:
      WriteIfKnown("octet_score", "Score of the last frame that had one, 1: as good as FP32.",
                   score_.load(std::memory_order_relaxed), out);
      break;
    case MetricPlace::kRate:
      WriteGauge("octet_rate_divisor", "One frame in this many is processed.",
                 uint64_t{divisor_.load(std::memory_order_relaxed)}, out);
      break;
    case MetricPlace::kLayers:
      WriteLayers(out);
      break;
    default:
      break;
  }
}

GuardMetrics::GuardMetrics(CameraMetrics* metrics, uint32_t home_plan)
    : metrics_(metrics), numbers_(metrics->Numbers<GuardNumbers>()), plan_(home_plan) {
  metrics_->SetPlan(home_plan);
}

void GuardMetrics::CountEvents(const octet_guard_decision& decision) {
  const auto has = [&](uint32_t event) { return (decision.events & event) != 0; };
  if (has(OCTET_GUARD_TRIPPED)) {
    numbers_.breaker.Count(BreakerEvent::kTrip);
    // The dwell is doubled only if the breaker trips soon after a return. The first dwell is the
    // configured one.
    if (dwell_ms_ != 0 && decision.dwell_ms > dwell_ms_) {
      numbers_.breaker.Count(BreakerEvent::kFlap);
    }
  }
  if (has(OCTET_GUARD_RETURNED)) numbers_.breaker.Count(BreakerEvent::kReturn);
  if (has(OCTET_GUARD_EXHAUSTED)) numbers_.breaker.Count(BreakerEvent::kStuck);
  for (const auto& [event, kind] : {std::pair{OCTET_GUARD_GREW_HOT, ThermalEvent::kHot},
                                    std::pair{OCTET_GUARD_COOLED, ThermalEvent::kCool},
                                    std::pair{OCTET_GUARD_SENSOR_LOST, ThermalEvent::kLost},
                                    std::pair{OCTET_GUARD_SENSOR_STUCK, ThermalEvent::kStuck},
                                    std::pair{OCTET_GUARD_SENSOR_BACK, ThermalEvent::kBack},
                                    std::pair{OCTET_GUARD_POLICY_LEFT, ThermalEvent::kLeft}}) {
    if (has(event)) numbers_.thermal.Count(kind);
  }
  if (has(OCTET_GUARD_GREW_HOT)) hot_ = true;
  // If the sensor is lost or stuck, the guard treats the board as cool.
  if (has(OCTET_GUARD_COOLED | OCTET_GUARD_SENSOR_LOST | OCTET_GUARD_SENSOR_STUCK)) hot_ = false;
}

SwitchReason GuardMetrics::WhyFrom(const octet_guard_decision& decision) const {
  // A held plan was released.
  if (reason_ == OCTET_GUARD_HELD) return SwitchReason::kManual;
  switch (decision.reason) {
    case OCTET_GUARD_HELD:
      return SwitchReason::kManual;
    case OCTET_GUARD_THROTTLE:
      return SwitchReason::kThrottle;
    case OCTET_GUARD_HEAT:
      return hot_ ? SwitchReason::kHeat : SwitchReason::kCool;
    case OCTET_GUARD_ACCURACY:
      if ((decision.events & OCTET_GUARD_RETURNED) != 0) return SwitchReason::kRecovered;
      return reason_ == OCTET_GUARD_THROTTLE ? SwitchReason::kCool : SwitchReason::kAccuracy;
    default:  // home again; of a hot board, because the finer plan made it hotter
      if (reason_ == OCTET_GUARD_ACCURACY) return SwitchReason::kRecovered;
      return hot_ ? SwitchReason::kHeat : SwitchReason::kCool;
  }
}

void GuardMetrics::Add(const octet_guard_decision& decision) {
  CountEvents(decision);
  if (decision.plan != plan_) {
    numbers_.switches.Count(WhyFrom(decision));
    metrics_->SetPlan(decision.plan);
  }
  numbers_.SetRateDivisor(decision.rate_divisor);
  if (decision.score != OCTET_GUARD_NO_SCORE) {
    numbers_.SetScore(static_cast<float>(decision.score) / OCTET_GUARD_FULL_SCORE);
  }
  plan_ = decision.plan;
  dwell_ms_ = decision.dwell_ms;
  reason_ = decision.reason;
}

}  // namespace octet::port
