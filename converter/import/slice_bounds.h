// Which values are only ever bounds (operators/meaning.h), where INT64_MAX means "to the end" and
// must not be refused.
#ifndef OCTET_CONVERTER_IMPORT_SLICE_BOUNDS_H_
#define OCTET_CONVERTER_IMPORT_SLICE_BOUNDS_H_

#include <set>
#include <string>

#include <onnx/onnx_pb.h>

namespace octet::import {

// Names of the values whose every use, and there is at least one, is a bound: starts or ends of a
// Slice, directly or through operators that only pass elements on (Concat, Unsqueeze, Cast, ...).
// Saturating those at INT32 does not change a result.
std::set<std::string> FindSliceBounds(const onnx::GraphProto& graph);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_SLICE_BOUNDS_H_
