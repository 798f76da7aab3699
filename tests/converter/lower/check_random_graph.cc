#include "tests/converter/lower/check_random_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "converter/executor/executor.h"
#include "converter/support/error.h"
#include "runtime/core/half.h"
#include "runtime/engine/bands.h"
#include "runtime/engine/c_api.h"
#include "tests/converter/lower/convert_in_process.h"
#include "tests/converter/lower/first_far_layer.h"
#include "tests/converter/lower/random_graph.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

constexpr int64_t kCalibrationSamples = 4;
constexpr int64_t kSamples = 2;  // the first of those
// A wrong layout, axis or sign leaves no signal at all; rounding alone leaves more than this.
constexpr double kLeastInt8Db = 6, kLeastFp16Db = 30;
// Where sums cancel, or a Relu lets hardly anything through, 8 bits leave less: then as much as
// they leave of FP32 rounded to the same steps, but for this. Halves likewise, in graphs that may
// divide a difference of equal numbers by its deviation.
constexpr double kRoundingsDb = 6;
// Of IsLimitCycle: the step of a state, and 0.5 / (1 - s) steps for a largest singular value s of
// its weights of 15/16.
constexpr double kStateStep = 1.0 / 127, kLimitCycle = 8 * kStateStep;

using Values = std::vector<std::vector<float>>;

// The signal is that of all calibration samples: a sum that happens to cancel in one of them keeps
// the rounding of its terms.
double SnrDb(const std::vector<Values>& all, size_t output, size_t sample,
             const std::vector<float>& actual) {
  double signal = 0, noise = 0;
  for (const Values& values : all) {
    for (const float value : values[output]) signal += static_cast<double>(value) * value;
  }
  signal /= static_cast<double>(all.size());
  const std::vector<float>& expected = all[sample][output];
  for (size_t i = 0; i < expected.size(); ++i) {
    const double difference = static_cast<double>(actual[i]) - expected[i];
    noise += difference * difference;
  }
  // Nothing but zeros is right when it is zeros again.
  if (signal < 1e-12 * static_cast<double>(expected.size())) return noise <= 1e-6 ? 200 : -200;
  return 10 * std::log10(signal / std::max(noise, signal * 1e-20));
}

bool HasStates(const graph::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const graph::Node& node) {
    return node.op == "LSTM" || node.op == "GRU" || node.op == "RNN";
  });
}

bool AllBelow(const std::vector<float>& values, double bound) {
  return std::all_of(values.begin(), values.end(),
                     [bound](float value) { return std::abs(value) < bound; });
}

// FP32 with weights and activations on the steps that the int8 plan has.
class RoundedFp32 {
 public:
  RoundedFp32(const graph::Graph& graph, const quantize::Scheme& scheme)
      : graph_(graph), scheme_(scheme) {
    for (const graph::Node& node : graph_.nodes) {
      const bool by_row = node.op == "Conv" || (node.op == "Gemm" && node.Int("transB", 0) != 0);
      if (by_row) RoundRows(node.inputs[1]);
    }
  }

  Values Run(std::vector<graph::Tensor> inputs) {
    Values outputs;
    executor::Executor executor(graph_);
    const auto round = [this](graph::ValueId id, const graph::Tensor& tensor) {
      const auto& scheme = scheme_.tensors[static_cast<size_t>(id)];
      if (!scheme) return;
      // The executor's own memory, or our inputs.
      for (float& value : const_cast<graph::Tensor&>(tensor).floats) {
        const float q = std::round(value / scheme->scale) + static_cast<float>(scheme->zero_point);
        value = scheme->scale *
                (std::clamp(q, -128.0f, 127.0f) - static_cast<float>(scheme->zero_point));
      }
    };
    for (graph::Tensor& tensor : executor.Run(inputs, round)) {
      outputs.push_back(std::move(tensor.floats));
    }
    return outputs;
  }

 private:
  void RoundRows(graph::ValueId id) {
    graph::Value& value = graph_.At(id);
    if (value.constant == nullptr || value.constant->shape.empty()) return;
    graph::Tensor tensor = *value.constant;
    const size_t row = tensor.floats.size() / static_cast<size_t>(tensor.shape[0]);
    for (size_t begin = 0; begin < tensor.floats.size(); begin += row) {
      float largest = 1e-30f;
      for (size_t i = begin; i < begin + row; ++i) {
        largest = std::max(largest, std::abs(tensor.floats[i]));
      }
      for (size_t i = begin; i < begin + row; ++i) {
        tensor.floats[i] = std::round(tensor.floats[i] / largest * 127) * largest / 127;
      }
    }
    value.constant = graph::Constant::Real(std::move(tensor));
  }

