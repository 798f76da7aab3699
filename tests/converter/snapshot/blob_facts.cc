#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <span>

#include "converter/lower/names.h"
#include "runtime/core/half.h"
#include "runtime/format/view.h"
#include "tests/converter/snapshot/facts.h"
#include "tests/converter/snapshot/number.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

template <typename T>
std::vector<double> Numbers(const uint8_t* data, size_t bytes) {
  std::vector<T> values(bytes / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), data, values.size() * sizeof(T));
  return {values.begin(), values.end()};
}

std::vector<double> Halves(const uint8_t* data, size_t bytes) {
  std::vector<double> values;
  for (size_t i = 0; i + 1 < bytes; i += 2) {
    uint16_t bits = 0;
    std::memcpy(&bits, data + i, sizeof(bits));
    values.push_back(HalfToFloat(bits));
  }
  return values;
}

// Bias, multiplier and shift of all channels. The sum of their weights follows from the weights.
std::string Channels(const uint8_t* data, size_t bytes) {
  std::vector<double> fields[4];
  for (size_t at = 0; at + sizeof(blob::ChannelBlockS8) <= bytes;
       at += sizeof(blob::ChannelBlockS8)) {
    for (const size_t f : {0, 2, 3}) {
      const auto some = Numbers<int32_t>(data + at + f * 64, 64);
      fields[f].insert(fields[f].end(), some.begin(), some.end());
    }
  }
  std::string text;
  for (const size_t f : {0, 2, 3}) text += (f == 0 ? "" : "|") + Sums(fields[f]);
  return text;
}

// A word of parameters: small numbers are what they are. Others are floats or fixed point, of which
// four digits count, or several small numbers.
std::string Word(int32_t word) {
  if (std::abs(static_cast<int64_t>(word)) < 1 << 17) return std::to_string(word);
  float value = 0;
  std::memcpy(&value, &word, sizeof(value));
  if (std::isfinite(value) && std::abs(value) > 1e-20f && std::abs(value) < 1e20f)
    return Real(value);
  if (std::abs(static_cast<int64_t>(word)) >= 1 << 28) return Real(word);
  return fmt::format("x{:08x}", static_cast<uint32_t>(word));
}

std::string Parameters(const blob::LayerRecord& layer) {
  size_t count = std::size(layer.params.words);
  while (count > 0 && layer.params.words[count - 1] == 0) --count;
  std::string text;
  for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + Word(layer.params.words[i]);
  return text;
}

class Describer {
 public:
  explicit Describer(const BlobView& view) : view_(view) {}

  std::string Plan(uint32_t p) const {
    PlanView plan{};
    if (!IsOk(ViewPlan(view_, p, &plan))) return "no plan\n";
    std::string text = fmt::format("plan {} {} arena={}\n", p, StringAt(view_, plan.record->name),
                                   plan.record->arena_bytes);
    // A tensor stands behind the layer that makes it; those that none makes come first.
    std::vector<bool> made(plan.header->tensor_count, false);
    for (uint32_t i = 0; i < plan.header->layer_count; ++i) made[plan.layers[i].output] = true;
    for (uint32_t i = 0; i < made.size(); ++i) {
      if (!made[i]) text += fmt::format("T{}{}\n", i, Tensor(plan, i, p == 0));
    }
    for (uint32_t i = 0; i < plan.header->layer_count; ++i) {
      text += Layer(plan, i) + " |" + Tensor(plan, plan.layers[i].output, p == 0) + "\n";
    }
    return text;
  }

 private:
  // Names and shapes of the first plan alone: those of the others are like them.
  std::string Tensor(const PlanView& plan, uint32_t i, bool first) const {
    const blob::TensorRecord& t = plan.tensors[i];
    std::string text;
    if (first) {
      text = fmt::format(" {} {}x{}x{}x{}", StringAt(view_, t.name), t.dims[0], t.dims[1],
                         t.dims[2], t.dims[3]);
    }
    text += fmt::format(" @{} {}-{}", t.arena_offset, static_cast<int32_t>(t.first_layer),
                        t.last_layer);
    if (t.type == blob::ElementType::kInt8) {
      text += fmt::format(" s={} z={}{}", Real(t.scale), t.zero_point, t.per_channel ? " ch" : "");
    } else if (t.type == blob::ElementType::kInt32) {
      text += " int32";
    }
    return text;
  }

