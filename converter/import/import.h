// ONNX file in, graph out: the trust boundary of the converter. Nothing a file says is believed
// before it is checked; every refusal is one UserError line that says what is wrong, where, and
// what to do.
#ifndef OCTET_CONVERTER_IMPORT_IMPORT_H_
#define OCTET_CONVERTER_IMPORT_IMPORT_H_

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/import/bind.h"

namespace octet::import {

inline constexpr int64_t kOldestOpset = 1;
inline constexpr int64_t kNewestOpset = 24;

struct ImportOptions {
  std::map<std::string, graph::Shape> input_shapes;  // --input-shape: input name -> shape
  std::vector<std::string> cut_at = {};  // --cut-at: outputs instead of the model's; empty: those
  // The names are those of a blob's outputs, which may be of another model: then the model's own
  // outputs stay, and whoever compares sees that they are others.
  bool cut_if_known = false;
  Bindings bound = {};  // --bind: inputs that are constants (bind.h)
  // --state: inputs that are outputs of the sample before, and these.
  std::vector<std::pair<std::string, std::string>> states = {};
  bool states_by_name = true;  // pairs of names that say so are states too (states.h)
  // Single fields of the metadata, in place of the model's.
  std::map<std::string, std::string> metadata = {};
};

// "image:1,3,224,224" as given to --input-shape. The name may itself hold colons; the shape follows
// the last one.
std::pair<std::string, graph::Shape> ParseInputShape(std::string_view text);

// Reads a model of opset 1 to 24 (domain ai.onnx; layers on codes also of com.microsoft). The graph
// that comes back
//  - has every input shape fixed: a symbolic leading dimension is 1, other unknown ones come from
//  the options; ends at `cut_at`; has the inputs in `bound` as constants;
//  - is sorted, each value has one definition, node names are unique, Constant nodes and
//  initialisers are constants;
//  - holds floats as float (also from float16, bfloat16, double) and integers within INT32 (Slice
//  bounds saturate);
//  - has codes of 8 and 16 bits between QuantizeLinear and DequantizeLinear alone
//  (codes_to_real.h);
//  - writes each operator in the newest form of its inputs and attributes, whatever the opset
//  (normalise.h).
// Shapes of other values are left to operators::InferShapes, unknown operators to CheckOperators.
graph::Graph ImportOnnx(const std::filesystem::path& path, const ImportOptions& options = {});

// Throws when the graph holds operators the converter does not know: names node, operator, opset
// and domain of each kind, and the way round it where there is one.
void CheckOperators(const graph::Graph& graph);

// Throws for an input that no board can feed, which is any but floats and codes of 8 bits that are
// dequantized first of all (uint8 pictures): names --bind with a value
// that is likely (bind_advice.h), or tensors to end the model at.
// States are no inputs.
void CheckInputs(const graph::Graph& graph, const std::vector<std::string>& states = {});

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_IMPORT_H_
