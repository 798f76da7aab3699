// Stage 9, sections: what the blob holds beside plans and model, from the list of
// converter/sections. It changes nothing of plans, and of the model's info the sections alone.
#ifndef OCTET_CONVERTER_CONVERT_SECTIONS_H_
#define OCTET_CONVERTER_CONVERT_SECTIONS_H_

#include "converter/convert/judge.h"
#include "converter/sections/section.h"
#include "converter/write/write.h"

namespace octet::convert {

struct Sectioned {
  const Judged& from;
  write::ModelInfo info;  // with the sections
  sections::Told told;    // of those made so far; of the others that they are absent
};

Sectioned MakeSections(const Judged& from);

// What sections are made of.
sections::Conversion ConversionOf(const Judged& from);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_SECTIONS_H_
