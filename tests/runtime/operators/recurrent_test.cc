// Recurrent layers: an LSTM and a GRU by the definition in double, and what Check refuses.
#include <cmath>
#include <cstring>
#include <limits>

#include "gtest/gtest.h"
#include "runtime/format/recurrent.h"
#include "tests/runtime/operators/mutations.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

using blob::ElementType;
using blob::RecurrentCell;
using blob::RecurrentParams;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Weights of one direction as the definition has them: [gate][channel][column].
struct Matrices {
  std::vector<double> w, r, b_w, b_r, p;
};

// A forward layer of FP16 with all its results; weights are exact halves.
LayerCase Forward(Random& random, RecurrentParams p, Matrices* matrices) {
  LayerCase l(blob::Op::kRecurrent, ElementType::kFp16);
  p.directions = 1;
  p.clip = kInfinity;
  const bool lstm = p.cell == RecurrentCell::kLstm;
  p.y = 0;
  p.y_h = p.steps * p.batch * p.hidden;
  p.y_c = lstm ? p.y_h + p.batch * p.hidden : blob::kNone;
  l.AddInput(random, {1, p.steps, p.batch, p.input}, 1, 0, -1, 1);
  p.initial_h = 1;
  l.AddInput(random, {1, 1, p.batch, p.hidden}, 1, 0, -1, 1);
  p.initial_c = lstm;
  if (lstm) l.AddInput(random, {1, 1, p.batch, p.hidden}, 1, 0, -1, 1);
  p.peepholes = lstm;
  l.SetOutput({1, 1, 1, p.y_h + p.batch * p.hidden * (lstm ? 2 : 1)});
  const blob::RecurrentLayout layout = blob::LayoutOf(p, false);
  std::vector<uint16_t> weights(layout.weight_bytes / 2);
  std::vector<float> lines(layout.lines * kChannelBlock);
  const auto draw = [&](std::vector<double>* to, uint32_t columns, uint64_t first, uint64_t unit) {
    to->resize(size_t{layout.gates} * p.hidden * columns);
    for (uint32_t g = 0; g < layout.gates; ++g) {
      for (uint32_t c = 0; c < p.hidden; ++c) {
        for (uint32_t k = 0; k < columns; ++k) {
          const uint16_t half = FloatToHalf(random.Float(-0.5f, 0.5f));
          (*to)[(size_t{g} * p.hidden + c) * columns + k] = HalfToFloat(half);
          const uint64_t at = first + (c / kChannelBlock * layout.gates + g) * unit;
          weights[at + k * kChannelBlock + c % kChannelBlock] = half;
        }
      }
    }
  };
  draw(&matrices->w, p.input, 0, layout.input_bytes / 2);
  draw(&matrices->r, p.hidden, layout.units * layout.input_bytes / 2, layout.hidden_bytes / 2);
  const auto numbers = [&](std::vector<double>* to, uint32_t gates, uint64_t first) {
    to->resize(size_t{gates} * p.hidden);
    for (uint32_t g = 0; g < gates; ++g) {
      for (uint32_t c = 0; c < p.hidden; ++c) {
        float& number =
            lines[(first + c / kChannelBlock * gates + g) * kChannelBlock + c % kChannelBlock];
        number = random.Float(-0.5f, 0.5f);
        (*to)[g * p.hidden + c] = number;
      }
    }
  };
  numbers(&matrices->b_w, layout.gates, 0);
  numbers(&matrices->b_r, layout.gates, layout.units);
  if (lstm) numbers(&matrices->p, 3, uint64_t{layout.units} * 2);
  l.layer.weights = l.AddWeights(weights);
  while (l.weights.size() % blob::kDataAlignment != 0) l.weights.push_back(0);
  l.layer.channels = l.AddWeights(lines);
  const uint32_t sigmoid = static_cast<uint32_t>(blob::Function::kSigmoid),
                 tanh = static_cast<uint32_t>(blob::Function::kTanh);
  const bool rnn = p.cell == RecurrentCell::kRnn;
  l.layer.extra = l.AddTable(std::vector<blob::RecurrentFunction>{
      {rnn ? tanh : sigmoid, 0, 0}, {tanh, 0, 0}, {tanh, 0, 0}});
  l.Params<RecurrentParams>() = p;
  return l;
}

double Sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

std::vector<double> Expected(const LayerCase& l, const RecurrentParams& p, const Matrices& m) {
  std::vector<double> y(size_t{p.steps} * p.batch * p.hidden), y_h, y_c;
  const bool lstm = p.cell == RecurrentCell::kLstm, gru = p.cell == RecurrentCell::kGru;
  for (uint32_t n = 0; n < p.batch; ++n) {
    std::vector<double> h(p.hidden), c(p.hidden);
    for (uint32_t j = 0; j < p.hidden; ++j) {
      h[j] = l.Input(1, n * p.hidden + j);
      if (lstm) c[j] = l.Input(2, n * p.hidden + j);
    }
    for (uint32_t t = 0; t < p.steps; ++t) {
      const auto of_x = [&](uint32_t gate, uint32_t j) {
        double sum = m.b_w[gate * p.hidden + j];
        for (uint32_t k = 0; k < p.input; ++k) {
          sum += m.w[(gate * p.hidden + j) * p.input + k] *
                 l.Input(0, (t * p.batch + n) * p.input + k);
        }
        return sum;
      };
      const auto of_h = [&](uint32_t gate, uint32_t j, const std::vector<double>& state) {
        double sum = m.b_r[gate * p.hidden + j];
        for (uint32_t k = 0; k < p.hidden; ++k) {
          sum += m.r[(gate * p.hidden + j) * p.hidden + k] * state[k];
        }
        return sum;
      };
      const std::vector<double> old = h;
      std::vector<double> reset(p.hidden);
      for (uint32_t j = 0; j < p.hidden && gru; ++j) {
        reset[j] = Sigmoid(of_x(1, j) + of_h(1, j, old)) * old[j];
      }
      for (uint32_t j = 0; j < p.hidden; ++j) {
        const auto sum = [&](uint32_t gate) { return of_x(gate, j) + of_h(gate, j, old); };
        if (p.cell == RecurrentCell::kRnn) {
          h[j] = std::tanh(sum(0));
        } else if (lstm) {
          const double i = Sigmoid(sum(0) + m.p[j] * c[j]);
          const double f = Sigmoid(sum(2) + m.p[2 * p.hidden + j] * c[j]);
          c[j] = f * c[j] + i * std::tanh(sum(3));
          h[j] = Sigmoid(sum(1) + m.p[p.hidden + j] * c[j]) * std::tanh(c[j]);
        } else {
          const double z = Sigmoid(sum(0)), r = Sigmoid(sum(1));
          const double rest = gru ? of_h(2, j, reset) : r * of_h(2, j, old);
          h[j] = (1 - z) * std::tanh(of_x(2, j) + rest) + z * old[j];
        }
      }
      for (uint32_t j = 0; j < p.hidden; ++j) y[(t * p.batch + n) * p.hidden + j] = h[j];
    }
    y_h.insert(y_h.end(), h.begin(), h.end());
    y_c.insert(y_c.end(), c.begin(), c.end());
  }
  y.insert(y.end(), y_h.begin(), y_h.end());
  if (lstm) y.insert(y.end(), y_c.begin(), y_c.end());
  return y;
}

TEST(RecurrentLayer, ComputesTheDefinition) {
  Repeat(24, [](Random& random) {
    RecurrentParams p{};
    p.cell = static_cast<RecurrentCell>(random.UInt(0, 3));
    p.steps = random.UInt(1, 9);
    p.batch = random.UInt(1, 2);
    p.input = random.UInt(1, 20);
    p.hidden = random.UInt(1, 36);
    Matrices matrices;
    LayerCase l = Forward(random, p, &matrices);
    ExpectHalf(l.RunAll(), Expected(l, l.Params<RecurrentParams>(), matrices));
  });
}

