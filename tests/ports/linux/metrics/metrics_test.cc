// The numbers and their text: values, bounds, names, and readers beside a writer.
#include "ports/linux/metrics/metrics.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include "ports/linux/camera/program/drift/metrics.h"
#include "ports/linux/camera/program/guard/metrics.h"
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/camera/program/slots/metrics.h"
#include "ports/linux/metrics/metrics_server.h"
#include "ports/linux/model.h"
#include "tests/support/http_client.h"

namespace octet::port {
namespace {

BlobDescription TwoPlans() {
  uint8_t digest[32];
  for (uint8_t i = 0; i < 32; ++i) digest[i] = static_cast<uint8_t>(i * 8);
  BlobDescription blob;
  blob.SetDigest(digest);
  blob.SetModel("det\"ector\\");
  blob.SetBoard("raspberry-pi-4");
  blob.AddPlan("int8");
  blob.AddPlan("fp16");
  blob.security_counter = 7;
  return blob;
}

// With the numbers of all features, as the program has them.
class All : public Metrics {
 public:
  explicit All(double start_s = 0) : Metrics(start_s) { AddFeatureMetrics(this); }
  CameraMetrics& own = AddCameraMetrics("", this);
  GuardNumbers& guard = own.Numbers<GuardNumbers>();
  DriftNumbers& drift = own.Numbers<DriftNumbers>();
  SlotNumbers& slots = Numbers<SlotNumbers>();
};

std::string TextOf(const Metrics& metrics) {
  Exposition out(Metrics::kTextBytes);
  metrics.Write(123456, &out);
  EXPECT_TRUE(out.fits());
  return std::string(out.text());
}

// Value by series, name and labels as they stand; comments left out.
std::map<std::string, std::string> SeriesOf(const std::string& text) {
  std::map<std::string, std::string> series;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t space = line.rfind(' ');
    EXPECT_TRUE(series.emplace(line.substr(0, space), line.substr(space + 1)).second)
        << "twice: " << line;
  }
  return series;
}

TEST(Exposition, NumbersAndLabels) {
  Exposition out(1000);
  out.Family("a_total", "counter", "What it is.");
  out.Sample("", {}, uint64_t{18446744073709551615u});
  out.Sample("", {{"x", "1"}, {"y", "a\\b\"c\nd"}}, 0.1);
  out.Sample("_sum", {{"le", "+Inf"}}, -1.0 / 0.0);
  out.Sample("", {}, std::numeric_limits<double>::quiet_NaN());
  out.Sample("", {}, 1795268288.077);
  EXPECT_EQ(out.text(),
            "# HELP a_total What it is.\n# TYPE a_total counter\n"
            "a_total 18446744073709551615\n"
            "a_total{x=\"1\",y=\"a\\\\b\\\"c\\nd\"} 0.1\n"
            "a_total_sum{le=\"+Inf\"} -Inf\n"
            "a_total NaN\n"
            "a_total 1795268288.077\n");
  EXPECT_TRUE(out.fits());
}

TEST(Exposition, WhatDoesNotFitIsSaid) {
  Exposition out(10);
  out.Family("abcdefghij", "gauge", "x");
  EXPECT_FALSE(out.fits());
  EXPECT_LE(out.text().size(), 10u);
  out.Clear();
  EXPECT_TRUE(out.fits());
  EXPECT_TRUE(out.text().empty());
}

// Prometheus needs a counter to begin at 0, or its first event is no increase.
TEST(Metrics, EventsExistFromTheStart) {
  All metrics(1795268288.25);
  const auto series = SeriesOf(TextOf(metrics));
  const std::map<std::string, std::vector<std::string>> words = {
      {"octet_plan_switches_total{reason=",
       {"accuracy", "recovered", "heat", "throttle", "cool", "manual"}},
      {"octet_breaker_events_total{event=", {"trip", "return", "flap", "stuck"}},
      {"octet_thermal_events_total{event=", {"hot", "cool", "lost", "stuck", "back", "left"}},
      {"octet_drift_events_total{event=",
       {"observed", "accepted", "dropped", "restored", "refused"}},
      {"octet_flash_refusals_total{reason=",
       {"damaged", "signature", "counter", "board", "selftest", "storage", "kind", "product",
        "random"}},
      {"octet_slot_events_total{event=", {"activate", "confirm", "rollback"}}};
  for (const auto& [name, values] : words) {
    for (const std::string& value : values) {
      EXPECT_EQ(series.at(name + "\"" + value + "\"}"), "0") << name << value;
    }
  }
  EXPECT_EQ(series.at("octet_frames_total"), "0");
  EXPECT_EQ(series.at("octet_rate_divisor"), "1");
  EXPECT_EQ(series.at("octet_resident_memory_bytes"), "123456");
  EXPECT_EQ(series.at("octet_start_time_seconds"), "1795268288.25");
  // What is not known is not there.
  for (const char* name : {"octet_score", "octet_trial_agreement", "octet_temperature_celsius",
                           "octet_slot{slot=\"a\"}", "octet_latency_budget_seconds"}) {
    EXPECT_EQ(series.count(name), 0u) << name;
  }
}

TEST(Metrics, EveryEventCountsItsOwn) {
  All metrics(0);
  metrics.guard.switches.Count(SwitchReason::kHeat);
  metrics.guard.switches.Count(SwitchReason::kHeat);
  metrics.guard.switches.Count(SwitchReason::kManual);
  metrics.guard.breaker.Count(BreakerEvent::kStuck);
  metrics.guard.thermal.Count(ThermalEvent::kBack);
  metrics.drift.events.Count(DriftEvent::kRefused);
  metrics.slots.refusals.Count(FlashRefusal::kStorage);
  metrics.slots.events.Count(SlotEvent::kRollback);
  const auto series = SeriesOf(TextOf(metrics));
  EXPECT_EQ(series.at("octet_plan_switches_total{reason=\"heat\"}"), "2");
  EXPECT_EQ(series.at("octet_plan_switches_total{reason=\"manual\"}"), "1");
  EXPECT_EQ(series.at("octet_plan_switches_total{reason=\"cool\"}"), "0");
  EXPECT_EQ(series.at("octet_breaker_events_total{event=\"stuck\"}"), "1");
  EXPECT_EQ(series.at("octet_thermal_events_total{event=\"back\"}"), "1");
  EXPECT_EQ(series.at("octet_drift_events_total{event=\"refused\"}"), "1");
  EXPECT_EQ(series.at("octet_flash_refusals_total{reason=\"storage\"}"), "1");
  EXPECT_EQ(series.at("octet_slot_events_total{event=\"rollback\"}"), "1");
}

TEST(Metrics, TheBlobAndItsPlan) {
  All metrics(0);
  metrics.SetBlob(TwoPlans());
  metrics.own.SetPlan(1);
  metrics.slots.SetSlot('b');
  metrics.slots.SetTrialAgreement(0.5f);
  auto series = SeriesOf(TextOf(metrics));
  EXPECT_EQ(series.at("octet_blob_info{digest=\"00081018202830384048505860687078"
                      "80889098a0a8b0b8c0c8d0d8e0e8f0f8\",model=\"det\\\"ector\\\\\","
                      "board=\"raspberry-pi-4\"}"),
            "1");
  EXPECT_EQ(series.at("octet_security_version"), "7");
  EXPECT_EQ(series.at("octet_plan{plan=\"int8\"}"), "0");
  EXPECT_EQ(series.at("octet_plan{plan=\"fp16\"}"), "1");
  EXPECT_EQ(series.at("octet_trial_agreement"), "0.5");
  EXPECT_EQ(series.at("octet_slot{slot=\"a\"}"), "0");
  EXPECT_EQ(series.at("octet_slot{slot=\"b\"}"), "1");
  // Another model: its first plan, and nothing of the other's names.
  BlobDescription other;
  other.SetModel("two");
  other.AddPlan("only");
  metrics.guard.SetLatencyBudget(0.05f);
  metrics.SetBlob(other);
  series = SeriesOf(TextOf(metrics));
  EXPECT_EQ(series.at("octet_blob_info{digest=\"\",model=\"two\",board=\"\"}"), "1");
  EXPECT_EQ(series.at("octet_plan{plan=\"only\"}"), "1");
  EXPECT_EQ(series.count("octet_plan{plan=\"int8\"}"), 0u);
  EXPECT_EQ(series.at("octet_latency_budget_seconds"), "0.05");
}

TEST(Metrics, GaugesComeAndGo) {
  All metrics(0);
  metrics.SetTemperature(61.5f);
  metrics.guard.SetScore(0.25f);
  metrics.guard.SetRateDivisor(3);
  metrics.own.SetFrames(10, 3);
  metrics.SetLinesDropped(2);
  for (int i = 0; i < 4; ++i) metrics.own.CountSkipped();
  auto series = SeriesOf(TextOf(metrics));
  EXPECT_EQ(series.at("octet_temperature_celsius"), "61.5");
  EXPECT_EQ(series.at("octet_score"), "0.25");
  EXPECT_EQ(series.at("octet_rate_divisor"), "3");
  EXPECT_EQ(series.at("octet_frames_total"), "10");
  EXPECT_EQ(series.at("octet_frames_dropped_total"), "3");
  EXPECT_EQ(series.at("octet_frames_skipped_total"), "4");
  EXPECT_EQ(series.at("octet_lines_dropped_total"), "2");
  metrics.SetTemperature(std::numeric_limits<float>::quiet_NaN());
  series = SeriesOf(TextOf(metrics));
  EXPECT_EQ(series.count("octet_temperature_celsius"), 0u);
}

TEST(Metrics, TimesFallIntoTheirBuckets) {
  All metrics(0);
  // At a bound, just above it, below the least, above the most.
  for (const uint64_t ns :
       {uint64_t{2'000'000}, uint64_t{2'000'001}, uint64_t{0}, uint64_t{100'000},
        uint64_t{10'000'000'000}, uint64_t{10'000'000'001}}) {
    metrics.own.AddResult(ns, 300'000);
  }
  const auto series = SeriesOf(TextOf(metrics));
  const auto at = [&](const std::string& name, const std::string& bound) {
    return series.at(name + "_bucket{le=\"" + bound + "\"}");
  };
  EXPECT_EQ(at("octet_inference_seconds", "0.0001"), "2");
  EXPECT_EQ(at("octet_inference_seconds", "0.0015"), "2");
  EXPECT_EQ(at("octet_inference_seconds", "0.002"), "3");
  EXPECT_EQ(at("octet_inference_seconds", "0.003"), "4");
  EXPECT_EQ(at("octet_inference_seconds", "7"), "4");
  EXPECT_EQ(at("octet_inference_seconds", "10"), "5");
  EXPECT_EQ(at("octet_inference_seconds", "+Inf"), "6");
  EXPECT_EQ(series.at("octet_inference_seconds_count"), "6");
  EXPECT_DOUBLE_EQ(std::stod(series.at("octet_inference_seconds_sum")), 20.004100002);
  EXPECT_EQ(at("octet_result_age_seconds", "0.0002"), "0");
  EXPECT_EQ(at("octet_result_age_seconds", "0.0003"), "6");
  EXPECT_DOUBLE_EQ(std::stod(series.at("octet_result_age_seconds_sum")), 0.0018);
}

TEST(Metrics, LayersByName) {
  LayerNames names;
  const std::string longest(MetricName().size() - 1, 'x');
  names.Add("conv1");
  names.Add("conv1");  // names of layers need not differ
  names.Add(longest);
  names.Add("cut " + longest);  // the same from where it is cut
  names.Add("cut off " + longest);
  names.Add("tab\there \xC3\xA4");
  names.Add("never set");
  All metrics(0);
  metrics.guard.SetLayers(names);
  for (uint32_t i = 0; i < 6; ++i)
    metrics.guard.SetLayer(i, 0.5f + static_cast<float>(i), 0.125f, -0.25f);
  metrics.guard.SetLayer(16, 1, 1, 1);  // beyond: nothing
  auto series = SeriesOf(TextOf(metrics));
  EXPECT_EQ(series.at("quantization_error{layer=\"conv1\"}"), "0.5");
  EXPECT_EQ(series.at("quantization_error{layer=\"conv1#2\"}"), "1.5");
  EXPECT_EQ(series.at("quantization_error{layer=\"" + longest + "\"}"), "2.5");
  const std::string cut = "..." + longest.substr(3);
  EXPECT_EQ(series.at("quantization_error{layer=\"" + cut + "\"}"), "3.5");
  EXPECT_EQ(series.at("quantization_error{layer=\"" + cut.substr(0, 124) + "#2\"}"), "4.5");
  EXPECT_EQ(series.at("quantization_error{layer=\"tab?here ??\"}"), "5.5");
  EXPECT_EQ(series.at("octet_saturation_ratio{layer=\"conv1\"}"), "0.125");
  EXPECT_EQ(series.at("octet_range_use_ratio{layer=\"conv1\"}"), "-0.25");
  EXPECT_EQ(series.count("quantization_error{layer=\"never set\"}"), 0u);
  // The next blob's layers have no values yet.
  metrics.guard.SetLayers(names);
  series = SeriesOf(TextOf(metrics));
  EXPECT_EQ(series.count("quantization_error{layer=\"conv1\"}"), 0u);
}

// The longest that may ever be written: every name full of what is escaped, every number long.
TEST(Metrics, TheBufferHoldsTheLongestText) {
  const std::string name(MetricName().size() + 10, '"');
  BlobDescription blob;
  const uint8_t digest[32] = {};
  blob.SetDigest(digest);
  blob.SetModel(name);
  blob.SetBoard(name);
  blob.security_counter = UINT64_MAX;
  for (int i = 0; i < 20; ++i) blob.AddPlan(name + std::to_string(i));
  LayerNames layers;
  for (int i = 0; i < 20; ++i) layers.Add(name);
  All metrics(1795268288.0123456);
  metrics.SetBlob(blob);
  metrics.guard.SetLatencyBudget(1.2345678e-20f);
  metrics.guard.SetLayers(layers);
  for (uint32_t i = 0; i < 16; ++i)
    metrics.guard.SetLayer(i, -1.2345678e-20f, -1.2345678e-20f, -1e-30f);
  metrics.own.SetFrames(UINT64_MAX, UINT64_MAX);
  metrics.SetLinesDropped(UINT64_MAX);
  metrics.slots.SetSlot('a');
  metrics.guard.SetScore(-1.2345678e-20f);
  metrics.SetTemperature(-1.2345678e-20f);
  metrics.own.AddResult(UINT64_MAX / 2, UINT64_MAX / 2);
  const std::string text = TextOf(metrics);
  EXPECT_LT(text.size() + 31 * 2 * 20 + 24 * 20, Metrics::kTextBytes);  // with counts of 20 digits
  EXPECT_EQ(SeriesOf(text).count("octet_score"), 1u);
}

// A reader gets a blob's names whole, never half of one and half of the next.
TEST(Metrics, NamesAreReadWhole) {
  BlobDescription one, two;
  for (int i = 0; i < 8; ++i) {
    one.AddPlan("one" + std::to_string(i));
    two.AddPlan("two" + std::to_string(i));
  }
  one.SetModel("one");
  two.SetModel("two");
  All metrics(0);
  metrics.SetBlob(one);
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 20000; ++i) {
      metrics.SetBlob(i % 2 == 0 ? two : one);
      metrics.own.AddResult(static_cast<uint64_t>(i), 1);
    }
    done = true;
  });
  uint64_t reads = 0;
  Exposition out(Metrics::kTextBytes);
  while (!done || reads < 10) {
    out.Clear();
    metrics.Write(1, &out);
    const std::string text(out.text());
    const bool is_one = text.find("model=\"one\"") != std::string::npos;
    EXPECT_EQ(text.find(is_one ? "plan=\"two" : "plan=\"one"), std::string::npos);
    ++reads;
  }
  writer.join();
}

