// The smallest part of a model that still goes wrong.
#ifndef OCTET_CONVERTER_CLI_REDUCE_H_
#define OCTET_CONVERTER_CLI_REDUCE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "converter/convert/convert.h"

namespace octet::cli {

struct ReduceOptions {
  convert::ConvertOptions
      convert;         // the model, its data and how they are converted; `output` is not used
  std::string output;  // the .onnx file to write
  // Judge this project's FP32 by ONNX Runtime, instead of the int8 plan by this project's FP32.
  bool against_ort = false;
  // The part goes wrong where signal stands less than so many dB above the difference (int8), or
  // where a value differs by more than kFp32Share of its range (against_ort).
  double bound_db = 10;
  int64_t samples = 4;  // of the data, which convert each part and judge it
  // What makes a blob of each part: tests have one that is wrong.
  std::function<convert::Conversion(const convert::ConvertOptions&)> converter = convert::Convert;
};

struct Reduced {
  bool fails = false;                   // the whole model; without it there is nothing to reduce
  double whole_snr_db = 0, snr_db = 0;  // of the worst output, and of the part's
  std::string worst_output;             // of the whole model
  std::string output;                   // of the part
  std::vector<std::string> inputs, nodes, files;
  int64_t tried = 0;  // parts that were converted and run
};

// Bisects over the model's values: first for the earliest that is wrong, then for the latest values
// from which it still is. Writes the part and, beside it, a .npy an input. `progress` hears how
// many parts have been tried. Throws UserError.
Reduced Reduce(const ReduceOptions& options, const std::function<void(int64_t tried)>& progress);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_REDUCE_H_
