// Programs and their memory plans to the bytes of one blob (runtime/format/FORMAT.md).
#ifndef OCTET_CONVERTER_WRITE_WRITE_H_
#define OCTET_CONVERTER_WRITE_WRITE_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/lower/program.h"
#include "converter/plan/plan.h"
#include "runtime/format/blob.h"

namespace octet::write {

// Names kept in the blob for the inspector: of nothing, of layers, of layers and tensors.
enum class Verbosity : uint8_t { kNone, kLayerNames, kDetailed };

// Puts a name into the blob and gives its offset there; 0 where the blob keeps no names.
using AddName = std::function<uint32_t(const std::string& name)>;
// The bytes of an optional section.
using SectionBytes = std::function<std::vector<uint8_t>(const AddName& add_name)>;

// What travels with the model besides its plans.
struct ModelInfo {
  std::string name;
  blob::Task task = blob::Task::kNone;
  struct Port {
    std::string name;
    graph::Shape shape;     // logical
    bool is_image = false;  // inputs only
  };
  std::vector<Port> inputs, outputs;
  struct State {
    Port input;
    std::string output;
  };
  std::vector<State> states;
  images::Preprocess preprocess;
  std::vector<std::string> labels;
  std::vector<uint8_t> decode;  // the decode section, where there is one
  // Optional sections between plans and names, in the order of their kinds.
  std::map<blob::SectionKind, SectionBytes> sections;
  uint64_t security_counter = 0;  // rises with every release; 0: unused
  uint32_t section_alignment = blob::kLargestSectionAlignment;
  std::string board;           // compatible string, at most 23 bytes; empty: any board
  bool random_ranges = false;  // blob::kFeatureRandomRanges
  Verbosity verbosity = Verbosity::kDetailed;

  // One without names; without bytes there is none.
  void AddSection(blob::SectionKind kind, std::vector<uint8_t> bytes);
};

struct Plan {
  lower::Program program;
  plan::MemoryPlan memory;
};

// The whole blob, hashes included. Plan 0 is the default. The same input gives the same bytes.
std::vector<uint8_t> WriteBlob(const ModelInfo& info, const std::vector<Plan>& plans);

// Writes `bytes` beside `path` and renames, so that the file appears whole or not at all. Throws
// UserError.
void SaveFile(const std::filesystem::path& path, const std::vector<uint8_t>& bytes);
// Whether it could, before work is done in vain, and is none of the files that are read. Throws
// UserError.
void CheckWritable(const std::filesystem::path& path,
                   const std::vector<std::filesystem::path>& inputs = {});

}  // namespace octet::write

#endif  // OCTET_CONVERTER_WRITE_WRITE_H_