  graph::Graph graph_;
  const quantize::Scheme& scheme_;
};

// FP32 with every constant and every activation rounded to half.
Values RunInHalves(graph::Graph graph, std::vector<graph::Tensor> inputs) {
  const auto round = [](std::vector<float>* values) {
    for (float& value : *values) value = HalfToFloat(FloatToHalf(value));
  };
  for (graph::Value& value : graph.values) {
    if (value.constant == nullptr) continue;
    graph::Tensor tensor = *value.constant;
    round(&tensor.floats);
    value.constant = graph::Constant::Real(std::move(tensor));
  }
  for (graph::Tensor& tensor : inputs) round(&tensor.floats);
  executor::Executor executor(graph);
  Values outputs;
  const auto observe = [&round](graph::ValueId, const graph::Tensor& tensor) {
    round(&const_cast<graph::Tensor&>(tensor).floats);  // the executor's own memory, or our inputs
  };
  for (graph::Tensor& tensor : executor.Run(inputs, observe)) {
    outputs.push_back(std::move(tensor.floats));
  }
  return outputs;
}

// Every seventh: 2 and 4, which decide other things, take turns.
bool IsSymmetricOnly(uint64_t seed) {
  return seed % 7 == 6;
}

// Graphs are small: every group that can run in bands does.
constexpr BandLimits kSmallBands = {512, 0, UINT64_MAX, 4};

class Check {
 public:
  Check(const RandomGraph& random, uint64_t seed, GraphReport* report)
      : random_(random), report_(*report) {
    converted_ = ConvertInProcess(
        random.model(), seed, kCalibrationSamples,
        {.winograd = seed % 2 == 0, .mixed = true, .symmetric_only = IsSymmetricOnly(seed)});
  }

  void Go() {
    if (converted_.plans[0].program.layers.empty()) return;
    const octet_status status = octet_validate(converted_.blob.data(), converted_.blob.size(),
                                               OCTET_VERIFY_PORTABLE | OCTET_VERIFY_CONTENT);
    if (status.code != OCTET_OK) return Differs("validate", octet_code_name(status.code), 0);
    report_.blob = converted_.blob;
    for (const lower::Layer& layer : converted_.plans[0].program.layers) {
      report_.winograd |= layer.layout != blob::Layout::kNone;
    }
    if (converted_.scheme.symmetric_only) CheckSymmetric();
    executor::Executor fp32(converted_.original);
    for (int64_t sample = 0; sample < kCalibrationSamples; ++sample) {
      const std::vector<graph::Tensor> tensors = Load(static_cast<size_t>(sample));
      Values& inputs = inputs_.emplace_back();
      for (const graph::Tensor& tensor : tensors) inputs.push_back(tensor.floats);
      Values& expected = expected_.emplace_back();
      for (const graph::Tensor& tensor : fp32.Run(tensors)) expected.push_back(tensor.floats);
    }
    for (size_t sample = 0; sample < kSamples; ++sample) CheckSample(sample);
  }

 private:
  template <typename What>
  void Differs(const char* where, const What& what, size_t output) {
    report_.differences.push_back(fmt::format("{}: {}, output {}", where, what, output));
  }

  // A mixed plan is drawn without asking what a board allows.
  void CheckSymmetric() {
    for (const lower::Tensor& tensor : converted_.plans[0].program.tensors) {
      if (tensor.type != blob::ElementType::kInt8) continue;
      bool symmetric = tensor.zero_point == 0;
      for (const auto& channel : tensor.channels) symmetric &= channel.zero_point == 0;
      if (!symmetric) Differs("symmetric only", tensor.name, 0);
    }
  }

  Values Run(octet_isa isa, uint32_t threads, uint32_t plan, const Values& inputs,
             bool in_bands = false) {
    TestSession session(converted_.blob, {.isa = isa, .threads = threads});
    if (session.status().code != OCTET_OK) {
      Differs("bind", octet_code_name(session.status().code), session.status().offset);
      return {};
    }
    octet_set_plan(session.get(), plan);
    if (in_bands) MakeSmallBands(SessionOf(session.get()));
    for (size_t i = 0; i < inputs.size(); ++i) {
      octet_set_input_f32(session.get(), static_cast<uint32_t>(i), inputs[i].data(),
                          inputs[i].size());
    }
    octet_run(session.get());
    Values outputs;
    for (uint32_t i = 0; i < octet_output_count(session.get()); ++i) {
      octet_tensor_info info{};
      octet_output_info(session.get(), i, &info);
      std::vector<float>& values = outputs.emplace_back(info.element_count);
      octet_get_output(session.get(), i, values.data(), values.size());
    }
    session.ExpectGuardsIntact();
    return outputs;
  }

