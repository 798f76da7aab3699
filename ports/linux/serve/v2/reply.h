// Answers of the Open Inference Protocol v2: what server and model are, and outputs.
#ifndef OCTET_PORTS_LINUX_SERVE_V2_REPLY_H_
#define OCTET_PORTS_LINUX_SERVE_V2_REPLY_H_

#include <functional>
#include <string>
#include <vector>

#include "ports/linux/serve/engine/facts.h"
#include "ports/linux/serve/v2/request.h"
#include "ports/linux/serve/web/exchange.h"

namespace octet::port::serve {

// The one version that a model has here.
inline constexpr const char* kV2Version = "1";

WebReply ServerMetadata();
WebReply ModelMetadata(const ModelFacts& facts, const std::string& name);
// Of Triton's extension: the models that are here.
WebReply RepositoryIndex(const ModelFacts& facts);

struct V2Wanted {
  const TensorFacts* tensor;
  bool is_binary;
};
// read: writes the values of an output, where they belong in the body.
WebReply InferReply(const std::string& model, const V2Request& request,
                    const std::vector<V2Wanted>& outputs,
                    const std::function<void(const TensorFacts&, float*)>& read);

// JSON of an array of numbers. A number that JSON lacks (NaN, infinite) is null.
void AddNumbers(const std::vector<float>& values, std::string* text);

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_V2_REPLY_H_
