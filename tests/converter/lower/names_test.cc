// Words that people copy from one program into another.
#include "converter/lower/names.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/engine/selection.h"

namespace octet::lower {
namespace {

using blob::Op, blob::Precision;

// `octet inspect --operators` prints what OCTET_OPERATORS takes.
TEST(Names, WordsAreThoseOfTheSelection) {
  for (const OperatorWords& words : kOperatorWords) {
    EXPECT_EQ(OperatorWord(words.op, Precision::kInt8), words.int8);
    EXPECT_EQ(OperatorWord(words.op, Precision::kFp16), words.fp16);
  }
  EXPECT_EQ(OperatorWord(Op::kUnary, Precision::kInt8), "table_s8");
  EXPECT_EQ(OperatorWord(Op::kMatMul, Precision::kInt8), "matmul_s8");
  EXPECT_EQ(OperatorWord(Op::kCumSum, Precision::kFp16), "cumsum_f16");
  EXPECT_EQ(OperatorWord(Op::kDepthwiseConv, Precision::kFp16), "depthwise_conv_f16");
}

TEST(Names, OperatorsOfPlugins) {
  EXPECT_EQ(OpName(static_cast<Op>(0x8001)), "Op8001");
  EXPECT_EQ(OperatorWord(static_cast<Op>(0x8001), Precision::kInt8), "op8001_s8");
}

// By their numbers in the blob; what is none is told from all that are.
TEST(Names, Functions) {
  using blob::Function;
  EXPECT_STREQ(FunctionName(Function::kIdentity), "");
  EXPECT_STREQ(FunctionName(Function::kClamp), "Clamp");
  EXPECT_STREQ(FunctionName(Function::kTanh), "Tanh");
  EXPECT_STREQ(FunctionName(Function::kMish), "Mish");
  EXPECT_STREQ(FunctionName(Function::kCeil), "Ceil");
  EXPECT_STREQ(FunctionName(Function::kTable16), "Table");
  EXPECT_STREQ(FunctionName(static_cast<Function>(24)), "?");
  EXPECT_STREQ(FunctionName(static_cast<Function>(255)), "?");
}

}  // namespace
}  // namespace octet::lower
