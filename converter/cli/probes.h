// Which tensors a guard watches (octet/guard.h, probes).
#ifndef OCTET_CONVERTER_CLI_PROBES_H_
#define OCTET_CONVERTER_CLI_PROBES_H_

#include <optional>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/write/write.h"

namespace octet::cli {

// Of the tensors that every plan writes, in int8 in the first one: first those whose rounding is
// largest beside their values in calibration, worst first, then others along the network.
// The input of pictures, where some that a camera can give lie beyond what calibration saw: what is
// cut there is seen in the first frame. preprocess: of a model whose only input takes pictures.
std::optional<write::Probe> ProbeInput(
    const graph::Graph& graph, const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const std::vector<write::Plan>& plans, const images::Preprocess& preprocess);

std::vector<write::Probe> ChooseProbes(
    const graph::Graph& graph, const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const std::vector<write::Plan>& plans);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_PROBES_H_
