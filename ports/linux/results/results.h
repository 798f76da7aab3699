// What a model says about a frame, by its task.
#ifndef OCTET_PORTS_LINUX_RESULTS_RESULTS_H_
#define OCTET_PORTS_LINUX_RESULTS_RESULTS_H_

#include <cstdint>
#include <vector>

#include "ports/linux/model.h"

namespace octet::port {

struct Results {
  static constexpr uint32_t kTopClasses = 5;

  octet_task task = OCTET_TASK_NONE;
  std::vector<octet_detection> boxes;      // detect; `count` of them
  octet_class_score classes[kTopClasses];  // classify; `count` of them
  uint32_t count = 0;
  std::vector<uint8_t> map;  // segment: labels on the output's grid
  uint32_t map_height = 0, map_width = 0;
  std::vector<uint32_t> pixels;  // segment: of each label
};

// Runs the blob's decoder; all memory is taken by the constructor.
class ResultReader {
 public:
  // model: bound. A blob without a decoder gives task NONE.
  explicit ResultReader(const Model& model);
  const Results& Read(octet_session* session, uint32_t frame_width, uint32_t frame_height);

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  Results results_;
};

// The label's name, or "" where the blob has none.
const char* LabelName(const octet_session* session, uint32_t label);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RESULTS_RESULTS_H_
