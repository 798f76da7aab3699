// Inputs and outputs of 8-bit codes as the real numbers that they stand for. A blob takes and gives
// those: what a QuantizeLinear makes for an output, and what a DequantizeLinear makes of an input,
// are one with it. FP32 has to be asked for the same.
#ifndef OCTET_CONVERTER_JUDGE_REAL_PORTS_H_
#define OCTET_CONVERTER_JUDGE_REAL_PORTS_H_

#include "converter/graph/graph.h"

namespace octet::judge {

// The graph as imported, with a QuantizeLinear behind each input that only DequantizeLinears of one
// scale read, and a DequantizeLinear in front of each output whose codes a QuantizeLinear makes,
// both under the names they had. Codes with a scale by channel stay: no blob has them.
graph::Graph WithRealPorts(graph::Graph imported);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_REAL_PORTS_H_