TEST(MetricsServer, ServesThemToWhomItShould) {
  All metrics(0);
  metrics.SetBlob(TwoPlans());
  const StopRequest stop;
  const auto first = [](uint16_t port, const std::string& request) {
    const std::string answer = test::Ask(port, request + "\r\n\r\n");
    return answer.substr(0, answer.find("\r\n"));
  };
  for (const std::string where : {"0", "0.0.0.0:0"}) {
    const MetricsServer server(where, &metrics, stop, [] {});
    const uint16_t port = server.address().port;
    const std::string answer = test::Get(port, "/metrics");
    EXPECT_NE(answer.find("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"),
              std::string::npos);
    const auto series = SeriesOf(answer.substr(answer.find("\r\n\r\n") + 4));
    EXPECT_EQ(series.at("octet_plan{plan=\"int8\"}"), "1");
    EXPECT_GT(std::stod(series.at("octet_resident_memory_bytes")), 1e6);
    // By its name from elsewhere, where elsewhere may ask at all.
    const bool open = where != "0";
    EXPECT_EQ(first(port, "GET /metrics HTTP/1.1\r\nHost: board.example:9100"),
              open ? "HTTP/1.1 200 OK" : "HTTP/1.1 403 Forbidden");
    EXPECT_EQ(first(port, "GET / HTTP/1.1\r\nHost: board.example:9100"), "HTTP/1.1 403 Forbidden");
    EXPECT_EQ(first(port, "GET / HTTP/1.1\r\nHost: localhost"), "HTTP/1.1 404 Not Found");
    EXPECT_EQ(first(port, "HEAD /metrics HTTP/1.1\r\nHost: localhost"), "HTTP/1.1 200 OK");
  }
}

