// --bind: inputs that are the same at every frame become constants of the model, such as the size
// that boxes are scaled to, or a mask.
#ifndef OCTET_CONVERTER_IMPORT_BIND_H_
#define OCTET_CONVERTER_IMPORT_BIND_H_

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <onnx/onnx_pb.h>

#include "converter/graph/tensor.h"

namespace octet::import {

// Input name -> its value, integers or floats as written. The shape is that of an array, [n] of n
// numbers, [] of one.
using Bindings = std::map<std::string, graph::Tensor>;

// "NAME=VALUE", "NAME=VALUE,VALUE,..." or "NAME=@FILE.npy", as given to --bind. A name may hold
// '=': values follow the last one, a file the first '=@'. `read` reads the file. A value is a
// number, inf or -inf, true or false.
std::pair<std::string, graph::Tensor> ParseBinding(
    std::string_view text, const std::function<graph::Tensor(const std::filesystem::path&)>& read);

// Replaces each input of these names by an initialiser of its type and shape. A value is broadcast
// as NumPy does, or has as many elements as the input. Dimensions that the model does not know are
// those of `shapes` (--input-shape), else those of a value of the input's rank, else 1 where they
// lead. Throws UserError, which names near names, types or counts, for what does not fit.
void BindInputs(const Bindings& bound, const std::map<std::string, graph::Shape>& shapes,
                onnx::ModelProto* model);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_BIND_H_
