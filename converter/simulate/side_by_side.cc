#include "converter/simulate/side_by_side.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "converter/executor/executor.h"
#include "converter/simulate/store.h"

namespace octet::simulate {
namespace {

using graph::Tensor;
using graph::ValueId;

enum Form { kExact, kRounded, kForms };

// All pictures' values, in both forms.
class Pictures {
 public:
  Pictures(const Topology& topology, int64_t memory_bytes)
      : values_(static_cast<int64_t>(topology.graph.values.size())), store_(memory_bytes) {}

  void Put(size_t picture, Form form, ValueId id, Tensor tensor) {
    store_.Put(Key(picture, form, id), std::move(tensor));
  }
  Tensor Take(size_t picture, Form form, ValueId id) { return store_.Take(Key(picture, form, id)); }
  void Drop(size_t picture, Form form, ValueId id) { store_.Drop(Key(picture, form, id)); }

  // One picture's values for one node; those that come from the file stay as long as this does.
  class Reader {
   public:
    Reader(Pictures& pictures, size_t picture, Form form)
        : pictures_(pictures), picture_(picture), form_(form) {}
    const Tensor& operator()(ValueId id) {
      const int64_t key = pictures_.Key(picture_, form_, id);
      if (const Tensor* found = pictures_.store_.Find(key)) return *found;
      for (const auto& [loaded, tensor] : loaded_) {
        if (loaded == id) return *tensor;
      }
      loaded_.emplace_back(id, std::make_unique<Tensor>(pictures_.store_.Get(key)));
      return *loaded_.back().second;
    }

   private:
    Pictures& pictures_;
    size_t picture_;
    Form form_;
    std::vector<std::pair<ValueId, std::unique_ptr<Tensor>>> loaded_;
  };

 private:
  int64_t Key(size_t picture, Form form, ValueId id) const {
    return (static_cast<int64_t>(picture) * kForms + form) * values_ + id;
  }

