// Stage 1, import: the ONNX file as a graph with shapes. It changes nothing of what the file means.
#ifndef OCTET_CONVERTER_CONVERT_IMPORT_H_
#define OCTET_CONVERTER_CONVERT_IMPORT_H_

#include <string>

#include "converter/convert/options.h"
#include "converter/graph/graph.h"
#include "converter/import/import.h"
#include "converter/passes/passes.h"

namespace octet::convert {

struct Imported {
  const ConvertOptions& options;
  graph::Graph graph;  // as the file has it; what the judge runs
};

Imported Import(const ConvertOptions& options);

// The same for commands that need no more: what the file means.
graph::Graph ImportGraph(const std::string& model, const import::ImportOptions& options);

// Import and passes only: the graph every other command works on. report may be null.
graph::Graph LoadGraph(const std::string& model, const import::ImportOptions& options,
                       passes::PassReport* report);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_IMPORT_H_
