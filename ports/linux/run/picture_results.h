// What the blob's decoder finds in each picture: a line as it comes, or kept for the report.
#ifndef OCTET_PORTS_LINUX_RUN_PICTURE_RESULTS_H_
#define OCTET_PORTS_LINUX_RUN_PICTURE_RESULTS_H_

#include <cstdint>
#include <optional>

#include "ports/linux/model.h"
#include "ports/linux/results/text.h"
#include "ports/linux/run/frames.h"
#include "ports/linux/run/options.h"
#include "ports/linux/run/report.h"
#include "ports/linux/run/tracks.h"

namespace octet::port {

class PictureResults {
 public:
  // Throws InputError, where --tracks is given and the model finds no boxes.
  PictureResults(const RunOptions& o, const Model& model);

  // Whether there is anything to read of these inputs: a text needs no picture.
  static bool Reads(const Inputs& inputs, const Model& model);

  void CheckTimes(uint64_t frame_count) const;
  // Of the run that just ended, in `run_ns`. Throws InputError where a line cannot be written.
  void Add(const Inputs& inputs, uint64_t sample, uint64_t run_ns, Measurement* m);
  // The file of --tracks is complete.
  void Commit();

 private:
  bool json_;
  const Model& model_;
  ResultReader reader_;
  Line line_;
  std::optional<TrackWriter> tracks_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_PICTURE_RESULTS_H_
