// What the user asked of `octet convert`.
#ifndef OCTET_CONVERTER_CONVERT_OPTIONS_H_
#define OCTET_CONVERTER_CONVERT_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/assign/assign.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/import/import.h"
#include "converter/sections/sections.h"
#include "converter/write/write.h"
#include "runtime/format/blob.h"

namespace octet::convert {

inline constexpr int64_t kBytesPerMb = 1000000;
// Of random data: samples of it are alike, so that more of them take time and add nothing.
inline constexpr int64_t kRandomSamples = 64;

// How long recovery may take: seconds, minutes, half an hour for a detector.
enum class Effort : uint8_t { kFast, kDefault, kBest };
// What FP16 layers may add to the time of an int8 plan without being asked: a quarter. A plan that
// needs more is better replaced by the FP16 plan of a smaller network.
inline constexpr double kFp16Budget = 0.25;
// What they may add where the int8 plan of a model with states misses its limit and nobody gave a
// budget, if that is more: a thirtieth of the time of a frame of a usual camera, or of a window of
// sound. Errors of a state add up over the steps, and such networks are small.
inline constexpr int64_t kMendingNs = 1000000;
// A plan between int8 and FP16 (converter/assign).
struct MixedOptions {
  assign::Settings settings;
  std::vector<std::string> profiles;  // of the board, by octet-run; none: a cost model
};

struct ConvertOptions {
  std::string model, output;
  std::vector<std::string> calibration;  // one path an input
  import::ImportOptions import;
  images::Preprocess preprocess;
  blob::Task task = blob::Task::kNone;
  std::string labels, config, board;
  std::vector<std::string> label_names;  // in place of the file `labels`; empty: that one
  std::string decode;                    // preset or YAML file; empty: none
  std::vector<uint8_t> decode_section;   // a blob's, in place of that; empty: none
  std::optional<int64_t> blank;          // of a text: the class that is not a character
  std::string cache;                     // calibration cache to read or write; empty: none
  write::Verbosity verbosity = write::Verbosity::kDetailed;
  bool int8_everywhere = false;
  bool blob_calibration = false;    // `calibration` names a blob and means the samples it keeps
  bool random_calibration = false;  // `calibration` names nothing: the samples are random data
  bool winograd = false;            // transformed weights, whatever the board's file says
  bool winograd_fp16 = false;       // Winograd's method in the FP16 plan, the same
  bool native_fp16 = false;         // FP16 arithmetic in the FP16 plan, the same
  int64_t samples = 512;
  std::vector<int64_t> sequences;  // lengths, of a model with states; empty: all samples are one
  int64_t select = 0;              // of those, the ones that cover most; 0: all
  std::string sample_labels;       // JSON in COCO's form; empty: none
  double label_quality = 0.7;      // of pictures that count, by sample_labels.h
  uint64_t seed = 1;
  Effort effort = Effort::kDefault;
  double fp16_budget = kFp16Budget;           // share of the int8 plan's time that FP16 may add
  std::string require;                        // the least that the verdict must say; empty: nothing
  int64_t memory_bytes = 1000 * kBytesPerMb;  // for values of pictures, see simulate::Options
  int threads = 0;                            // 0: as many as the machine has
  uint64_t security_counter = 0;
  uint32_t section_align = blob::kLargestSectionAlignment;
  sections::Sections sections = sections::All();  // with their own options
  std::string report;                             // .html or .json to write; empty: none
  std::optional<MixedOptions> mixed;
  bool json = false;
  bool details = false;       // what was tried is printed too
  bool keep_failing = false;  // plans that the judge finds to fail stay in the blob
  bool judge = true;          // the blob is judged; else there is no verdict
  bool analyze = false;       // the int8 plan is analyzed whatever the verdict is
};

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_OPTIONS_H_
