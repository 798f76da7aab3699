// The graph of the model that a blob was made of, and what the blob says of its inputs.
#ifndef OCTET_CONVERTER_CLI_SAME_MODEL_H_
#define OCTET_CONVERTER_CLI_SAME_MODEL_H_

#include <string>

#include "converter/blobs/blob_file.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/import/import.h"
#include "runtime/format/view.h"

namespace octet::cli {

// The outputs' names as a blob has them become the graph's, so that a model that was cut ends where
// the blob does.
import::ImportOptions EndingWith(const blobs::BlobFile& file, import::ImportOptions options);

// Import and passes of the ONNX file. Throws UserError where its inputs and outputs are not those
// of the blob; both paths are for messages.
graph::Graph LoadModelOf(const blobs::BlobFile& file, const std::string& blob_path,
                         const std::string& model, const import::ImportOptions& options);
// Import of the ONNX file alone, with the same checks. Passes drop inputs that no output depends
// on: here they stay.
graph::Graph ImportModelOf(const blobs::BlobFile& file, const std::string& blob_path,
                           const std::string& model, const import::ImportOptions& options);
// A graph with the inputs of the blob alone, in its order.
graph::Graph WithInputsOf(const blobs::BlobFile& file, graph::Graph graph);
// LoadModelOf, equalized where the blob is.
graph::Graph LoadGraphOf(const blobs::BlobFile& file, const std::string& blob_path,
                         const std::string& model, const import::ImportOptions& options);

// As the blob says for its first picture input.
images::Preprocess PreprocessOf(const blobs::BlobFile& file);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_SAME_MODEL_H_
