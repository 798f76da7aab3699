// What the codes of a tensor whose channels have schemes of their own are worth, told by the tables
// that read them.
#ifndef OCTET_CONVERTER_EXPORT_REAL_CHANNELS_H_
#define OCTET_CONVERTER_EXPORT_REAL_CHANNELS_H_

#include <vector>

#include "converter/export/int8_plan.h"
#include "converter/lower/builder.h"

namespace octet::exporting {

// A channel of a layer's result.
struct ResultChannel {
  double step =
      0;  // real worth of a step; 0 where the weights have no effect: it says nothing then
  double bias = 0;  // which the result is then
  int code = 0;     // and this, as the layer stores it
};

struct RealChannels {
  // real = scales[c] * (code - zero point of the tensor) + offsets[c].
  std::vector<double> scales;
  std::vector<float> offsets;
  // Of the tables' results, where those have scales by channel too; else theirs.
  std::vector<double> behind_scales;
  int worst = 0;      // entries of one table that come out differently
  int differing = 0;  // of all
};

// `unary`: the layer with tables by channel; `zero_point`: of the tensor it reads.
RealChannels RealChannelsOf(const Int8Plan& plan, const blob::LayerRecord& unary,
                            const lower::FunctionOf& function,
                            const std::vector<ResultChannel>& channels, int zero_point);

}  // namespace octet::exporting

#endif  // OCTET_CONVERTER_EXPORT_REAL_CHANNELS_H_
