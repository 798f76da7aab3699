// Scratch of a layer, from the formula that is part of the format (runtime/format/scratch.h).
#ifndef OCTET_CONVERTER_WRITE_SCRATCH_H_
#define OCTET_CONVERTER_WRITE_SCRATCH_H_

#include <cstdint>

#include "converter/lower/program.h"

namespace octet::write {

// Bytes one thread needs for the most demanding layer.
uint64_t ScratchBytes(const lower::Program& program);

}  // namespace octet::write

#endif  // OCTET_CONVERTER_WRITE_SCRATCH_H_
