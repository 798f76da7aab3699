// Which tensors a guard watches (octet/guard.h, probes).
#ifndef OCTET_CONVERTER_SECTIONS_GUARD_PROBES_H_
#define OCTET_CONVERTER_SECTIONS_GUARD_PROBES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/write/write.h"
#include "runtime/format/blob.h"

namespace octet::sections {

// A tensor that a guard watches.
struct Probe {
  std::string name;
  uint32_t baseline = 0;             // of values at an end of the int8 range, per mille
  uint32_t layers[blob::kMaxPlans];  // that write it, by plan
};

// The input of pictures, where some that a camera can give lie beyond what calibration saw: what is
// cut there is seen in the first frame. preprocess: of a model whose only input takes pictures.
std::optional<Probe> ProbeInput(const graph::Graph& graph,
                                const std::vector<std::optional<calibrate::Statistics>>& statistics,
                                const std::vector<write::Plan>& plans,
                                const images::Preprocess& preprocess);

// Of the tensors that every plan writes, in int8 in the first one: first those whose rounding is
// largest beside their values in calibration, worst first, then others along the network.
std::vector<Probe> ChooseProbes(const graph::Graph& graph,
                                const std::vector<std::optional<calibrate::Statistics>>& statistics,
                                const std::vector<write::Plan>& plans);

// A guard section with the probes behind what there is.
std::vector<uint8_t> WithProbes(std::vector<uint8_t> section, const std::vector<Probe>& probes,
                                const write::AddName& add_name);

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_GUARD_PROBES_H_
