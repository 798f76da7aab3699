// Which output of a reader has the steps and classes of a text, and which class is the blank.
#include <gtest/gtest.h>

#include <cstring>

#include "converter/decode/spec.h"
#include "converter/support/error.h"
#include "tests/support/facts.h"

namespace octet::decode {
namespace {

using test::ExpectFacts;

Ports ReaderPorts(const std::vector<graph::Shape>& outputs, size_t labels) {
  Ports ports;
  for (const graph::Shape& shape : outputs) {
    ports.outputs.push_back({"y" + std::to_string(ports.outputs.size()), shape});
  }
  ports.label_count = labels;
  return ports;
}

struct TextRead {
  blob::DecodeRecord record;
  blob::DecodeLevel level;
};
TextRead TextSectionOf(const Ports& ports) {
  const std::vector<uint8_t> bytes = DecodeSection(blob::Task::kText, std::nullopt, ports);
  TextRead read;
  std::memcpy(&read.record, bytes.data(), sizeof(read.record));
  std::memcpy(&read.level, bytes.data() + sizeof(read.record), sizeof(read.level));
  return read;
}
std::string RefusedText(const Ports& ports, const std::optional<Spec>& spec = std::nullopt) {
  try {
    DecodeSection(blob::Task::kText, spec, ports);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

struct Layout {
  graph::Shape shape;
  uint32_t steps, step, channel_step;
};

TEST(TextSection, StepsAndClassesInEveryOrder) {
  for (const Layout& layout : {Layout{{1, 32, 37}, 32, 37, 1}, Layout{{32, 1, 37}, 32, 37, 1},
                               Layout{{1, 37, 32}, 32, 1, 32}, Layout{{1, 37, 1, 32}, 32, 1, 32},
                               Layout{{32, 37}, 32, 37, 1}, Layout{{37, 37}, 37, 37, 1},
                               Layout{{1, 1, 37}, 1, 37, 1}, Layout{{37, 1}, 1, 1, 1}}) {
    SCOPED_TRACE(graph::ToString(layout.shape));
    const TextRead read = TextSectionOf(ReaderPorts({layout.shape}, 36));
    EXPECT_EQ(read.record.class_count, 37u);
    EXPECT_EQ(read.record.background, 0u);
    EXPECT_EQ(read.record.class_activation, blob::Activation::kSoftmax);
    EXPECT_EQ(read.level.grid_h, 1u);
    EXPECT_EQ(read.level.grid_w, layout.steps);
    EXPECT_EQ(read.level.scores.channel_step, layout.channel_step);
    if (layout.steps == 1) continue;
    EXPECT_EQ(read.level.scores.column_step, layout.step);
  }
}

TEST(TextSection, TheFirstOutputThatFits) {
  Ports ports = ReaderPorts({{1, 64}, {1, 5, 6, 37}, {1, 20, 37}, {1, 30, 37}}, 36);
  ports.outputs[2].softmaxed = true;
  ports.blank = 36;
  const TextRead read = TextSectionOf(ports);
  EXPECT_EQ(read.level.scores.output, 2u);
  EXPECT_EQ(read.level.grid_w, 20u);
  EXPECT_EQ(read.record.background, 36u);
  EXPECT_EQ(read.record.class_activation, blob::Activation::kLinear);
}

TEST(TextSection, WhatDoesNotFitSaysWhatToDo) {
  ExpectFacts(RefusedText(ReaderPorts({{1, 32, 37}}, 0)), {"--task text", "--labels"});
  ExpectFacts(RefusedText(ReaderPorts({{1, 32, 37}}, 37)),
              {"37 characters", "[1,32,37]", "<blank>"});
  ExpectFacts(RefusedText(ReaderPorts({{1, 32, 37}}, 35)), {"35 characters", "[1,32,37]", "space"});
  ExpectFacts(RefusedText(ReaderPorts({{1, 32, 37}}, 20)),
              {"20 characters", "[1, steps, 21]", "per char"});
  Ports ports = ReaderPorts({{1, 32, 37}}, 36);
  ports.blank = 37;
  ExpectFacts(RefusedText(ports), {"--blank 37", "37 classes", "0 to 36"});
  ExpectFacts(RefusedText(ports, ReadSpec("yolox")), {"--decode", "remove"});
}

}  // namespace
}  // namespace octet::decode
