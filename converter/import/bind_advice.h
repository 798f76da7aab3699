// What a message proposes for an input that no board can feed.
#ifndef OCTET_CONVERTER_IMPORT_BIND_ADVICE_H_
#define OCTET_CONVERTER_IMPORT_BIND_ADVICE_H_

#include <string>

#include "converter/graph/graph.h"

namespace octet::import {

// "--bind sizes=320,320 (width and height of 'images')": the value that is likely by what the input
// is called and what is computed of it. A size is that of the picture among the inputs. A mask has
// the value that masks nothing: both are tried, and one that makes a constant of the graph minus
// infinity, or as good as that, masks. "--bind NAME=VALUE" where nobody can say.
std::string BindAdvice(const graph::Graph& graph, graph::ValueId input);

// "--cut-at a,b": computed values that do not depend on the input and are all that those that do
// read; outputs that do not depend on it stay. Empty where there are none, or more than a line
// holds.
std::string CutAdvice(const graph::Graph& graph, graph::ValueId input);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_BIND_ADVICE_H_
