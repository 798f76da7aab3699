#include "converter/judge/measure/measure.h"

#include "converter/judge/measure/boxes.h"
#include "converter/judge/measure/classes.h"
#include "converter/judge/measure/masks.h"
#include "converter/judge/measure/texts.h"

namespace octet::judge {

Interval Measure::Certain() const {
  return Bootstrap(size(), [this](const Weights& weights) { return LossOf(weights); });
}

std::unique_ptr<Measure> MakeMeasure(blob::Task task, double sure_score) {
  switch (task) {
    case blob::Task::kClassify:
      return std::make_unique<ClassMeasure>();
    case blob::Task::kDetect:
      return std::make_unique<BoxMeasure>(sure_score);
    case blob::Task::kSegment:
      return std::make_unique<MaskMeasure>();
    case blob::Task::kText:
      return std::make_unique<TextMeasure>();
    case blob::Task::kNone:
      break;
  }
  return nullptr;
}

}  // namespace octet::judge
