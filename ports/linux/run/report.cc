#include "ports/linux/run/report.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace octet::port {
namespace {

double Milliseconds(uint64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

double MedianMs(std::vector<uint64_t> ns) {
  std::sort(ns.begin(), ns.end());
  const size_t half = ns.size() / 2;
  return ns.size() % 2 != 0 ? Milliseconds(ns[half]) : Milliseconds(ns[half - 1] + ns[half]) / 2;
}

double MinMs(const std::vector<uint64_t>& ns) {
  return Milliseconds(*std::min_element(ns.begin(), ns.end()));
}

// MACs per nanosecond.
double GmacsPerSecond(uint64_t macs, uint64_t ns) {
  return ns == 0 ? 0 : static_cast<double>(macs) / static_cast<double>(ns);
}

void PrintProfile(const Model& model, const Measurement& m) {
  uint64_t total = 0;
  for (const uint64_t ns : m.layer_ns) total += ns;
  std::printf("%-32s %-16s %-10s %-5s %12s %6s %12s %8s\n", "layer", "op", "kernel", "", "ns", "%",
              "MACs", "GMAC/s");
  for (uint32_t i = 0; i < m.layer_ns.size(); ++i) {
    octet_layer_info layer;
    octet_layer(model.session(), i, &layer);
    std::printf(
        "%-32.32s %-16s %-10s %-5s %12llu %6.2f %12llu %8.2f\n", layer.name, layer.op, layer.kernel,
        layer.precision == 0 ? "int8" : "fp16", static_cast<unsigned long long>(m.layer_ns[i]),
        total == 0 ? 0.0 : 100.0 * static_cast<double>(m.layer_ns[i]) / static_cast<double>(total),
        static_cast<unsigned long long>(layer.macs), GmacsPerSecond(layer.macs, m.layer_ns[i]));
  }
  std::printf("%-32s %-16s %-10s %-5s %12llu %6.2f %12llu %8.2f\n", "total", "", "", "",
              static_cast<unsigned long long>(total), 100.0,
              static_cast<unsigned long long>(octet_macs(model.session())),
              GmacsPerSecond(octet_macs(model.session()), total));
}

}  // namespace

void PrintText(const Model& model, const Measurement& m, bool profile) {
  if (profile) PrintProfile(model, m);
  std::printf(
      "%llu samples, plan %s, %s, %u threads: median %.3f ms, min %.3f ms, first %.3f ms, "
      "load %.3f ms; arena %zu bytes\n",
      static_cast<unsigned long long>(m.samples), octet_plan_name(model.session(), model.plan()),
      octet_isa_name(model.isa()), model.threads(), MedianMs(m.run_ns), MinMs(m.run_ns),
      Milliseconds(m.first_ns), Milliseconds(m.load_ns), model.arena_bytes());
}

void PrintJson(const Model& model, const Measurement& m, bool profile) {
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
  if (profile) {
    for (uint32_t i = 0; i < m.layer_ns.size(); ++i) {
      octet_layer_info layer;
      octet_layer(model.session(), i, &layer);
      json["layers"].push_back({{"name", layer.name},
                                {"op", layer.op},
                                {"kernel", layer.kernel},
                                {"precision", layer.precision == 0 ? "int8" : "fp16"},
                                {"ns", m.layer_ns[i]},
                                {"macs", layer.macs},
                                {"weight_bytes", layer.weight_bytes}});
    }
  }
  // Names come from the file as bytes; what is no UTF-8 must not stop the report.
  std::printf("%s\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

}  // namespace octet::port
