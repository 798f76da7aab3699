#include "ports/linux/run/profile.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "ports/linux/peak.h"

namespace octet::port {
namespace {

const char* PrecisionOf(const octet_layer_info& layer) {
  return layer.precision == 0 ? "int8" : "fp16";
}

double Ratio(double a, double b) {
  return b > 0 ? a / b : 0;
}

void PrintRow(const char* name, const char* op, const char* kernel, const char* precision,
              uint64_t ns, uint64_t total_ns, uint64_t macs, uint64_t weights, uint64_t in,
              uint64_t out, double gmacs_per_s, double share) {
  const double bytes = static_cast<double>(weights) + static_cast<double>(in + out);
  std::printf(
      "%-32.32s %-14s %-10s %-5s %11.1f %6.2f %12llu %10llu %10llu %10llu %8.2f %6.1f %7.2f\n",
      name, op, kernel, precision, static_cast<double>(ns) / 1e3,
      100 * Ratio(static_cast<double>(ns), static_cast<double>(total_ns)),
      static_cast<unsigned long long>(macs), static_cast<unsigned long long>(weights),
      static_cast<unsigned long long>(in), static_cast<unsigned long long>(out), gmacs_per_s,
      100 * share, Ratio(bytes, static_cast<double>(ns)));
}

// A line an operator and precision, the longest first.
void PrintOperators(const Profile& profile) {
  struct Sum {
    const octet_layer_info* info;
    uint64_t ns = 0, layers = 0;
  };
  std::vector<Sum> sums;
  for (const Profile::Layer& layer : profile.layers) {
    auto at = std::find_if(sums.begin(), sums.end(), [&](const Sum& sum) {
      return std::strcmp(sum.info->op, layer.info.op) == 0 &&
             sum.info->precision == layer.info.precision;
    });
    if (at == sums.end()) at = sums.insert(at, Sum{&layer.info});
    at->ns += layer.ns;
    ++at->layers;
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const Sum& a, const Sum& b) { return a.ns > b.ns; });
  std::printf("\n%-32s %-14s %-10s %-5s %11s %6s\n", "operators", "op", "layers", "", "us", "%");
  for (const Sum& sum : sums) {
    std::printf("%-32s %-14s %-10llu %-5s %11.1f %6.2f\n", "", sum.info->op,
                static_cast<unsigned long long>(sum.layers), PrecisionOf(*sum.info),
                static_cast<double>(sum.ns) / 1e3,
                100 * Ratio(static_cast<double>(sum.ns), static_cast<double>(profile.total_ns)));
  }
  std::printf("\n");
}

}  // namespace

LayerClock::LayerClock(uint32_t layer_count, uint64_t run_count)
    : layer_count_(layer_count), stride_((run_count + kMaxRunsKept - 1) / kMaxRunsKept) {
  ns_.reserve((run_count + stride_ - 1) / stride_ * layer_count);
}

void LayerClock::Add(const octet_session* session) {
  if (!IsOn() || runs_++ % stride_ != 0) return;
  for (uint32_t k = 0; k < layer_count_; ++k) {
    octet_layer_info layer;
    octet_layer(session, k, &layer);
    ns_.push_back(layer.ticks);
  }
}

std::vector<uint64_t> LayerClock::OfLayer(uint32_t layer) const {
  std::vector<uint64_t> values;
  for (size_t i = layer; i < ns_.size(); i += layer_count_) values.push_back(ns_[i]);
  return values;
}

