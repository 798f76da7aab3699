// The fitting pictures in two: most of them find, the others agree or not, layer by layer. Those
// that accept the whole stay out of both: they would find what they chose better than it is.
#ifndef OCTET_CONVERTER_RECOVER_FITTING_H_
#define OCTET_CONVERTER_RECOVER_FITTING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace octet::recover {

// One in so many of the fitting pictures agrees.
inline constexpr size_t kAgreeing = 4;

struct Fitting {
  explicit Fitting(const std::vector<int64_t>& fit) {
    const size_t each = std::min(kAgreeing, fit.size());
    for (size_t i = 0; i < fit.size(); ++i) {
      (i % each == each - 1 ? agreeing : finding).push_back(fit[i]);
    }
  }
  // Those that find, then those that agree.
  std::vector<int64_t> All() const {
    std::vector<int64_t> all = finding;
    all.insert(all.end(), agreeing.begin(), agreeing.end());
    return all;
  }
  std::vector<int64_t> finding, agreeing;
};

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_FITTING_H_
