#include "converter/simulate/samples.h"

#include <algorithm>

namespace octet::simulate {

Samples SplitSamples(int64_t available, int64_t most) {
  Samples samples;
  const int64_t count = std::min(available, most);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t sample = i * available / count;
    if (count < kFewestToSplit || i % 4 == 3) {
      samples.report.push_back(sample);
    } else {
      (i % 4 == 1 ? samples.accept : samples.fit).push_back(sample);
    }
  }
  return samples;
}

}  // namespace octet::simulate
