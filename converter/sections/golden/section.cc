#include <stdexcept>

#include <fmt/format.h>

#include "converter/sections/golden/golden.h"
#include "converter/sections/golden/golden_inputs.h"
#include "converter/sections/make.h"
#include "runtime/format/golden.h"

namespace octet::sections {

void Golden::AddOptions(port::Options command) {
  command
      .Add("--golden", wanted_,
           "number of samples stored with the results of each plan, for a self-test on the board; "
           "at most 64")
      .Range(0u, blob::kMaxGoldenVectors)
      .ShowDefault();
}

void Golden::TellAbsent(Told* told) const {
  told->facts["golden"] = 0;
}

bool Golden::Finish(const Conversion& given, std::vector<uint8_t>* blob, Told* told) const {
  if (wanted_ == 0) return false;
  told->facts["golden"] = AddGolden(given.data, wanted_, given.asked.seed, blob);
  return true;
}

std::vector<std::unique_ptr<images::Dataset>> Golden::KeptInputs(
    const std::string& blob, const graph::Graph& graph,
    const images::Preprocess& preprocess) const {
  return GoldenInputs(blob, graph, preprocess);
}

void Golden::Inspect(const uint8_t* blob, size_t blob_bytes, nlohmann::json* description) const {
  BlobView view{};
  GoldenView golden;
  if (!IsOk(ViewBlob(blob, blob_bytes, &view)) || !IsOk(ViewGolden(view, &golden))) {
    throw std::logic_error("malformed golden vectors");
  }
  (*description)["golden"] = golden.record == nullptr ? 0 : golden.record->vector_count;
}

std::string Golden::InspectText(const nlohmann::json& description) const {
  const auto count = description["golden"].get<uint32_t>();
  return count == 0 ? "" : fmt::format("{} golden vectors\n", count);
}

std::shared_ptr<Section> MakeGolden() {
  return std::make_shared<Golden>();
}

}  // namespace octet::sections
