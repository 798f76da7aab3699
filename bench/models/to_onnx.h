// A benchmark network to an ONNX file for other engines.
#ifndef OCTET_BENCH_MODELS_TO_ONNX_H_
#define OCTET_BENCH_MODELS_TO_ONNX_H_

#include <string>

#include "bench/models/network.h"

namespace octet::bench {

// Q/DQ form, opset 13: uint8 activations (what x86 engines fuse; int8 ones they leave in float),
// int8 weights with one scale an output channel, int32 bias. Input and output are float32, named
// "input" and "output". Serialized ModelProto.
std::string QdqModel(const Network& network);

// The same weights and biases in float; ranges of activations are not in it.
std::string FloatModel(const Network& network);

}  // namespace octet::bench

#endif  // OCTET_BENCH_MODELS_TO_ONNX_H_
