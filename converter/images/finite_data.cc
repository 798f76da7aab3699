#include "converter/images/finite_data.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "converter/support/error.h"

namespace octet::images {
namespace {

class FiniteData : public images::Dataset {
 public:
  FiniteData(std::unique_ptr<images::Dataset> data, const std::string& name)
      : data_(std::move(data)), name_(name) {}
  int64_t size() const override { return data_->size(); }
  graph::Tensor Load(int64_t i) const override {
    graph::Tensor tensor = data_->Load(i);
    if (!std::all_of(tensor.floats.begin(), tensor.floats.end(),
                     [](float v) { return std::isfinite(v); })) {
      Fail("{}: sample {} (counted from 0) has NaN or infinity; remove it", name_, i);
    }
    return tensor;
  }
  void Check(int64_t i) const override { Load(i); }
  images::PictureSize Picture(int64_t i) const override { return data_->Picture(i); }
  images::Image Pixels(int64_t i) const override { return data_->Pixels(i); }
  std::string File(int64_t i) const override { return data_->File(i); }
  int SourceChannels() const override { return data_->SourceChannels(); }

 private:
  std::unique_ptr<images::Dataset> data_;
  std::string name_;
};

}  // namespace

std::unique_ptr<images::Dataset> RequireFinite(std::unique_ptr<images::Dataset> data,
                                               const std::string& name) {
  return std::make_unique<FiniteData>(std::move(data), name);
}

}  // namespace octet::images