uint64_t LayerClock::MedianNs(uint32_t layer) const {
  std::vector<uint64_t> values = OfLayer(layer);
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

uint64_t LayerClock::LeastNs(uint32_t layer) const {
  const std::vector<uint64_t> values = OfLayer(layer);
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

Profile MakeProfile(const Model& model, const LayerClock& clock) {
  Profile profile;
  profile.peak_s8 = PeakGmacs(model.isa(), false);
  profile.peak_f16 = PeakGmacs(model.isa(), true);
  PlanView plan;
  ViewPlan(model.blob(), model.plan(), &plan);  // bound, so valid
  for (uint32_t k = 0; k < clock.layer_count(); ++k) {
    Profile::Layer layer = {};
    octet_layer(model.session(), k, &layer.info);
    const blob::LayerRecord& record = plan.layers[k];
    layer.ns = clock.MedianNs(k);
    layer.least_ns = clock.LeastNs(k);
    for (uint32_t i = 0; i < record.input_count; ++i) {
      layer.input_bytes += plan.tensors[plan.operands[record.first_operand + i]].bytes;
    }
    layer.output_bytes = plan.tensors[record.output].bytes;
    layer.gmacs_per_s = Ratio(static_cast<double>(layer.info.macs), static_cast<double>(layer.ns));
    const double peak = layer.info.precision == 0 ? profile.peak_s8 : profile.peak_f16;
    layer.share_of_peak = Ratio(layer.gmacs_per_s, peak * model.threads());
    profile.total_ns += layer.ns;
    profile.layers.push_back(layer);
  }
  return profile;
}

void PrintProfile(const Profile& profile, const Model& model) {
  std::printf("%-32s %-14s %-10s %-5s %11s %6s %12s %10s %10s %10s %8s %6s %7s\n", "layer", "op",
              "kernel", "", "us", "%", "MACs", "weights B", "in B", "out B", "GMAC/s", "% peak",
              "GB/s");
  uint64_t weights = 0, in = 0, out = 0;
  for (const Profile::Layer& layer : profile.layers) {
    const octet_layer_info& info = layer.info;
    PrintRow(info.name, info.op, info.kernel, PrecisionOf(info), layer.ns, profile.total_ns,
             info.macs, info.weight_bytes, layer.input_bytes, layer.output_bytes, layer.gmacs_per_s,
             layer.share_of_peak);
    weights += info.weight_bytes;
    in += layer.input_bytes;
    out += layer.output_bytes;
  }
  const uint64_t macs = octet_macs(model.session());
  const double gmacs = Ratio(static_cast<double>(macs), static_cast<double>(profile.total_ns));
  const bool int8 = profile.layers.empty() || profile.layers[0].info.precision == 0;
  const double peak = (int8 ? profile.peak_s8 : profile.peak_f16) * model.threads();
  PrintRow("total", "", "", "", profile.total_ns, profile.total_ns, macs, weights, in, out, gmacs,
           Ratio(gmacs, peak));
  PrintOperators(profile);
  std::printf("peak of one core, measured: int8 %.1f GMAC/s, fp16 plan %.1f GMAC/s\n",
              profile.peak_s8, profile.peak_f16);
  const bool beyond = std::any_of(profile.layers.begin(), profile.layers.end(),
                                  [](const Profile::Layer& l) { return l.share_of_peak > 1; });
  if (beyond) {
    std::printf(
        "above 100 %%: Winograd layers multiply less often than their MACs; the int8 peak of avx2 "
        "is that of VPMADDWD, and VPMADDUBSW is faster where weights allow it\n");
  }
}

nlohmann::ordered_json ProfileJson(const Profile& profile, const Model& model) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (const Profile::Layer& layer : profile.layers) {
    const octet_layer_info& info = layer.info;
    layers.push_back({{"name", info.name},
                      {"op", info.op},
                      {"plan", octet_plan_name(model.session(), model.plan())},
                      {"precision", PrecisionOf(info)},
                      {"kernel", info.kernel},
                      {"ns", layer.ns},
                      {"min_ns", layer.least_ns},
                      {"macs", info.macs},
                      {"weight_bytes", info.weight_bytes},
                      {"input_bytes", layer.input_bytes},
                      {"output_bytes", layer.output_bytes},
                      {"gmacs_per_s", layer.gmacs_per_s},
                      {"share_of_peak", layer.share_of_peak}});
  }
  return layers;
}

}  // namespace octet::port