  void MakeSmallBands(Session* session) {
    MakeBands(session, kSmallBands);
    for (uint32_t k = 0; k < CurrentPlan(*session).layer_count; ++k) {
      report_.in_bands |= session->layers[k].band.layers != 0;
    }
  }

  // Layers that run in bands of lines give the bytes of those that run one after the other.
  void CheckBands(octet_isa isa, uint32_t plan, const Values& wanted, size_t sample) {
    if (HasStates(converted_.original)) return;
    const Values same = Run(isa, 1, plan, inputs_[sample], true);
    for (size_t o = 0; o < wanted.size(); ++o) {
      if (std::memcmp(same[o].data(), wanted[o].data(), wanted[o].size() * sizeof(float)) != 0) {
        Differs(octet_isa_name(isa), "bytes in bands", o);
      }
    }
  }

  void CheckSample(size_t sample) {
    const Values int8 = Run(OCTET_ISA_REFERENCE, 1, 0, inputs_[sample]);
    const std::vector<octet_isa> levels = RunnableLevels();
    report_.levels = static_cast<int>(levels.size()) - 1;
    for (const octet_isa isa : levels) {
      const Values same = Run(isa, isa == OCTET_ISA_REFERENCE ? 3 : 2, 0, inputs_[sample]);
      if (same.size() != int8.size()) return Differs(octet_isa_name(isa), "no outputs", 0);
      for (size_t o = 0; o < int8.size(); ++o) {
        if (same[o].size() != int8[o].size() ||
            std::memcmp(same[o].data(), int8[o].data(), int8[o].size() * sizeof(float)) != 0) {
          Differs(octet_isa_name(isa), "bytes", o);
        }
      }
      CheckBands(isa, 0, int8, sample);
    }
    CheckBands(levels.back(), 1, Run(levels.back(), 2, 1, inputs_[sample]), sample);
    if (random_.discontinuous()) return;
    Compare(0, "int8", int8, sample);
    Compare(1, "fp16", Run(levels.back(), 2, 1, inputs_[sample]), sample);
    Compare(1, "fp16 of the reference", Run(OCTET_ISA_REFERENCE, 1, 1, inputs_[sample]), sample);
    Compare(2, "mixed", Run(levels.back(), 3, 2, inputs_[sample]), sample);
  }

  void Compare(uint32_t plan, const char* name, const Values& actual, size_t sample) {
    const bool halves = plan == 1;
    const double least = halves ? kLeastFp16Db : kLeastInt8Db;
    for (size_t o = 0; o < actual.size(); ++o) {
      if (!halves && HasStates(converted_.original) &&
          IsLimitCycle(expected_[sample][o], actual[o])) {
        continue;
      }
      const double db = SnrDb(expected_, o, sample, actual[o]);
      const bool may_lose = !halves || random_.axes();
      if (db >= least || (may_lose && db >= RoundedDb(o, sample, halves) - kRoundingsDb)) continue;
      report_.distant.push_back(fmt::format("{}, output {}, sample {}: {:.1f} dB {}", name, o,
                                            sample, db,
                                            FirstFarLayer(converted_, plan, Load(sample), least)));
    }
  }

  std::vector<graph::Tensor> Load(size_t sample) const {
    std::vector<graph::Tensor> tensors;
    for (const RandomDataset& data : converted_.data) {
      tensors.push_back(data.Load(static_cast<int64_t>(sample)));
    }
    return tensors;
  }

  double RoundedDb(size_t output, size_t sample, bool halves) {
    std::vector<graph::Tensor> tensors = Load(sample);
    if (halves) {
      return SnrDb(expected_, output, sample,
                   RunInHalves(converted_.graph, std::move(tensors))[output]);
    }
    RoundedFp32 rounded(converted_.graph, converted_.scheme);
    return SnrDb(expected_, output, sample, rounded.Run(std::move(tensors))[output]);
  }

  const RandomGraph& random_;
  GraphReport& report_;
  Converted converted_;
  std::vector<Values> inputs_, expected_;  // by calibration sample
};

}  // namespace

bool IsLimitCycle(const std::vector<float>& expected, const std::vector<float>& actual) {
  return AllBelow(expected, kStateStep) && AllBelow(actual, kLimitCycle);
}

GraphReport CheckRandomGraph(uint64_t seed) {
  GraphReport report;
  const RandomGraph random(seed);
  report.description = random.description();
  try {
    Check(random, seed, &report).Go();
  } catch (const UserError& error) {
    report.differences.push_back(fmt::format("refused: {}", error.what()));
  }
  return report;
}

}  // namespace octet::test
