// Which measure a task has, and what its loss is worth.
#include "converter/judge/measure/measure.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "converter/judge/measure/numbers.h"

namespace octet::judge {
namespace {

TEST(MakeMeasure, OneForEachTask) {
  std::set<std::string> figures;
  for (const blob::Task task :
       {blob::Task::kClassify, blob::Task::kDetect, blob::Task::kSegment, blob::Task::kText}) {
    const auto measure = MakeMeasure(task, 0.5);
    ASSERT_NE(measure, nullptr);
    EXPECT_EQ(measure->size(), 0u);
    EXPECT_FALSE(measure->Speaks()) << measure->Figure();
    EXPECT_EQ(measure->TimeOfOne(), kTimeOfAPoint);
    EXPECT_LT(measure->LimitOf(kFp16Losses), measure->LimitOf(kInt8Losses)) << measure->Figure();
    figures.insert(measure->Figure());
  }
  EXPECT_EQ(MakeMeasure(blob::Task::kNone, 0.5), nullptr);
  const NumberMeasure numbers;
  EXPECT_EQ(numbers.TimeOfOne(), kTimeOfADecibel);
  EXPECT_LT(numbers.LimitOf(kFp16Losses), numbers.LimitOf(kInt8Losses));
  figures.insert(numbers.Figure());
  EXPECT_EQ(figures.size(), 5u) << "each has a word of its own";
}

}  // namespace
}  // namespace octet::judge
