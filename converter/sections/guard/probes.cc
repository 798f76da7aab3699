#include "converter/sections/guard/probes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>

#include "converter/write/sections.h"
#include "runtime/format/guard_record.h"

namespace octet::sections {
namespace {

struct ProbeCandidate {
  double signal_to_noise;  // mean square over that of rounding
  Probe probe;
};

// Layers by the name of what they write.
std::map<std::string, uint32_t> Writers(const lower::Program& program) {
  std::map<std::string, uint32_t> writers;
  for (size_t k = 0; k < program.layers.size(); ++k) {
    const lower::Tensor& tensor = program.tensors[static_cast<size_t>(program.layers[k].output)];
    writers.emplace(tensor.name, static_cast<uint32_t>(k));
  }
  return writers;
}

const lower::Tensor& Written(const lower::Program& program, uint32_t layer) {
  return program.tensors[static_cast<size_t>(program.layers[layer].output)];
}

// Values that stand at an end of the int8 range, per mille; the end at 0 behind ReLU is none.
uint32_t CutPerMille(const calibrate::Statistics& seen, const lower::Tensor& tensor) {
  const double step = double{tensor.scale};
  const double top = (127 - tensor.zero_point - 0.5) * step;
  const double bottom =
      tensor.zero_point == -128 ? -INFINITY : (-128 - tensor.zero_point + 0.5) * step;
  const double width = (double{seen.histogram_max} - double{seen.histogram_min}) /
                       static_cast<double>(seen.histogram.size());
  double cut = 0, all = 0;
  for (size_t bin = 0; bin < seen.histogram.size(); ++bin) {
    const double middle = double{seen.histogram_min} + (static_cast<double>(bin) + 0.5) * width;
    const auto count = static_cast<double>(seen.histogram[bin]);
    all += count;
    if (middle >= top || middle <= bottom) cut += count;
  }
  return all > 0 ? static_cast<uint32_t>(std::lround(1000 * cut / all)) : 0;
}

}  // namespace

std::optional<Probe> ProbeInput(const graph::Graph& graph,
                                const std::vector<std::optional<calibrate::Statistics>>& statistics,
                                const std::vector<write::Plan>& plans,
                                const images::Preprocess& preprocess) {
  const lower::Program& program = plans[0].program;
  const lower::Tensor& tensor = program.tensors[static_cast<size_t>(program.inputs[0].tensor)];
  const auto id = static_cast<size_t>(graph.inputs[0]);
  if (tensor.type != blob::ElementType::kInt8 || id >= statistics.size() || !statistics[id] ||
      statistics[id]->histogram.empty()) {
    return std::nullopt;
  }
  const double step = double{tensor.scale};
  const double top = (127.5 - tensor.zero_point) * step,
               bottom = (-128.5 - tensor.zero_point) * step;
  bool cuts = false;
  for (size_t c = 0; c < std::size(preprocess.mean); ++c) {
    for (const double pixel : {0.0, 255.0}) {
      const double value = (pixel * double{preprocess.scale} - double{preprocess.mean[c]}) /
                           double{preprocess.std_dev[c]};
      cuts = cuts || value > top || value < bottom;
    }
  }
  if (!cuts) return std::nullopt;
  Probe probe;
  probe.name = tensor.name;
  probe.baseline = CutPerMille(*statistics[id], tensor);
  std::fill(std::begin(probe.layers), std::end(probe.layers), blob::kNone);
  std::fill_n(std::begin(probe.layers), plans.size(), blob::kProbedInput);
  return probe;
}

std::vector<Probe> ChooseProbes(const graph::Graph& graph,
                                const std::vector<std::optional<calibrate::Statistics>>& statistics,
                                const std::vector<write::Plan>& plans) {
  std::map<std::string, const calibrate::Statistics*> seen;
  for (size_t id = 0; id < graph.values.size(); ++id) {
    if (id < statistics.size() && statistics[id]) seen[graph.values[id].name] = &*statistics[id];
  }
  std::vector<std::map<std::string, uint32_t>> writers;
  for (const write::Plan& plan : plans) writers.push_back(Writers(plan.program));
  std::vector<ProbeCandidate> candidates;
  for (const auto& [name, layer] : writers[0]) {
    const lower::Tensor& tensor = Written(plans[0].program, layer);
    const auto found = seen.find(name);
    if (found == seen.end() || tensor.type != blob::ElementType::kInt8 ||
        !tensor.channels.empty() || found->second->histogram.empty()) {
      continue;
    }
    Probe probe;
    probe.name = name;
    std::fill(std::begin(probe.layers), std::end(probe.layers), blob::kNone);
    bool everywhere = true;
    for (size_t p = 0; p < plans.size(); ++p) {
      const auto writer = writers[p].find(name);
      everywhere = everywhere && writer != writers[p].end();
      if (!everywhere) break;
      const lower::Tensor& other = Written(plans[p].program, writer->second);
      everywhere = std::equal(std::begin(tensor.dims), std::end(tensor.dims), other.dims);
      probe.layers[p] = writer->second;
    }
    if (!everywhere) continue;
    const calibrate::Statistics& s = *found->second;
    const double noise = double{tensor.scale} * double{tensor.scale} / 12;
    probe.baseline = CutPerMille(s, tensor);
    candidates.push_back({(s.variance + s.mean * s.mean) / noise, probe});
  }
  std::ranges::stable_sort(candidates, {}, [](const auto& c) { return c.signal_to_noise; });
  // Half of them the most sensitive; what is cut in other scenes may be elsewhere, so the others
  // stand at even distances along the network.
  const size_t count = std::min<size_t>(blob::kMostProbes, candidates.size());
  const auto sensitive = candidates.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::ranges::sort(sensitive, candidates.end(), {},
                    [](const auto& c) { return c.probe.layers[0]; });
  std::vector<Probe> probes;
  for (auto it = candidates.begin(); it != sensitive; ++it) probes.push_back(it->probe);
  const size_t others = count - count / 2, left = candidates.size() - count / 2;
  for (size_t i = 0; i < others; ++i)
    probes.push_back((sensitive + static_cast<std::ptrdiff_t>(i * left / others))->probe);
  return probes;
}

std::vector<uint8_t> WithProbes(std::vector<uint8_t> section, const std::vector<Probe>& probes,
                                const write::AddName& add_name) {
  std::vector<blob::ProbeRecord> records;
  for (const Probe& probe : probes) {
    blob::ProbeRecord record{};
    record.name = add_name(probe.name);
    record.baseline = probe.baseline;
    std::copy(std::begin(probe.layers), std::end(probe.layers), record.layers);
    records.push_back(record);
  }
  blob::GuardRecord head;
  std::memcpy(&head, section.data(), sizeof(head));
  head.probe_count = static_cast<uint32_t>(records.size());
  head.probes_offset = write::Append(records, &section);
  std::memcpy(section.data(), &head, sizeof(head));
  return section;
}

}  // namespace octet::sections
