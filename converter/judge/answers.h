// Answers of FP32 and of a plan alone, without comparing numbers: what a search asks of a plan that
// is not written yet, on many samples.
#ifndef OCTET_CONVERTER_JUDGE_ANSWERS_H_
#define OCTET_CONVERTER_JUDGE_ANSWERS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/judge/answer.h"
#include "converter/judge/measure/measure.h"
#include "converter/judge/runner.h"

namespace octet::judge {

using Answers = std::map<int64_t, Answer>;  // by sample

// Samples, and who runs them. The same for any number of threads.
struct Asked {
  std::vector<const images::Dataset*> inputs;
  std::vector<int64_t> samples;
  // Of a model with states: the samples that begin a sequence. One thread then runs all in order.
  std::set<int64_t> starts;
  int threads = 1;
  std::function<void(int64_t done, int64_t total)> progress;  // may be empty
};

using Outputs = std::vector<std::vector<float>>;

// What the outputs of a sample of `inputs` say, boxes down to kLeastScore, whatever the decoder
// keeps: they are found by their places.
Answer Read(const Decoder& decoder, const std::vector<const images::Dataset*>& inputs,
            int64_t sample, const Outputs& outputs);

// Whether two graphs in FP32 say the same, but for the order of their sums: what IsSame allows is a
// hundred times as much as that, and less than a plan's limits by far.
bool IsSame(const Answer& a, const Answer& b);

bool AreAtOnePlace(const Detection& a, const Detection& b);  // as far as IsSame allows

// Of the graph as imported, read by `decoder`; null: the outputs themselves. names: of the inputs.
// keep: called with the outputs of each sample, by one thread at a time; may be empty.
Answers AnswersOfFp32(const graph::Graph& imported, const std::vector<std::string>& names,
                      const Decoder* decoder, const Asked& asked,
                      const std::function<void(int64_t sample, const Outputs& outputs)>& keep = {});

// What plan 0 of a blob loses against these answers, which hold every sample. Throws UserError
// where the blob cannot be run by this program.
std::unique_ptr<Measure> MeasurePlan(const uint8_t* blob, size_t blob_bytes, const Machine& machine,
                                     const Answers& answers, const Asked& asked);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_ANSWERS_H_
