#include "ports/linux/half_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "octet/state.h"
#include "runtime/core/float_math.h"
#include "runtime/engine/session.h"

namespace octet::port {
namespace {

octet_status RunWith(bool half_sums, octet_session* session,
                     const std::function<octet_status()>& set,
                     std::vector<std::vector<float>>* outputs) {
  auto* const own = reinterpret_cast<Session*>(session);
  octet_status status = set();  // a run may overwrite its inputs
  if (status.code != OCTET_OK) return status;
  const bool before = own->half_sums;
  own->half_sums = half_sums;
  octet_reset(session);  // both from the start of a sequence
  status = octet_run(session);
  own->half_sums = before;
  if (status.code != OCTET_OK) return status;
  outputs->resize(octet_output_count(session));
  for (uint32_t i = 0; i < outputs->size(); ++i) {
    octet_tensor_info info = {};
    status = octet_output_info(session, i, &info);
    if (status.code != OCTET_OK) return status;
    std::vector<float>& values = (*outputs)[i];
    values.resize(info.element_count);
    status = octet_get_output(session, i, values.data(), values.size());
    if (status.code != OCTET_OK) return status;
  }
  return status;
}

}  // namespace

bool MayAddInHalves(const octet_session* session) {
  const auto& own = *reinterpret_cast<const Session*>(session);
  for (uint32_t i = 0; i < octet_layer_count(session); ++i) {
    if (AllowsHalfSums(*own.layers[i].view.layer)) return true;
  }
  return false;
}

octet_status CompareHalfSums(octet_session* session, const std::function<octet_status()>& set,
                             double* share) {
  std::vector<std::vector<float>> floats, halves;
  octet_status status = RunWith(false, session, set, &floats);
  if (status.code == OCTET_OK) status = RunWith(true, session, set, &halves);
  if (status.code != OCTET_OK) return status;
  *share = 0;
  for (size_t i = 0; i < floats.size(); ++i) {
    *share = std::max(*share, ShareOfRange(floats[i].data(), halves[i].data(), floats[i].size()));
  }
  return status;
}

double ShareOfRange(const float* floats, const float* halves, size_t count) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  double low = kInfinite, high = -kInfinite, squares = 0;
  size_t finite = 0;
  for (size_t i = 0; i < count; ++i) {
    const double one = floats[i], other = halves[i];
    if (!std::isfinite(one) || !std::isfinite(other)) {
      const bool same = one == other || (std::isnan(one) && std::isnan(other));
      if (!same) return kInfinite;
      continue;
    }
    low = std::min(low, one);
    high = std::max(high, one);
    squares += (one - other) * (one - other);
    ++finite;
  }
  if (squares == 0) return 0;
  if (high <= low) return kInfinite;
  // Not std::sqrt: programs that link this library need no libm.
  const double range = high - low;
  return FloatSqrt(static_cast<float>(squares / static_cast<double>(finite) / (range * range)));
}

}  // namespace octet::port
