// Golden vectors: samples that travel with a blob, and what it gives for them.
#ifndef OCTET_CONVERTER_SECTIONS_GOLDEN_GOLDEN_H_
#define OCTET_CONVERTER_SECTIONS_GOLDEN_GOLDEN_H_

#include <cstdint>
#include <vector>

#include "converter/images/dataset.h"
#include "converter/sections/section.h"

namespace octet::sections {

// Sides of what is cut out of the middle of a picture, and bytes of float samples that are kept as
// they are: a vector is to cost little beside the weights. Of larger ones the range is kept.
constexpr int kGoldenSide = 64;
constexpr size_t kGoldenValueBytes = 64 << 10;

// Adds the section to a valid blob, with digests of this machine's best level. Returns how many
// vectors there are: `wanted`, or as many as there are samples, chosen at equal distances; of a
// model with states the first ones, which are the beginning of a sequence.
uint32_t AddGolden(std::vector<const images::Dataset*> datasets, uint32_t wanted, uint64_t seed,
                   std::vector<uint8_t>* blob);

// --golden. The digests are those of the finished blob, so the section is added to it.
class Golden : public Section {
 public:
  void AddOptions(port::Options command) override;
  void TellAbsent(Told* told) const override;
  bool Finish(const Conversion& given, std::vector<uint8_t>* blob, Told* told) const override;
  std::vector<std::unique_ptr<images::Dataset>> KeptInputs(
      const std::string& blob, const graph::Graph& graph,
      const images::Preprocess& preprocess) const override;
  const char* NameOf(blob::SectionKind kind) const override {
    return kind == blob::SectionKind::kGolden ? "golden" : nullptr;
  }
  void Inspect(const uint8_t* blob, size_t blob_bytes, nlohmann::json* description) const override;
  std::string InspectText(const nlohmann::json& description) const override;

 private:
  uint32_t wanted_ = 0;
};

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_GOLDEN_GOLDEN_H_
