// What int8 cannot do: nodes that run in FP16 whatever is wanted.
#ifndef OCTET_CONVERTER_QUANTIZE_IMPOSSIBLE_H_
#define OCTET_CONVERTER_QUANTIZE_IMPOSSIBLE_H_

#include <optional>
#include <vector>

#include "converter/quantize/scheme.h"

namespace octet::quantize {

using AllStatistics = std::vector<std::optional<calibrate::Statistics>>;

// Products of one output of a Conv, Gemm or MatMul; 0 for other nodes.
int64_t AccumulatedProducts(const graph::Graph& graph, const graph::Node& node);

// Whether a node computes integers, or from nothing else: no plan quantizes what it does, and its
// precision is kFp16.
bool RunsOnIntegers(const graph::Graph& graph, const graph::Node& node);

// Whether the model itself rounds the result to 8 bits.
bool IsGiven(const graph::Graph& graph, const graph::Node& node);

// Why node `n` cannot run in int8: kIntegers, kNoInt8Kernel, kMasked, kTooManyProducts,
// kAsymmetricOnly or kNotFinite; nullopt where it can.
std::optional<Entry> WhyNotInt8(const graph::Graph& graph, const graph::Links& links,
                                const AllStatistics& statistics, const Config& config, size_t n);

// Whether a node makes infinities or NaN of finite numbers, as Log does of 0: what is rounded to 0
// in front of it would become one too.
bool MakesInfinity(const graph::Graph& graph, const AllStatistics& statistics,
                   const graph::Node& node);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_IMPOSSIBLE_H_
