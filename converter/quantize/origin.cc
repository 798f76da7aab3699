#include "converter/quantize/origin.h"

namespace octet::quantize {

std::string Origin::Text() const {
  switch (kind) {
    case Kind::kNone:
      return "";
    case Kind::kMethod:
      return std::string(calibrate::Name(method));
    case Kind::kOverride:
      return "override";
    case Kind::kClamp:
      return "clamp";
    case Kind::kFixed:
      return "fixed";
    case Kind::kGiven:
      return "given";
    case Kind::kShared:
      return "shared with " + of;
    case Kind::kUnion:
      return "union of inputs";
    case Kind::kFill:
      return "united with the fill of " + of;
  }
  return "";
}

}  // namespace octet::quantize