TEST(RecurrentLayer, CheckRefuses) {
  Random random(3);
  RecurrentParams p{};
  p.cell = RecurrentCell::kLstm;
  p.steps = 3, p.batch = 2, p.input = 5, p.hidden = 7;
  Matrices matrices;
  const LayerCase l = Forward(random, p, &matrices);
  const auto params = [](LayerCase& m) -> RecurrentParams& { return m.Params<RecurrentParams>(); };
  const auto number = [](LayerCase& m, float x) {
    std::memcpy(&m.weights[m.layer.channels.offset + 8], &x, sizeof(x));
  };
  const auto function = [](LayerCase& m, size_t field, uint32_t bits) {
    std::memcpy(&m.tables[m.layer.extra.offset + 4 * field], &bits, sizeof(bits));
  };
  ExpectRefused(
      l, Join({Common(),
               Mutations{
                   {"cell", [&](LayerCase& m) { params(m).cell = RecurrentCell{4}; }},
                   {"no direction", [&](LayerCase& m) { params(m).directions = 0; }},
                   {"directions", [&](LayerCase& m) { params(m).directions = 3; }},
                   {"weights of directions", [&](LayerCase& m) { params(m).directions = 2; }},
                   {"reverse", [&](LayerCase& m) { params(m).reverse = 2; }},
                   {"batch first", [&](LayerCase& m) { params(m).batch_first = 2; }},
                   {"initial h", [&](LayerCase& m) { params(m).initial_h = 2; }},
                   {"initial h is absent", [&](LayerCase& m) { params(m).initial_h = 0; }},
                   {"lengths are absent", [&](LayerCase& m) { params(m).lengths = 1; }},
                   {"size of h", [](LayerCase& m) { In(m, 1).bytes -= 2; }},
                   {"type of c", [](LayerCase& m) { In(m, 2).type = ElementType::kInt8; }},
                   {"steps", [&](LayerCase& m) { ++params(m).steps; }},
                   {"no steps", [&](LayerCase& m) { params(m).steps = 0; }},
                   {"batch", [&](LayerCase& m) { ++params(m).batch; }},
                   {"inputs", [&](LayerCase& m) { ++params(m).input; }},
                   {"no hidden", [&](LayerCase& m) { params(m).hidden = 0; }},
                   {"hidden", [&](LayerCase& m) { params(m).hidden = ~0u; }},
                   {"y", [&](LayerCase& m) { params(m).y = 2; }},
                   {"y_h", [&](LayerCase& m) { ++params(m).y_h; }},
                   {"y_c", [&](LayerCase& m) { params(m).y_c = 0; }},
                   {"a part is absent", [&](LayerCase& m) { params(m).y_c = blob::kNone; }},
                   {"an RNN with c", [&](LayerCase& m) { params(m).cell = RecurrentCell::kRnn; }},
                   {"clip", [&](LayerCase& m) { params(m).clip = 0; }},
                   {"clip is no number", [&](LayerCase& m) { params(m).clip = NAN; }},
                   {"weights", [](LayerCase& m) { --m.layer.weights.bytes; }},
                   {"channels", [](LayerCase& m) { m.layer.channels.bytes -= 4; }},
                   {"infinite bias", [&](LayerCase& m) { number(m, kInfinity); }},
                   {"bias near 0", [&](LayerCase& m) { number(m, 1e-20f); }},
                   {"functions", [](LayerCase& m) { m.layer.extra.bytes -= 12; }},
                   {"function", [&](LayerCase& m) { function(m, 3, blob::kFunctionCount); }},
                   {"parameter", [&](LayerCase& m) { function(m, 4, 0x7FC00000u); }}}}));
}

}  // namespace
}  // namespace octet::operators_test
