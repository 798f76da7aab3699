// An optional section of the blob, or a check of the whole blob, as one object: its options, what
// it makes, and what `octet inspect` says of it. A conversion knows these by this interface alone;
// sections.inc has the list.
#ifndef OCTET_CONVERTER_SECTIONS_SECTION_H_
#define OCTET_CONVERTER_SECTIONS_SECTION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/boards/board.h"
#include "converter/calibrate/calibrate.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"
#include "converter/write/write.h"
#include "ports/linux/command_line/command_line.h"

namespace octet::sections {

// Known before the minutes that calibration takes.
struct Asked {
  std::string model;        // its path, for messages
  boards::Board board;      // without a file where there is none
  uint32_t plan_count = 0;  // of the plans that the blob has where none of them fails
  uint64_t seed = 0;
  images::Preprocess preprocess;
};

// The conversion as it stands when the plans are final. All outlives the section's calls.
struct Conversion {
  const Asked& asked;
  const graph::Graph& graph;  // that the plans were made of
  const std::vector<std::optional<calibrate::Statistics>>& statistics;
  const quantize::Scheme& scheme;         // of the int8 plan
  const std::vector<write::Plan>& plans;  // of the blob, in its order
  const simulate::Simulator& simulator;   // of the graph on the calibration data
  const simulate::Samples& samples;
  const std::vector<const images::Dataset*>& data;
};

// What convert says of what was made.
struct Told {
  nlohmann::json facts = nlohmann::json::object();  // of --json
  std::string text;                                 // whole lines with their ends
};

class Section {
 public:
  virtual ~Section() = default;

  // Options of `octet convert`; the object outlives the parsing.
  virtual void AddOptions(port::Options /*command*/) {}
  // After the parsing; throws UserError where options contradict each other.
  virtual void ReadOptions() {}

  // Before calibration: throws UserError for whatever can be refused by then.
  virtual void Check(const Asked& /*asked*/) const {}
  // What --json says where the section is not made.
  virtual void TellAbsent(Told* /*told*/) const {}
  // Puts the section into `info` where it was asked for, and changes nothing else of it.
  virtual void Make(const Conversion& /*given*/, write::ModelInfo* /*info*/, Told* /*told*/) const {
  }
  // Of the blob with all sections that Make made, verified: what has to run it first. Returns
  // whether it changed the blob. Throws UserError where the blob must not be written.
  virtual bool Finish(const Conversion& /*given*/, std::vector<uint8_t>* /*blob*/,
                      Told* /*told*/) const {
    return false;
  }

  // The samples that a blob keeps in this section, as data sets: one an input of the graph, in its
  // order; none where the section keeps no samples. `preprocess` is for those that are pictures.
  // Throws UserError where the blob lacks them.
  virtual std::vector<std::unique_ptr<images::Dataset>> KeptInputs(
      const std::string& /*blob*/, const graph::Graph& /*graph*/,
      const images::Preprocess& /*preprocess*/) const {
    return {};
  }

  // The word of `octet inspect` for a kind that is this section's, else null.
  virtual const char* NameOf(blob::SectionKind /*kind*/) const { return nullptr; }
  // Of `octet inspect`: fields of the description of a verified blob, none where it lacks the
  // section; and the lines that tell these fields.
  virtual void Inspect(const uint8_t* /*blob*/, size_t /*blob_bytes*/,
                       nlohmann::json* /*description*/) const {}
  virtual std::string InspectText(const nlohmann::json& /*description*/) const { return ""; }
};

// Throws UserError where the first plan is another than int8, because that one fails; `option`
// asked for the section.
void RequireInt8(const Conversion& given, const char* option);

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_SECTION_H_
