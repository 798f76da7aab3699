// A conversion up to its calibration, for what is decided from there on.
#ifndef OCTET_TESTS_CONVERTER_CONVERT_SEARCH_SUPPORT_H_
#define OCTET_TESTS_CONVERTER_CONVERT_SEARCH_SUPPORT_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converter/convert/calibrate.h"
#include "converter/convert/evidence.h"
#include "converter/convert/import.h"
#include "converter/convert/make_plan.h"
#include "converter/convert/passes.h"
#include "converter/convert/prepare.h"
#include "converter/convert/search.h"
#include "converter/quantize/reasons.h"
#include "converter/simulate/simulator.h"
#include "tests/support/onnx_builder.h"

namespace octet::convert::given {

// 100 for a convolution, in FP16 `more` besides; nothing else takes time.
class GivenClock : public assign::Clock {
 public:
  explicit GivenClock(int64_t more) : more_(more) {}
  using Clock::NsOf;
  int64_t NsOf(const lower::Program&, const lower::Layer& layer) const override {
    if (layer.op != blob::Op::kConv) return 0;
    return layer.precision == blob::Precision::kFp16 ? 100 + more_ : 100;
  }
  int64_t ConversionNs(uint64_t) const override { return 0; }
  std::string Source() const override { return "given"; }

 private:
  int64_t more_;
};

// A model and its samples in a folder of their own.
class Files {
 public:
  Files();
  ~Files() { std::filesystem::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  // value: of sample, and of the number in it.
  void Write(const test::OnnxBuilder& model, const test::Dims& shape,
             const std::function<float(int64_t sample, size_t number)>& value,
             int64_t samples = 16) const;
  ConvertOptions Options() const;

 private:
  std::filesystem::path folder_;
};

// The stages refer to each other.
struct Stages {
  ConvertOptions options;
  Imported imported;
  Passed passed;
  Prepared prepared;
  Calibrated calibrated;
  simulate::Samples sets;

  explicit Stages(ConvertOptions of)
      : options(std::move(of)),
        imported(Import(options)),
        passed(RunPasses(imported)),
        prepared(Prepare(passed)),
        calibrated(Calibrate(prepared)),
        sets(simulate::SplitSamples(calibrated.samples, 16)) {}
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  size_t Node(const std::string& name) const;
  // With these layers in FP16.
  quantize::Scheme With(const std::set<std::string>& fp16) const;
  write::Plan PlanOf(const quantize::Scheme& scheme) const;
};

}  // namespace octet::convert::given

#endif  // OCTET_TESTS_CONVERTER_CONVERT_SEARCH_SUPPORT_H_