  static const uint8_t* At(const Bytes& section, const blob::DataRef& ref) {
    return section.data + ref.offset;
  }

  std::string Layer(const PlanView& plan, uint32_t i) const {
    const blob::LayerRecord& layer = plan.layers[i];
    const bool int8 = layer.precision == blob::Precision::kInt8;
    std::string operands;
    for (uint32_t k = 0; k < layer.input_count; ++k) {
      operands += fmt::format("{}{}", k == 0 ? "" : ",", plan.operands[layer.first_operand + k]);
    }
    std::string text = fmt::format(
        "L{} {} {}>{}", i, lower::OperatorWord(layer.op, layer.precision), operands, layer.output);
    if (layer.macs != 0) text += fmt::format(" m={}", layer.macs);
    if (layer.arithmetic != blob::Arithmetic::kFloat) {
      text += fmt::format(" a={}", static_cast<int>(layer.arithmetic));
    }
    const Bytes& weights = int8 ? view_.weights_s8 : view_.weights_f16;
    const auto there = [](const blob::DataRef& ref) { return ref.offset != blob::kNone; };
    if (const std::string words = Parameters(layer); !words.empty()) text += " p=" + words;
    if (there(layer.weights)) {
      const uint8_t* data = At(weights, layer.weights);
      const size_t bytes = layer.weights.bytes;
      text += " w=" + Sums(int8 ? Numbers<int8_t>(data, bytes) : Halves(data, bytes));
    }
    if (there(layer.channels)) {
      const uint8_t* data = At(weights, layer.channels);
      const size_t bytes = layer.channels.bytes;
      text += " c=" + (int8 ? Channels(data, bytes) : Sums(Numbers<float>(data, bytes)));
    }
    if (there(layer.table)) {
      const uint8_t* data = At(view_.tables, layer.table);
      const size_t bytes = layer.table.bytes;
      text += " t=" + Sums(bytes % 256 == 0 && int8               ? Numbers<int8_t>(data, bytes)
                           : bytes == 2 * blob::kHalfTableEntries ? Halves(data, bytes)
                                                                  : Numbers<int8_t>(data, bytes));
    }
    if (there(layer.extra)) {
      const bool layout = layer.layout != blob::Layout::kNone;
      const uint8_t* data = At(layout ? view_.layouts : view_.tables, layer.extra);
      text += fmt::format(" x={} {}", static_cast<int>(layer.layout),
                          Sums(Numbers<int8_t>(data, layer.extra.bytes)));
    }
    return text;
  }

  const BlobView& view_;
};

// Of what parts each output of the first plan is made.
std::string Parts(const BlobView& view) {
  std::string text;
  PlanView plan{};
  if (!IsOk(ViewPlan(view, 0, &plan))) return "no plan\n";
  const uint32_t* ranges = view.plan_io + plan.record->first_range;
  const uint32_t last = 2 * (view.model->output_count - 1);
  for (uint32_t i = ranges[0]; i < ranges[last] + ranges[last + 1]; ++i) {
    const blob::OutputPart& part = view.parts[i];
    text += fmt::format("P{} T{} base={} strides={},{},{},{} f={}{}\n", i, part.tensor, part.base,
                        part.strides[0], part.strides[1], part.strides[2], part.strides[3],
                        part.function, part.offsets != 0 ? " offsets" : "");
  }
  return text;
}

