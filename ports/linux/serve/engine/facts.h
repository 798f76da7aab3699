// What protocols tell of a model, and check requests against.
#ifndef OCTET_PORTS_LINUX_SERVE_ENGINE_FACTS_H_
#define OCTET_PORTS_LINUX_SERVE_ENGINE_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ports/linux/model.h"

namespace octet::port::serve {

struct TensorFacts {
  std::string name;
  std::vector<uint32_t> dims;  // of the float32 array, batch first
  size_t count = 0;
  bool is_image = false;  // inputs: pictures of any size are taken too
  uint32_t channels = 0;  // of the picture
};

struct ModelFacts {
  std::string name;   // of the file, without folder and extension; of a store the blob's own
  std::string alias;  // the blob's own name; may be empty
  octet_task task = OCTET_TASK_NONE;
  bool decodes = false;
  uint32_t decode_input = 0;
  std::vector<TensorFacts> inputs, outputs;
  std::vector<std::string> labels;
  bool keeps_states = false;

  bool IsCalled(std::string_view asked) const { return asked == name || asked == alias; }
};

// model: bound. path: of its file. of_store: the file is named after its slot.
ModelFacts FactsOf(const Model& model, const std::string& path, bool of_store);

// Whether what the model answers depends on the requests before: then each client needs states of
// its own, which v2 alone has (sequences.h).
bool KeepsStates(const octet_session* session);
// Of ZeroMQ and DeepStack's form, which answer boxes in a picture. "": they can serve it.
std::string WhyNoBoxes(const ModelFacts& facts);

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ENGINE_FACTS_H_
