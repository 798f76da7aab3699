// Cases of RNN, GRU and LSTM.
#include <cmath>

#include "tests/converter/operators/list_support.h"

namespace octet::operators::list {
namespace {

// Both directions, lengths and initial states as they come; the usual functions.
void Recurrent(Draw& d, const std::string& op) {
  const bool lstm = op == "LSTM", gru = op == "GRU";
  const int64_t gates = lstm ? 4 : gru ? 3 : 1;
  const int64_t steps = d.Pick(1, 5), batch = d.Pick(1, 3), in = d.Pick(1, 4), size = d.Pick(1, 4);
  const int64_t kind = d.Pick(0, 2), directions = kind == 2 ? 2 : 1;
  static const char* const kDirections[] = {"forward", "reverse", "bidirectional"};
  const bool first = d.Chance(40), after = gru && d.Chance(50), forget = lstm && d.Chance(30);
  const bool bias = d.Chance(60), start = d.Chance(50), cut = d.Chance(40), peep = lstm && start;
  const double clip = d.Chance(30) ? 0.5 : 0;
  const auto state = [&](int64_t n, int64_t dir) { return first ? Index{n, dir} : Index{dir, n}; };
  const Shape states = first ? Shape{batch, directions, size} : Shape{directions, batch, size};
  const Dense x = d.Floats(first ? Shape{batch, steps, in} : Shape{steps, batch, in});
  const Dense w = d.Floats({directions, gates * size, in}, -1, 1).Constant();
  const Dense r = d.Floats({directions, gates * size, size}, -1, 1).Constant();
  const Dense b = bias ? d.Floats({directions, 2 * gates * size}, -1, 1).Constant() : Absent();
  const Dense lengths = cut ? d.Integers({batch}, 1, steps).Constant() : Absent();
  const Dense h0 = start ? d.Floats(states, -1, 1) : Absent();
  const Dense c0 = start && lstm ? d.Floats(states, -1, 1) : Absent();
  const Dense p = peep ? d.Floats({directions, 3 * size}, -1, 1).Constant() : Absent();

  const auto zero = [](const Index&) { return 0.0; };
  Dense y = Make(
            first ? Shape{batch, steps, directions, size} : Shape{steps, directions, batch, size},
            zero),
        y_h = Make(states, zero), y_c = Make(states, zero);
  const auto place = [](const Dense& tensor, const Index& index) {
    size_t at = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      at = at * static_cast<size_t>(tensor.shape[i]) + static_cast<size_t>(index[i]);
    }
    return at;
  };
  const auto bounded = [clip](double v) {
    return clip > 0 ? std::fmin(std::fmax(v, -clip), clip) : v;
  };
  const auto sigmoid = [&](double v) { return 1 / (1 + std::exp(-bounded(v))); };
  const auto tanh = [&](double v) { return std::tanh(bounded(v)); };
  for (int64_t dir = 0; dir < directions; ++dir) {
    for (int64_t n = 0; n < batch; ++n) {
      std::vector<double> h(static_cast<size_t>(size)), c(h);
      const auto of = [](std::vector<double>& values, int64_t i) -> double& {
        return values[static_cast<size_t>(i)];
      };
      for (int64_t j = 0; j < size && start; ++j) {
        Index index = state(n, dir);
        index.push_back(j);
        of(h, j) = h0.at(index);
        if (lstm) of(c, j) = c0.at(index);
      }
      const int64_t length = cut ? lengths.Whole(static_cast<size_t>(n)) : steps;
      for (int64_t s = 0; s < length; ++s) {
        const int64_t t = kind == 1 || dir == 1 ? length - 1 - s : s;
        std::vector<double> old = h;
        const auto of_x = [&](int64_t gate, int64_t j) {
          double sum = bias ? b.at({dir, gate * size + j}) : 0;
          for (int64_t k = 0; k < in; ++k) {
            sum += w.at({dir, gate * size + j, k}) * x.at(first ? Index{n, t, k} : Index{t, n, k});
          }
          return sum;
        };
        const auto of_h = [&](int64_t gate, int64_t j, std::vector<double>& values) {
          double sum = bias ? b.at({dir, (gates + gate) * size + j}) : 0;
          for (int64_t k = 0; k < size; ++k) sum += r.at({dir, gate * size + j, k}) * of(values, k);
          return sum;
        };
        std::vector<double> reset = old;
        for (int64_t j = 0; j < size && gru; ++j) {
          of(reset, j) *= sigmoid(of_x(1, j) + of_h(1, j, old));
        }
        for (int64_t j = 0; j < size; ++j) {
          const auto sum = [&](int64_t gate) { return of_x(gate, j) + of_h(gate, j, old); };
          if (lstm) {
            const auto from_c = [&](int64_t gate) {
              return peep ? p.at({dir, gate * size + j}) * of(c, j) : 0;
            };
            const double i = sigmoid(sum(0) + from_c(0));
            const double f = forget ? 1 - i : sigmoid(sum(2) + from_c(2));
            of(c, j) = f * of(c, j) + i * tanh(sum(3));
            of(h, j) = sigmoid(sum(1) + from_c(1)) * std::tanh(of(c, j));
          } else if (gru) {
            const double z = sigmoid(sum(0));
            const double rest = after ? sigmoid(sum(1)) * of_h(2, j, old) : of_h(2, j, reset);
            of(h, j) = (1 - z) * tanh(of_x(2, j) + rest) + z * of(old, j);
          } else {
            of(h, j) = tanh(sum(0));
          }
        }
        for (int64_t j = 0; j < size; ++j) {
          y.values[place(y, first ? Index{n, t, dir, j} : Index{t, dir, n, j})] = of(h, j);
        }
      }
      for (int64_t j = 0; j < size; ++j) {
        Index index = state(n, dir);
        index.push_back(j);
        y_h.values[place(y_h, index)] = of(h, j);
        y_c.values[place(y_c, index)] = of(c, j);
      }
    }
  }
  Attributes attributes{{"direction", std::string(kDirections[kind])},
                        {"hidden_size", size},
                        {"layout", int64_t{first}}};
  if (clip > 0) attributes["clip"] = static_cast<float>(clip);
  if (gru) attributes["linear_before_reset"] = int64_t{after};
  if (lstm) attributes["input_forget"] = int64_t{forget};
  std::vector<Dense> inputs{x, w, r, b, lengths, h0}, wanted{y, y_h};
  if (lstm) {
    inputs.push_back(c0);
    inputs.push_back(p);
    wanted.push_back(y_c);
  }
  Check(op, inputs, attributes, wanted);
}

}  // namespace

void CaseGRU(Draw& d) {
  Recurrent(d, "GRU");
}
void CaseLSTM(Draw& d) {
  Recurrent(d, "LSTM");
}
void CaseRNN(Draw& d) {
  Recurrent(d, "RNN");
}

}  // namespace octet::operators::list
