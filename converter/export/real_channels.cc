#include "converter/export/real_channels.h"

#include <algorithm>
#include <map>

#include "converter/export/table_schemes.h"

namespace octet::exporting {

RealChannels RealChannelsOf(const Int8Plan& plan, const blob::LayerRecord& unary,
                            const lower::FunctionOf& function,
                            const std::vector<ResultChannel>& channels, int zero_point) {
  const blob::TensorRecord& behind = plan.OutputOf(unary);
  const std::span<const uint8_t> index = plan.TableIndexOf(unary);
  // Channels with one table share their schemes. Those whose weights have an effect tell them, some
  // better than others: where rounding was fitted, weights tell their scale a little off.
  std::map<uint8_t, TableScheme> schemes;
  RealChannels real;
  for (size_t c = 0; c < channels.size(); ++c) {
    if (channels[c].step == 0) continue;
    const auto known = schemes.try_emplace(index[c], TableScheme{1, 0, 1, 257}).first;
    if (known->second.differing_entries == 0) continue;
    const std::span<const int8_t> table = plan.TableOf(unary, index[c]);
    const TableScheme scheme =
        behind.per_channel != 0
            ? FindOutputScale(function, table, channels[c].step, behind.zero_point)
            : FindZeroPoint(function, table, channels[c].step, static_cast<double>(behind.scale),
                            behind.zero_point);
    if (scheme.differing_entries < known->second.differing_entries) known->second = scheme;
  }
  for (const auto& [table, scheme] : schemes) {
    real.worst = std::max(real.worst, scheme.differing_entries);
    real.differing += scheme.differing_entries;
  }
  for (size_t c = 0; c < channels.size(); ++c) {
    if (const auto at = schemes.find(index[c]); at != schemes.end()) {
      const TableScheme& scheme = at->second;
      real.scales.push_back(scheme.scale);
      real.offsets.push_back(static_cast<float>((zero_point - scheme.zero_point) * scheme.scale));
      real.behind_scales.push_back(scheme.output_scale);
      continue;
    }
    // Nothing but constants: the biases, whatever the codes are.
    const ResultChannel& channel = channels[c];
    real.scales.push_back(0);
    real.offsets.push_back(static_cast<float>(channel.bias));
    const int entry = plan.TableOf(unary, index[c])[static_cast<size_t>(channel.code + 128)];
    const int steps = entry - behind.zero_point;
    const double value = lower::Evaluate(function, channel.bias);
    real.behind_scales.push_back(
        steps != 0 && value / steps > 0 ? value / steps : static_cast<double>(behind.scale));
  }
  return real;
}

}  // namespace octet::exporting
