#include <fmt/format.h>

#include "converter/sections/make.h"
#include "converter/sections/temporal/temporal.h"
#include "converter/support/error.h"

namespace octet::sections {
namespace {

TemporalKind TemporalOf(const std::string& word) {
  if (word == "filter") return TemporalKind::kFilter;
  if (word == "mean") return TemporalKind::kMean;
  return word == "gated" ? TemporalKind::kGated : TemporalKind::kNone;
}

}  // namespace

void Temporal::AddOptions(port::Options command) {
  command
      .Add("--temporal", word_,
           "filters for octet-camera --temporal. The noisiest layers are blended with earlier "
           "frames: 1 + lambda z^-1, the mean of 10 frames, or that mean for values that hardly "
           "change (docs/temporal.md)")
      .Among({"none", "filter", "mean", "gated"})
      .ShowDefault();
  lambda_ = command
                .Add("--temporal-lambda", wanted_.lambda,
                     "of --temporal filter: lambda as a multiple of a layer's noise")
                .ShowDefault();
}

void Temporal::ReadOptions() {
  wanted_.kind = TemporalOf(word_);
  if (lambda_->Given() && wanted_.kind != TemporalKind::kFilter) {
    Fail("--temporal-lambda: needs --temporal filter; add it, or remove --temporal-lambda");
  }
  if (!(wanted_.lambda > 0 && wanted_.lambda <= 1000)) {
    Fail("--temporal-lambda: must be above 0 and at most 1000");
  }
}

void Temporal::Make(const Conversion& given, write::ModelInfo* info, Told* told) const {
  if (wanted_.kind == TemporalKind::kNone) return;
  RequireInt8(given, "--temporal");
  const TemporalChoice made =
      ChooseTemporal(given.graph, MeasureNoise(given.simulator, given.scheme, given.samples.report),
                     given.plans, wanted_);
  info->AddSection(blob::SectionKind::kTemporal, made.section);
  told->facts["temporal"] = {
      {"mean_sigma", made.mean_sigma}, {"noisy", made.noisy}, {"filtered", made.filtered}};
  told->text += fmt::format(
      "temporal: {} layers have noise above {} x the mean ({:.4f}), {} are filtered{}\n",
      made.noisy, kNoisyRatio, made.mean_sigma, made.filtered,
      made.filtered == 0 ? ": no temporal section" : "");
}

void Temporal::Inspect(const uint8_t* blob, size_t blob_bytes, nlohmann::json* description) const {
  if (const nlohmann::json temporal = TemporalJson(blob, blob_bytes); !temporal.is_null()) {
    (*description)["temporal"] = temporal;
  }
}

std::shared_ptr<Section> MakeTemporal() {
  return std::make_shared<Temporal>();
}

}  // namespace octet::sections
