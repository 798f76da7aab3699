// Stage 4, calibrate: which samples count, and what the values of the graph are on them. Of the
// graph it changes outputs with a constant part, which becomes a number that is added to them;
// every output stays what it is.
#ifndef OCTET_CONVERTER_CONVERT_CALIBRATE_H_
#define OCTET_CONVERTER_CONVERT_CALIBRATE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/calibrate/halves.h"
#include "converter/convert/calibration_data.h"
#include "converter/convert/prepare.h"
#include "converter/convert/sequences.h"
#include "converter/convert/warnings.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/judge/answers.h"

namespace octet::convert {

struct Calibrated {
  const Prepared& from;
  graph::Graph graph;                                            // that the plans are made of
  std::vector<std::unique_ptr<images::Dataset>> inputs;          // the samples that count
  std::vector<const images::Dataset*> datasets;                  // the same
  int64_t given = 1;                                             // samples there were
  SampleChoice choice;                                           // of these
  std::vector<Sequence> sequences;                               // of the samples given; of states
  size_t calibrating = 0;                                        // of the sequences; others judge
  std::vector<std::optional<calibrate::Statistics>> statistics;  // by value
  int64_t samples = 0;                                           // that calibrated
  calibrate::Halves halves;                                      // statistics of two halves
  judge::Answers answers;  // of the samples that were run, by index of what was given
  Warnings warnings;
  bool alike = false;                  // all samples given are the same
  std::unique_ptr<Progress> progress;  // of this stage and those behind it

  const ConvertOptions& options() const { return from.options(); }
};

Calibrated Calibrate(const Prepared& from);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_CALIBRATE_H_