  int64_t values_;
  Store store_;
};

Moments MomentsOf(const Outputs& outputs, const std::vector<float>& exact,
                  const std::vector<float>& rounded) {
  Moments moments;
  const auto all = {&moments.shift,        &moments.exact,          &moments.rounded,
                    &moments.exact_square, &moments.rounded_square, &moments.product};
  for (std::vector<double>* each : all) each->assign(outputs.count, 0);
  for (size_t first = 0; first < exact.size(); first += outputs.inner) {
    double shift = 0, e = 0, r = 0, ee = 0, rr = 0, er = 0;
    for (size_t i = first; i < first + outputs.inner; ++i) {
      const auto x = static_cast<double>(exact[i]), y = static_cast<double>(rounded[i]);
      shift += x - y;
      e += x;
      r += y;
      ee += x * x;
      rr += y * y;
      er += x * y;
    }
    const size_t c = first / outputs.inner % outputs.count;
    moments.shift[c] += shift;
    moments.exact[c] += e;
    moments.rounded[c] += r;
    moments.exact_square[c] += ee;
    moments.rounded_square[c] += rr;
    moments.product[c] += er;
  }
  for (std::vector<double>* each : all) {
    for (double& sum : *each) {
      sum *= static_cast<double>(outputs.count) / static_cast<double>(exact.size());
    }
  }
  return moments;
}

void Apply(const Outputs& outputs, const Correction& correction, std::vector<float>* values) {
  for (size_t first = 0; first < values->size(); first += outputs.inner) {
    const size_t c = first / outputs.inner % outputs.count;
    const float factor = correction.factors.empty() ? 1 : correction.factors[c];
    const float offset = correction.offsets.empty() ? 0 : correction.offsets[c];
    for (size_t i = first; i < first + outputs.inner; ++i) {
      (*values)[i] = factor * (*values)[i] + offset;
    }
  }
}

// What a node computes of its sums in both forms, the rounded one corrected; values that nobody
// reads behind it go.
void FinishNode(const Topology& topology, const Steps& steps, size_t n,
                const Correction& correction, bool clip, size_t picture, Pictures* pictures) {
  const graph::Node& node = topology.graph.nodes[n];
  for (const Form form : {kExact, kRounded}) {
    std::vector<Tensor> results(node.outputs.size());
    for (size_t i = 0; i < results.size(); ++i) {
      if (node.outputs[i] != graph::kNoValue) {
        results[i] = pictures->Take(picture, form, node.outputs[i]);
      }
    }
    if (form == kRounded && (!correction.factors.empty() || !correction.offsets.empty())) {
      Apply(steps.OutputsAt(n), correction, &results[0].floats);
    }
    steps.Finish(n, {}, &results);
    if (form == kRounded) steps.Round(n, clip, &results);
    for (size_t i = 0; i < results.size(); ++i) {
      if (node.outputs[i] == graph::kNoValue) continue;
      pictures->Put(picture, form, node.outputs[i], std::move(results[i]));
    }
  }
  for (const auto* ids : {&node.inputs, &node.outputs}) {
    for (ValueId id : graph::Present(*ids)) {
      if (topology.last_use[static_cast<size_t>(id)] != static_cast<int64_t>(n)) {
        continue;
      }
      for (const Form form : {kExact, kRounded}) pictures->Drop(picture, form, id);
    }
  }
}

}  // namespace

bool Visitor::Opens(size_t) {
  return false;
}
void Visitor::See(size_t, size_t, const Tensor&, const Tensor&) {}
std::shared_ptr<const Tensor> Visitor::Refine(size_t) {
  return nullptr;
}
Correction Visitor::Correct(size_t, const std::vector<Moments>&) {
  return {};
}

void RunSideBySide(const Topology& topology, const quantize::Scheme& scheme,
                   const std::vector<const images::Dataset*>& inputs,
                   const std::vector<int64_t>& samples, const SideBySide& how, Visitor& visitor,
                   const std::function<void()>& progress) {
  const graph::Graph& graph = topology.graph;
  Steps steps(topology, scheme);
  Pictures pictures(topology, how.memory_bytes);
  std::vector<operators::Workspace> workspaces(static_cast<size_t>(std::max(1, how.threads)));
  const auto for_each = [&](const auto& body) {
    executor::ParallelFor(static_cast<int64_t>(samples.size()), static_cast<int>(workspaces.size()),
                          [&](int thread, int64_t item) {
                            body(static_cast<size_t>(item),
                                 workspaces[static_cast<size_t>(thread)]);
                          });
  };
  const auto source = [](Pictures::Reader& reader) {
    return [&reader](ValueId id) -> const Tensor& { return reader(id); };
  };
  for_each([&](size_t picture, operators::Workspace&) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Tensor tensor = inputs[i]->Load(samples[picture]);
      for (const Form form : {kExact, kRounded}) {
        pictures.Put(picture, form, graph.inputs[i], tensor);
      }
    }
  });
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!topology.view.needed[n]) continue;
    const graph::Node& node = graph.nodes[n];
    const bool corrects = steps.OutputsAt(n).count > 0;
    if (corrects && visitor.Opens(n)) {
      // Once more below, which costs less than to keep what all pictures give.
      for_each([&](size_t picture, operators::Workspace& workspace) {
        Pictures::Reader exact(pictures, picture, kExact), rounded(pictures, picture, kRounded);
        visitor.See(n, picture, rounded(node.inputs[0]),
                    RunSums(topology, n, source(exact), workspace)[0]);
      });
      if (auto weights = visitor.Refine(n)) steps.SetWeights(n, std::move(weights));
    }
    std::vector<Moments> moments(corrects ? samples.size() : 0);
    for_each([&](size_t picture, operators::Workspace& workspace) {
      Pictures::Reader exact_values(pictures, picture, kExact),
          rounded_values(pictures, picture, kRounded);
      std::vector<Tensor> exact = RunSums(topology, n, source(exact_values), workspace);
      std::vector<Tensor> rounded =
          steps.Sums(n, source(rounded_values), false, how.clip, workspace);
      if (corrects) {
        if (n < scheme.bias_correction.size() && !scheme.bias_correction[n].empty()) {
          Apply(steps.OutputsAt(n), {{}, scheme.bias_correction[n]}, &rounded[0].floats);
        }
        moments[picture] = MomentsOf(steps.OutputsAt(n), exact[0].floats, rounded[0].floats);
      }
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        const ValueId id = node.outputs[i];
        if (id == graph::kNoValue) continue;
        if (topology.is_index[static_cast<size_t>(id)]) rounded[i] = exact[i];
        pictures.Put(picture, kExact, id, std::move(exact[i]));
        pictures.Put(picture, kRounded, id, std::move(rounded[i]));
      }
    });
    Correction correction;
    if (corrects) correction = visitor.Correct(n, moments);
    for_each([&](size_t picture, operators::Workspace&) {
      FinishNode(topology, steps, n, correction, how.clip, picture, &pictures);
    });
    progress();
  }
}

}  // namespace octet::simulate
