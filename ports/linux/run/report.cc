#include "ports/linux/run/report.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace octet::port {
namespace {

double Milliseconds(uint64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

double MinMs(const std::vector<uint64_t>& ns) {
  return Milliseconds(*std::min_element(ns.begin(), ns.end()));
}

}  // namespace

double MedianMs(std::vector<uint64_t> ns) {
  std::sort(ns.begin(), ns.end());
  const size_t half = ns.size() / 2;
  return ns.size() % 2 != 0 ? Milliseconds(ns[half]) : Milliseconds(ns[half - 1] + ns[half]) / 2;
}

void PrintText(const Model& model, const Measurement& m, const Profile* profile) {
  if (profile != nullptr) PrintProfile(*profile, model);
  std::printf(
      "%llu sample%s, plan %s, %s, %u thread%s: median %.3f ms, min %.3f ms, first %.3f ms, "
      "load %.3f ms; arena %zu bytes, %llu of them tensors\n",
      static_cast<unsigned long long>(m.samples), m.samples == 1 ? "" : "s",
      octet_plan_name(model.session(), model.plan()), octet_isa_name(model.isa()), model.threads(),
      model.threads() == 1 ? "" : "s", MedianMs(m.run_ns), MinMs(m.run_ns),
      Milliseconds(m.first_ns), Milliseconds(m.load_ns), model.arena_bytes(),
      static_cast<unsigned long long>(model.blob().plans[model.plan()].arena_bytes));
}

void PrintJson(const Model& model, const Measurement& m, const Profile* profile) {
  nlohmann::ordered_json json;
  const uint64_t rss_bytes = ResidentBytes();
  json["plan"] = octet_plan_name(model.session(), model.plan());
  json["isa"] = octet_isa_name(model.isa());
  json["threads"] = model.threads();
  json["samples"] = m.samples;
  json["median_ms"] = MedianMs(m.run_ns);
  json["min_ms"] = MinMs(m.run_ns);
  json["first_ms"] = Milliseconds(m.first_ns);
  json["load_ms"] = Milliseconds(m.load_ns);
  json["arena_bytes"] = model.arena_bytes();
  json["blob_bytes"] = model.blob_bytes();
  json["rss_bytes"] = rss_bytes;
  json["macs"] = octet_macs(model.session());
  if (profile != nullptr) {
    json["core_peak_gmacs_per_s"] = {{"int8", profile->peak_s8}, {"fp16", profile->peak_f16}};
    json["layers"] = ProfileJson(*profile, model);
  }
  if (!m.results.empty()) json["results"] = m.results;
  // Names come from the file as bytes; bytes that are not UTF-8 must not stop the report.
  std::printf("%s\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

}  // namespace octet::port