// The words of a section of records; of a long one three sums.
std::string WordsOf(const uint8_t* data, size_t bytes) {
  constexpr size_t kMost = 400;
  const size_t count = bytes / sizeof(int32_t);
  if (count > kMost) return " " + Sums(Numbers<int8_t>(data, bytes));
  std::string text;
  for (size_t i = 0; i < count;) {
    int32_t word = 0;
    std::memcpy(&word, data + i * sizeof(word), sizeof(word));
    size_t same = 1;
    while (i + same < count && std::memcmp(data + (i + same) * sizeof(word), &word, 4) == 0) ++same;
    text += (i == 0 ? " " : ",") + Word(word) + (same > 1 ? "x" + std::to_string(same) : "");
    i += same;
  }
  return text;
}

// Those of guard, drift and temporal help.
std::string OptionalSections(const Blob& blob, const BlobView& view) {
  std::string text;
  for (uint32_t i = 0; i < view.header->section_count; ++i) {
    const blob::Section* section = SectionAt(view.header, i);
    const char* name = section->kind == blob::SectionKind::kGuard      ? "guard"
                       : section->kind == blob::SectionKind::kDrift    ? "drift"
                       : section->kind == blob::SectionKind::kTemporal ? "temporal"
                                                                       : nullptr;
    if (name == nullptr) continue;
    text += name + WordsOf(blob.data() + section->offset, section->bytes) + "\n";
  }
  return text;
}

std::string Runs(const Blob& blob, uint32_t plans, const BlobView& view) {
  std::string text;
  for (uint32_t p = 0; p < plans; ++p) {
    TestSession session(blob, {});
    if (session.status().code != OCTET_OK) return "does not bind\n";
    octet_set_plan(session.get(), p);
    for (uint32_t i = 0; i < view.model->input_count; ++i) {
      size_t count = 1;
      for (uint32_t d = 0; d < view.inputs[i].rank; ++d) count *= view.inputs[i].dims[d];
      std::mt19937_64 random(7 + i);
      std::vector<float> values(count);
      for (float& value : values) {
        value = static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
      }
      octet_set_input_f32(session.get(), i, values.data(), values.size());
    }
    octet_run(session.get());
    for (uint32_t i = 0; i < view.model->output_count; ++i) {
      const std::vector<float> values = session.Output(i);
      text += fmt::format("O{}.{} {}\n", p, i, Sums({values.begin(), values.end()}));
    }
  }
  return text;
}

}  // namespace

std::string Sums(const std::vector<double>& values) {
  std::string text;
  if (values.size() <= 4) {
    for (const double value : values) text += (text.empty() ? "" : ",") + Real(value);
    return text;
  }
  double size = 0, order = 0, sign = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    size += std::abs(values[i]);
    order += std::abs(values[i]) * static_cast<double>(1 + i % 7);
    sign += std::max(values[i], 0.0) * static_cast<double>(1 + i % 5);
  }
  return fmt::format("{}:{},{},{}", values.size(), Real(size), Real(order), Real(sign));
}

std::string BlobFacts(const Blob& blob) {
  BlobView view{};
  if (!IsOk(ViewBlob(blob.data(), blob.size(), &view))) return "no blob\n";
  const blob::Header& header = *view.header;
  std::string text =
      fmt::format("header {}.{} features={:x},{:x} align={} counter={}\n", header.version_major,
                  header.version_minor, header.required_features, header.optional_features,
                  header.section_alignment, header.security_counter);
  for (uint32_t i = 0; i < view.header->section_count; ++i) {
    const blob::Section* section = SectionAt(view.header, i);
    text += fmt::format("{}{}.{}+{}", i == 0 ? "sections " : " ", static_cast<int>(section->kind),
                        section->index, section->bytes);
  }
  text += "\n";
  if (view.decode.data != nullptr) {
    text += "decode";
    for (uint32_t at = 0; at + 4 <= view.decode.bytes; at += 4) {
      int32_t word = 0;
      std::memcpy(&word, view.decode.data + at, sizeof(word));
      text += (at == 0 ? " " : ",") + Word(word);
    }
    text += "\n";
  }
  text += OptionalSections(blob, view);
  const Describer describer(view);
  for (uint32_t p = 0; p < view.model->plan_count; ++p) text += describer.Plan(p);
  return text + Parts(view) + Runs(blob, view.model->plan_count, view);
}

}  // namespace octet::test
