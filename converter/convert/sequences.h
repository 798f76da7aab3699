// Samples of a model with states: sequences, and the states in front of each of their samples.
#ifndef OCTET_CONVERTER_CONVERT_SEQUENCES_H_
#define OCTET_CONVERTER_CONVERT_SEQUENCES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "converter/convert/judge_samples.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/simulate/samples.h"

namespace octet::convert {

struct Sequence {
  int64_t first = 0, count = 0;  // samples
};

// "400,400", as given to --sequences. Throws UserError.
std::vector<int64_t> ParseSequences(const std::string& text);

// The samples of a data set. No lengths: they are one sequence. Throws UserError where the lengths
// are not those of the data, or the model has no states.
std::vector<Sequence> SequencesOf(const graph::Graph& graph, const std::vector<int64_t>& lengths,
                                  int64_t samples);
// First samples of the sequences that these are of.
std::set<int64_t> StartsOf(const std::vector<Sequence>& sequences);

// FP32 runs each sequence in closed loop: a data set for each state, with the state in front of
// each sample. Samples are independent from there on. Throws UserError for a state that FP16 cannot
// hold.
std::vector<std::unique_ptr<images::Dataset>> RecordStates(
    const graph::Graph& graph, const std::vector<std::unique_ptr<images::Dataset>>& inputs,
    const std::vector<Sequence>& sequences, int threads,
    const std::function<void(int64_t done, int64_t total)>& progress);

// Of four sequences or more, how many calibrate; the others judge. All of fewer.
size_t CalibratingOf(const std::vector<Sequence>& sequences);

// Sets of whole sequences (simulate/samples.h). Of fewer than three, of their quarters.
simulate::Samples SplitSequences(const std::vector<Sequence>& sequences, int64_t most);

// The sequences from `calibrating` on, or all where there are none, each from its start on.
JudgeSamples JudgingOf(const std::vector<Sequence>& sequences, size_t calibrating);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_SEQUENCES_H_
