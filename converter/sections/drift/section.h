// The drift section (runtime/format/FORMAT.md): which tensors of the int8 plan may take other
// scales on the board, and what calibration saw of them.
#ifndef OCTET_CONVERTER_SECTIONS_DRIFT_SECTION_H_
#define OCTET_CONVERTER_SECTIONS_DRIFT_SECTION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/graph/graph.h"
#include "converter/lower/program.h"

namespace octet::drift {

struct Summary {
  size_t groups = 0;   // of tensors whose scales move together
  size_t tensors = 0;  // in them
  size_t fixed = 0;    // int8 tensors that keep their scale
  size_t layers = 0;   // whose numbers follow
};

// int8: plan 0 as it is written, fp16: plan `fp16_plan`. Empty where no tensor may move.
std::vector<uint8_t> MakeSection(
    const graph::Graph& graph, const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const lower::Program& int8, const lower::Program& fp16, uint32_t fp16_plan, Summary* summary);

}  // namespace octet::drift

#endif  // OCTET_CONVERTER_SECTIONS_DRIFT_SECTION_H_
