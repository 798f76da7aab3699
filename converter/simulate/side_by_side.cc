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
  Pictures(const Plan& plan, int64_t memory_bytes)
      : values_(static_cast<int64_t>(plan.graph.values.size())), store_(memory_bytes) {}

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

// Mean of exact - rounded by output channel.
std::vector<double> ShiftOf(const Outputs& outputs, const std::vector<float>& exact,
                            const std::vector<float>& rounded) {
  std::vector<double> shift(outputs.count, 0);
  for (size_t first = 0; first < exact.size(); first += outputs.inner) {
    double sum = 0;
    for (size_t i = first; i < first + outputs.inner; ++i) {
      sum += static_cast<double>(exact[i]) - static_cast<double>(rounded[i]);
    }
    shift[first / outputs.inner % outputs.count] += sum;
  }
  for (double& sum : shift) {
    sum *= static_cast<double>(outputs.count) / static_cast<double>(exact.size());
  }
  return shift;
}

}  // namespace

std::vector<std::vector<float>> RunSideBySide(const Plan& plan, const quantize::Scheme& scheme,
                                              const std::vector<const images::Dataset*>& inputs,
                                              const std::vector<int64_t>& samples, int threads,
                                              int64_t memory_bytes, const Decide& decide,
                                              const std::function<void()>& progress) {
  const graph::Graph& graph = plan.graph;
  const Steps steps(plan, scheme);
  Pictures pictures(plan, memory_bytes);
  std::vector<operators::Workspace> workspaces(static_cast<size_t>(std::max(1, threads)));
  const auto for_each = [&](const auto& body) {
    executor::ParallelFor(static_cast<int64_t>(samples.size()), static_cast<int>(workspaces.size()),
                          [&](int thread, int64_t item) {
                            body(static_cast<size_t>(item),
                                 workspaces[static_cast<size_t>(thread)]);
                          });
  };
  for_each([&](size_t picture, operators::Workspace&) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Tensor tensor = inputs[i]->Load(samples[picture]);
      for (const Form form : {kExact, kRounded}) {
        pictures.Put(picture, form, graph.inputs[i], tensor);
      }
    }
  });
  std::vector<std::vector<float>> corrections(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!plan.view.needed[n]) continue;
    const graph::Node& node = graph.nodes[n];
    const bool corrects = steps.OutputsAt(n).count > 0;
    std::vector<std::vector<double>> shifts(corrects ? samples.size() : 0);
    for_each([&](size_t picture, operators::Workspace& workspace) {
      Pictures::Reader exact_values(pictures, picture, kExact),
          rounded_values(pictures, picture, kRounded);
      const auto source = [](Pictures::Reader& reader) {
        return [&reader](ValueId id) -> const Tensor& { return reader(id); };
      };
      std::vector<Tensor> exact = RunSums(plan, n, source(exact_values), workspace);
      std::vector<Tensor> rounded = steps.Sums(n, source(rounded_values), false, false, workspace);
      if (corrects) {
        shifts[picture] = ShiftOf(steps.OutputsAt(n), exact[0].floats, rounded[0].floats);
      }
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        const ValueId id = node.outputs[i];
        if (id == graph::kNoValue) continue;
        if (plan.is_index[static_cast<size_t>(id)]) rounded[i] = exact[i];
        pictures.Put(picture, kExact, id, std::move(exact[i]));
        pictures.Put(picture, kRounded, id, std::move(rounded[i]));
      }
    });
    if (corrects) corrections[n] = decide(n, shifts);
    for_each([&](size_t picture, operators::Workspace&) {
      for (const Form form : {kExact, kRounded}) {
        std::vector<Tensor> results(node.outputs.size());
        for (size_t i = 0; i < results.size(); ++i) {
          if (node.outputs[i] != graph::kNoValue) {
            results[i] = pictures.Take(picture, form, node.outputs[i]);
          }
        }
        steps.Finish(n, form == kRounded ? corrections[n] : std::vector<float>{}, &results);
        if (form == kRounded) steps.Round(n, false, &results);
        for (size_t i = 0; i < results.size(); ++i) {
          if (node.outputs[i] == graph::kNoValue) continue;
          pictures.Put(picture, form, node.outputs[i], std::move(results[i]));
        }
      }
      for (const auto* ids : {&node.inputs, &node.outputs}) {
        for (ValueId id : *ids) {
          if (id == graph::kNoValue ||
              plan.last_use[static_cast<size_t>(id)] != static_cast<int64_t>(n)) {
            continue;
          }
          for (const Form form : {kExact, kRounded}) pictures.Drop(picture, form, id);
        }
      }
    });
    progress();
  }
  return corrections;
}

}  // namespace octet::simulate
