// Stage 10, write: the bytes of the blob, with the sections that have to run it, verified after
// each change. Nothing is written to a file.
#ifndef OCTET_CONVERTER_CONVERT_WRITE_H_
#define OCTET_CONVERTER_CONVERT_WRITE_H_

#include <cstdint>
#include <vector>

#include "converter/convert/sections.h"

namespace octet::convert {

struct Written {
  std::vector<uint8_t> blob;  // empty: no plan is left
  sections::Told told;
};

Written Write(Sectioned sectioned);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_WRITE_H_
