#include "converter/report/report.h"

#include <octet_report_page.h>

#include <cmath>
#include <string_view>

#include "converter/recover/diagnosis.h"
#include "converter/support/functions.h"

namespace octet::report {
namespace {

using nlohmann::json;

// Figures for people: six digits, and a page of half the size.
double Short(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = math::Pow(10.0, 5 - std::floor(math::Log10(std::fabs(value))));
  const double rounded = std::round(value * unit) / unit;
  return std::isfinite(rounded) ? rounded : value;
}

json WeightsJson(const analyze::WeightFigures& weights) {
  return {{"kl", Short(weights.kl)},
          {"snr_db", Short(weights.snr_db)},
          {"channels", weights.channels},
          {"worst_channel", weights.worst_channel},
          {"worst_channel_db", Short(weights.worst_db)},
          {"zeros", Short(weights.zeros)}};
}

json FlagsOf(const analyze::LayerFigures& layer) {
  json flags = json::array();
  if (layer.FarWeights()) flags.push_back("weights");
  if (layer.LowOverlap()) flags.push_back("overlap");
  if (layer.Sensitive()) flags.push_back("sensitive");
  return flags;
}

json CoverageJson(const analyze::Coverage& coverage) {
  return {{"tensors", coverage.Total()},       {"own", coverage.own},
          {"shared", coverage.shared},         {"given", coverage.given},
          {"by_channel", coverage.by_channel}, {"missing", coverage.missing}};
}

json MemoryJson(const MemoryTimeline& memory) {
  json tensors = json::array();
  for (const MemoryTimeline::Tensor& tensor : memory.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"offset_bytes", tensor.offset_bytes},
                       {"bytes", tensor.bytes},
                       {"first_layer", tensor.first_layer},
                       {"last_layer", tensor.last_layer}});
  }
  return {{"plan", memory.plan},
          {"arena_bytes", memory.arena_bytes},
          {"lower_bound_bytes", memory.lower_bound_bytes},
          {"layers", memory.layers},
          {"live_bytes", memory.live_bytes},
          {"tensors", tensors}};
}

json BoxesJson(const std::vector<Box>& boxes) {
  json list = json::array();
  for (const Box& box : boxes) {
    list.push_back({{"box", {Short(box.left), Short(box.top), Short(box.right), Short(box.bottom)}},
                    {"score", Short(box.score)},
                    {"label", box.label}});
  }
  return list;
}

void Replace(std::string_view mark, std::string_view text, std::string* page) {
  const size_t at = page->find(mark);
  page->replace(at, mark.size(), text);
}

}  // namespace

json ToJson(const analyze::LayerFigures& layer) {
  const analyze::ActivationRecord& a = layer.activations;
  const quantize::TensorScheme& scheme = a.scheme();
  json row = {
      {"name", layer.name},
      {"op", layer.op},
      {"tensor", layer.tensor},
      {"shape", layer.shape},
      {"precision", layer.int8 ? "int8" : "fp16"},
      {"scale", Short(scheme.scale)},
      {"zero_point", scheme.zero_point},
      {"scales", scheme.channels.empty() ? 1 : scheme.channels.size()},
      {"origin", scheme.origin.Text()},
      {"range", {Short(scheme.min), Short(scheme.max)}},
      {"seen", {Short(layer.seen_min), Short(layer.seen_max)}},
      {"four_sigma", {Short(layer.sigma_low), Short(layer.sigma_high)}},
      {"beyond_four_sigma", Short(layer.beyond_sigma)},
      {"range_by_four_sigma", Short(layer.range_ratio)},
      {"mean", Short(a.Mean())},
      {"sigma", Short(a.Sigma())},
      {"mse", Short(a.Mse())},
      {"snr_db", Short(a.SnrDb())},
      {"cosine", Short(a.Cosine())},
      {"noise_added", Short(layer.added)},
      {"noise_sigma", Short(a.NoiseSigma())},
      {"error_mean", Short(a.ErrorMean())},
      {"clipped", Short(a.ClippedShare())},
      {"saturated", Short(a.SaturatedShare())},
      {"overlap", Short(a.Overlap())},
      {"flags", FlagsOf(layer)},
      {"cause", layer.cause},
      {"histogram",
       {{"codes_per_bin", analyze::kCodesPerBin}, {"fp32", a.Exact()}, {"int8", a.Int8()}}}};
  row["weights"] = layer.weights ? WeightsJson(*layer.weights) : json(nullptr);
  return row;
}

json ToJson(const analyze::Analysis& analysis) {
  json layers = json::array(), outputs = json::array();
  for (const analyze::LayerFigures& layer : analysis.layers) layers.push_back(ToJson(layer));
  for (const analyze::OutputFigures& output : analysis.outputs) {
    outputs.push_back({{"name", output.name},
                       {"snr_db", Short(output.snr_db)},
                       {"cosine", Short(output.cosine)}});
  }
  return {{"compared", analysis.pictures},
          {"outputs", outputs},
          {"coverage", CoverageJson(analysis.coverage)},
          {"layers", layers}};
}

json ToJson(const Report& report) {
  json document = ToJson(report.analysis);
  document["model"] = report.model;
  document["octet"] = report.version;
  document["blob_bytes"] = report.blob_bytes;
  document["samples"] = report.samples;
  document["verdict"] = report.verdict;
  document["judgement"] = report.judgement;
  document["warnings"] = report.warnings;
  document["limits"] = {{"weights_kl", analyze::kFarWeights},
                        {"overlap", analyze::kLowOverlap},
                        {"sensitive_overlap", analyze::kSensitiveOverlap},
                        {"output_db", recover::kDoubtfulDb},
                        {"output_cosine", recover::kDoubtfulCosine}};
  document["memory"] = json::array();
  for (const MemoryTimeline& memory : report.memory) {
    document["memory"].push_back(MemoryJson(memory));
  }
  document["gains"] = json::array();
  for (const Gain& gain : report.gains) {
    document["gains"].push_back({{"step", gain.step},
                                 {"unit", gain.unit},
                                 {"before", Short(gain.before)},
                                 {"after", Short(gain.after)},
                                 {"kept", gain.kept}});
  }
  document["pareto"] = json::array();
  for (const ParetoPoint& point : report.pareto) {
    document["pareto"].push_back({{"name", point.name},
                                  {"time_ms", Short(point.time_ms)},
                                  {"loss", Short(point.loss)},
                                  {"loss_error", Short(point.loss_error)},
                                  {"fp16_layers", point.fp16_layers},
                                  {"chosen", point.chosen}});
  }
  document["ledger"] = report.ledger;
  document["pictures"] = json::array();
  for (const Picture& picture : report.pictures) {
    document["pictures"].push_back({{"jpeg", picture.jpeg_base64},
                                    {"width", picture.width},
                                    {"height", picture.height},
                                    {"fp32", BoxesJson(picture.fp32)},
                                    {"int8", BoxesJson(picture.int8)}});
  }
  return document;
}

std::string Text(const json& document) {
  return document.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::string Page(const json& document) {
  std::string data;
  for (const char c : Text(document)) {
    switch (c) {
      case '<':
        data += "\\u003c";
        break;
      case '>':
        data += "\\u003e";
        break;
      case '&':
        data += "\\u0026";
        break;
      default:
        data += c;
    }
  }
  std::string page = kPageHtml;
  // The data last: nothing in it is looked at again.
  Replace("/*STYLE*/", kPageCss, &page);
  Replace("/*SCRIPT*/", kPageJs, &page);
  Replace("/*DATA*/", data, &page);
  return page;
}

}  // namespace octet::report
