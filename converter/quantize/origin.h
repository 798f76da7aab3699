// Where the range of a tensor is from.
#ifndef OCTET_CONVERTER_QUANTIZE_ORIGIN_H_
#define OCTET_CONVERTER_QUANTIZE_ORIGIN_H_

#include <cstdint>
#include <string>

#include "converter/calibrate/calibrate.h"

namespace octet::quantize {

struct Origin {
  enum class Kind : uint8_t {
    kNone,
    kMethod,    // of `method`, from statistics
    kOverride,  // --config
    kClamp,     // the bounds of an operator
    kFixed,     // an operator's own
    kGiven,     // the model's own, bit for bit
    kShared,    // tensor `of` has the same
    kUnion,     // all inputs of a node that joins them
    kFill,      // with what node `of` writes beside the values
  };
  Kind kind = Kind::kNone;
  calibrate::Method method = calibrate::Method::kAuto;
  std::string of = {};

  // For users; empty for kNone.
  std::string Text() const;
};

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_ORIGIN_H_
