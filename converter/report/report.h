// What a conversion did, as one JSON document and as one page of HTML that needs nothing else: no
// network, no other file.
//
// Names come from the model and may hold anything. In the document they are JSON strings in ASCII
// (what is no UTF-8 becomes U+FFFD); in the page that document stands in a script element of type
// application/json with <, > and & as \u escapes, so that no name can end it, and the page's script
// shows names as text alone, never as markup.
#ifndef OCTET_CONVERTER_REPORT_REPORT_H_
#define OCTET_CONVERTER_REPORT_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/analyze/analyze.h"
#include "converter/report/memory_timeline.h"

namespace octet::report {

// What a step of recovery gained, in its own unit.
struct Gain {
  std::string step, unit;
  double before = 0, after = 0;
  bool kept = false;
};

// A way to assign precisions: what it takes and what it loses.
struct ParetoPoint {
  std::string name;  // of who chose it
  double time_ms = 0;
  double loss = 0, loss_error = 0;  // measured, with its standard error
  int64_t fp16_layers = 0;
  bool chosen = false;  // for the blob's plan
};

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;  // pixels of the picture
  double score = 0;
  std::string label;
};

// A picture of the data and what both sides find in it.
struct Picture {
  std::string jpeg_base64;
  int width = 0, height = 0;  // of the picture that the boxes count in
  std::vector<Box> fp32, int8;
};

struct Report {
  std::string model;
  std::string version;  // of the converter
  uint64_t blob_bytes = 0;
  int64_t samples = 0;               // calibrated with
  std::vector<std::string> verdict;  // lines, the first the shortest; may be empty
  // "judgement", "figure_name", "figure", "interval", "limit" of the verdict's JSON; may be null.
  nlohmann::json judgement;
  std::vector<std::string> warnings;
  analyze::Analysis analysis;
  std::vector<MemoryTimeline> memory;
  std::vector<Gain> gains;
  std::vector<ParetoPoint> pareto;
  std::vector<Picture> pictures;
  nlohmann::json ledger = nlohmann::json::array();  // ledger.h
};

// One layer, as in "layers" of the document.
nlohmann::json ToJson(const analyze::LayerFigures& layer);
nlohmann::json ToJson(const analyze::Analysis& analysis);
nlohmann::json ToJson(const Report& report);

// Compact, in ASCII.
std::string Text(const nlohmann::json& document);
// The page that shows ToJson(report).
std::string Page(const nlohmann::json& document);

}  // namespace octet::report

#endif  // OCTET_CONVERTER_REPORT_REPORT_H_
