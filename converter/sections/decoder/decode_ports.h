// What a decoder has to know of a model's inputs and outputs.
#ifndef OCTET_CONVERTER_SECTIONS_DECODER_DECODE_PORTS_H_
#define OCTET_CONVERTER_SECTIONS_DECODER_DECODE_PORTS_H_

#include "converter/decode/spec.h"
#include "converter/graph/graph.h"

namespace octet::sections {

// graph: canonical.
decode::Ports PortsOf(const graph::Graph& graph, size_t label_count);

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_DECODER_DECODE_PORTS_H_
