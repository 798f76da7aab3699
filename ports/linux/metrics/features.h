// The numbers of features, each known to its own folder alone.
#ifndef OCTET_PORTS_LINUX_METRICS_FEATURES_H_
#define OCTET_PORTS_LINUX_METRICS_FEATURES_H_

#include <cstdint>
#include <memory>
#include <typeindex>
#include <utility>
#include <vector>

#include "ports/linux/metrics/exposition.h"
#include "runtime/format/view.h"

namespace octet::port {

// Where the families of features stand in the text.
enum class MetricPlace : uint8_t { kBlob, kDevice, kEvents, kRecords, kScore, kRate, kLayers };

// The numbers of one feature.
class FeatureMetrics {
 public:
  virtual ~FeatureMetrics() = default;
  // Its families that stand there. From any thread.
  virtual void Write(MetricPlace place, Exposition* out) const = 0;
  // Another blob runs.
  virtual void SetBlob(const BlobView&) {}
};

// Those of a program, or of one of its cameras.
class FeatureNumbers {
 public:
  // Those of a feature, by their type. The first call makes them: before anybody calls Write.
  template <typename T>
  T& Numbers() {
    for (auto& [type, feature] : features_) {
      if (type == typeid(T)) return static_cast<T&>(*feature);
    }
    features_.emplace_back(typeid(T), std::make_unique<T>());
    return static_cast<T&>(*features_.back().second);
  }
  void SetBlobOfFeatures(const BlobView& blob) {
    for (auto& [type, feature] : features_) feature->SetBlob(blob);
  }
  void WriteOwn(MetricPlace place, Exposition* out) const {
    for (const auto& [type, feature] : features_) feature->Write(place, out);
  }

 private:
  std::vector<std::pair<std::type_index, std::unique_ptr<FeatureMetrics>>> features_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_METRICS_FEATURES_H_
