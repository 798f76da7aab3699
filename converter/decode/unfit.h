// The error of outputs that are not those of a decoder.
#ifndef OCTET_CONVERTER_DECODE_UNFIT_H_
#define OCTET_CONVERTER_DECODE_UNFIT_H_

#include <string>

#include <fmt/format.h>

#include "converter/support/not_possible.h"

namespace octet::decode {

class Unfit : public NotPossible {
 public:
  // source: the preset, or the user's file. asks: they are, as soon as the user answers a question.
  Unfit(const std::string& source, const std::string& why, const std::string& advice, bool asks)
      : NotPossible(fmt::format("--decode {}: {}; {}", source, why, advice), true),
        why_(why),
        asks_(asks) {}
  const std::string& why() const { return why_; }
  bool asks() const { return asks_; }

 private:
  std::string why_;
  bool asks_;
};

}  // namespace octet::decode

#endif  // OCTET_CONVERTER_DECODE_UNFIT_H_