// A counter of the store that falls is another store's, or a record that was lost: nothing is
// counted, and at once. One that jumps is added, not counted through.
TEST(StoreStates, CountersThatFallAndJump) {
  All metrics(0);
  StoreState state;
  state.known = state.has_record = true;
  state.last_refusal = OCTET_SLOTS_COUNTER;
  const auto set = [&](uint32_t sequence, uint32_t refusals) {
    state.sequence = sequence;
    state.refusals = refusals;
    metrics.slots.SetStore(state);
  };
  const auto counted = [&] {
    Exposition text(Metrics::kTextBytes);
    metrics.Write(0, &text);
    const std::string all(text.text()), name = "octet_flash_refusals_total{reason=\"counter\"} ";
    return std::stoull(all.substr(all.find(name) + name.size()));
  };
  set(1, 7);
  EXPECT_EQ(counted(), 0u) << "what was before is a state, not an event";
  set(2, 6);
  EXPECT_EQ(counted(), 0u);
  set(3, 8);
  EXPECT_EQ(counted(), 2u);
  set(4, 0xFFFFFFFF);
  EXPECT_EQ(counted(), 2u + 0xFFFFFFFFu - 8u);
  set(5, 0);
  EXPECT_EQ(counted(), 2u + 0xFFFFFFFFu - 8u);
  state.has_record = false;  // cannot be read just now
  metrics.slots.SetStore(state);
  state.has_record = true;
  set(6, 1);
  EXPECT_EQ(counted(), 3u + 0xFFFFFFFFu - 8u);
}

}  // namespace
}  // namespace octet::port
