// What a model says about a frame, by its task.
#ifndef OCTET_PORTS_LINUX_RESULTS_RESULTS_H_
#define OCTET_PORTS_LINUX_RESULTS_RESULTS_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ports/linux/model.h"

namespace octet::port {

// The object of a box, over the box's pixels: lengths of runs, rows first, of pixels that are not
// of it and that are, in turn.
struct ObjectMask {
  uint32_t left = 0, top = 0, width = 0, height = 0;
  uint32_t first_run = 0, run_count = 0;
  uint32_t pixels = 0;  // of the object
};

// In pixels of the frame.
struct DrawnPoint {
  float x, y;
};
// What a picture shows beside boxes: the way of a track, an edge of a zone.
struct DrawnLine {
  DrawnPoint from, to;
  uint32_t colour;  // of ColourOf in draw.cc
};

// A count of a zone.
struct DrawnText {
  DrawnPoint at;
  uint32_t colour;
  char text[80];
};

struct Results {
  static constexpr uint32_t kTopClasses = 5;

  octet_task task = OCTET_TASK_NONE;
  // detect; `count` of them, then `weak_count` below the blob's threshold, for a tracker alone
  std::vector<octet_detection> boxes;
  std::vector<uint64_t> ids;  // of the track of each box; 0: none, or no tracks
  std::vector<DrawnLine> lines;
  std::vector<DrawnText> texts;
  std::vector<octet_keypoint> points;  // detect; `point_count` of each box, one after another
  uint32_t point_count = 0;
  std::vector<ObjectMask> masks;           // detect; one a box, or none
  std::vector<uint32_t> runs;              // of the masks
  octet_class_score classes[kTopClasses];  // classify; `count` of them
  uint32_t count = 0, weak_count = 0;
  std::vector<uint8_t> map;  // segment: labels on the output's grid
  uint32_t map_height = 0, map_width = 0;
  std::vector<octet_class_score> characters;  // text; `count` of them
  std::string text;                           // their names, one behind another
  std::vector<uint32_t> pixels;               // segment: of each label

  // Boxes that a tracker may use.
  uint32_t BoxCount() const { return task == OCTET_TASK_DETECT ? count + weak_count : 0; }
  uint64_t IdOf(uint32_t box) const { return box < ids.size() ? ids[box] : 0; }
};

// A least score that no box is below.
constexpr float kNoWeakBoxes = std::numeric_limits<float>::infinity();

// Runs the blob's decoder; all memory is taken by the constructor, but for a mask of the
// largest box so far.
class ResultReader {
 public:
  // model: bound. A blob without a decoder gives task NONE. least_score: of weak boxes; at or above
  // the blob's threshold: none.
  explicit ResultReader(const Model& model, float least_score = kNoWeakBoxes);
  Results& Read(octet_session* session, uint32_t frame_width, uint32_t frame_height);

  // Bytes of the longest line that says what was found.
  size_t LineBytes() const;

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  Results results_;
  float threshold_ = 0, least_score_;  // of the blob's boxes, and of weak ones
  bool has_masks_ = false;
  std::vector<uint8_t> mask_;

  void ReadBoxes(octet_session* session, uint32_t frame_width, uint32_t frame_height);
  void ReadText(octet_session* session);
  void ReadMasks(octet_session* session, uint32_t frame_width, uint32_t frame_height);
};

// The label's name, or "" where the blob has none.
const char* LabelName(const octet_session* session, uint32_t label);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RESULTS_RESULTS_H_
