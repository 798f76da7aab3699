// Every rule of tensors, layers, inputs and outputs of a plan: offset of the refusal, and the last
// value that a limit lets pass.
#include "tests/runtime/format/refusals.h"
#include "tests/support/mixed_blob.h"

namespace octet::test {
namespace {

using R = Records;

// Layers of the mixed blob's first plan; tensor i + 1 is what layer i writes, tensor 0 the picture.
enum : uint32_t { kConv, kRelu, kDepthwise, kAdd, kPool, kConcat, kReshape, kSoftmax, kLayers };

TEST(Refusals, ArraysOfAPlan) {
  ExpectRefusals(
      MakeMixedBlob(),
      {
          {"no header",
           [](R& r) -> const void* {
             return r.section(2).bytes = sizeof(blob::PlanHeader) - 1, &r.plan_header(1);
           }},
          {"the header alone",
           [](R& r) -> const void* {
             return r.section(2).bytes = sizeof(blob::PlanHeader), &r.plan_header(1).tensors_offset;
           }},
          {"tensors not aligned",
           [](R& r) -> const void* {
             return r.plan_header().tensors_offset += 2, &r.plan_header().tensors_offset;
           }},
          {"layers not aligned",
           [](R& r) -> const void* {
             return r.plan_header().layers_offset -= 4, &r.plan_header().layers_offset;
           }},
          {"layers behind the end",
           [](R& r) -> const void* {
             return r.plan_header().layers_offset += 2 * sizeof(blob::LayerRecord),
                    &r.plan_header().layers_offset;
           }},
          {"operands not aligned",
           [](R& r) -> const void* {
             return r.plan_header().operands_offset -= 2, &r.plan_header().operands_offset;
           }},
          {"operands behind the end by a byte",
           [](R& r) -> const void* {
             return --r.section(1).bytes, &r.plan_header().operands_offset;
           }},
          {"tensors counted twice",
           [](R& r) -> const void* {
             return --r.plan_header().tensor_count, &r.plan_header().tensor_count;
           }},
          {"layers counted twice",
           [](R& r) -> const void* {
             return --r.plan_header().layer_count, &r.plan_header().layer_count;
           }},
      });
}

TEST(Refusals, Tensors) {
  ExpectRefusals(
      MakeMixedBlob(),
      {
          {"name",
           [](R& r) -> const void* { return r.tensor(2).name = r.strings_bytes(), &r.tensor(2); }},
          {"type 0",
           [](R& r) -> const void* {
             return r.tensor(2).type = static_cast<blob::ElementType>(0), &r.tensor(2).type;
           }},
          {"type 4",
           [](R& r) -> const void* {
             return r.tensor(2).type = static_cast<blob::ElementType>(4), &r.tensor(2).type;
           }},
          {"int32 without its feature",
           [](R& r) -> const void* {
             return r.tensor(2).type = blob::ElementType::kInt32, &r.tensor(2).type;
           }},
          {"int32 with it",
           [](R& r) -> const void* {
             r.header().required_features |= blob::kFeatureIntegers;
             r.tensor(2).type = blob::ElementType::kInt32;
             return &r.tensor(2).scale;
           }},
          {"zero point of halves",
           [](R& r) -> const void* {
             return r.tensor(2, 1).zero_point = 1, &r.tensor(2, 1).zero_point;
           }},
          {"scale of zero",
           [](R& r) -> const void* { return r.tensor(2).scale = 0, &r.tensor(2).scale; }},
          {"subnormal scale",
           [](R& r) -> const void* { return r.tensor(2).scale = 1e-39f, &r.tensor(2).scale; }},
          {"infinite scale",
           [](R& r) -> const void* {
             return r.tensor(2).scale = __builtin_inff(), &r.tensor(2).scale;
           }},
          {"scale of halves without its feature",
           [](R& r) -> const void* { return r.tensor(2, 1).scale = 2, &r.tensor(2, 1).scale; }},
          {"scale of halves that is no power of two",
           [](R& r) -> const void* {
             r.header().required_features |= blob::kFeatureHalfScale;
             return r.tensor(2, 1).scale = 3, &r.tensor(2, 1).scale;
           }},
          {"empty dim",
           [](R& r) -> const void* { return r.tensor(2).dims[1] = 0, &r.tensor(2).dims; }},
          {"too many elements",
           [](R& r) -> const void* {
             r.tensor(2).dims[1] = 0x10000;
             r.tensor(2).dims[2] = 0x2000;  // x 4: 2^31
             return &r.tensor(2).dims;
           }},
          {"most elements, but not its bytes",
           [](R& r) -> const void* {
             r.tensor(2).dims[1] = 0x7FFFFFFF;
             r.tensor(2).dims[2] = r.tensor(2).dims[3] = 1;
             return &r.tensor(2).bytes;
           }},
          {"too many bytes of halves",
           [](R& r) -> const void* {
             r.tensor(2, 1).dims[1] = 0x40000000;
             r.tensor(2, 1).dims[2] = r.tensor(2, 1).dims[3] = 1;
             return &r.tensor(2, 1).dims;
           }},
          {"bytes", [](R& r) -> const void* { return ++r.tensor(2).bytes, &r.tensor(2).bytes; }},
          {"place not aligned",
           [](R& r) -> const void* {
             return r.tensor(2).arena_offset += 8, &r.tensor(2).arena_offset;
           }},
          {"place behind the end",
           [](R& r) -> const void* {
             return r.tensor(2).arena_offset = r.plan().arena_bytes, &r.tensor(2).arena_offset;
           }},
          {"place behind the end by a byte",
           [](R& r) -> const void* {
             r.tensor(2, 1).arena_offset = r.plan(1).arena_bytes - r.tensor(2, 1).bytes + 16;
             return &r.tensor(2, 1).arena_offset;
           }},
          {"first layer of another",
           [](R& r) -> const void* { return ++r.tensor(2).first_layer, &r.layer(kRelu).output; }},
          {"first layer of an output",
           [](R& r) -> const void* {
             return r.tensor(kLayers).first_layer = kLayers, &r.layer(kSoftmax).output;
           }},
          {"written by nobody, and no input",
           [](R& r) -> const void* {
             return r.tensor(kLayers).first_layer = blob::kNone, &r.layer(kSoftmax).output;
           }},
          {"dies before its reader",
           [](R& r) -> const void* {
             return r.tensor(2).last_layer = kDepthwise, &r.layer(kAdd).first_operand;
           }},
          {"lives longer than its reader",
           [](R& r) -> const void* {
             return r.tensor(2).last_layer = kPool, &r.tensor(2).last_layer;
           }},
          {"an output that dies with its reader",
           [](R& r) -> const void* {
             return r.tensor(5).last_layer = kConcat, &r.tensor(5).last_layer;
           }},
          {"an output that lives for ever",
           [](R& r) -> const void* {
             return ++r.tensor(kLayers).last_layer, &r.tensor(kLayers).last_layer;
           }},
          {"no output, but lives to the end",
           [](R& r) -> const void* {
             return r.tensor(7).last_layer = kLayers, &r.tensor(7).last_layer;
           }},
      });
}

TEST(Refusals, Layers) {
  ExpectRefusals(
      MakeMixedBlob(),
      {
          {"precision",
           [](R& r) -> const void* {
             r.layer(kAdd).precision = static_cast<blob::Precision>(2);
             return &r.layer(kAdd).precision;
           }},
          {"halves without their feature",
           [](R& r) -> const void* {
             return r.header().required_features = 0, &r.layer(0, 1).precision;
           }},
          {"name",
           [](R& r) -> const void* {
             return r.layer(kAdd).name = r.strings_bytes(), &r.layer(kAdd).name;
           }},
          {"operands behind the end",
           [](R& r) -> const void* {
             r.layer(kSoftmax).first_operand += 1;
             return &r.layer(kSoftmax).first_operand;
           }},
          {"no such output",
           [](R& r) -> const void* {
             return r.layer(kAdd).output = kLayers + 1, &r.layer(kAdd).output;
           }},
          {"output of another",
           [](R& r) -> const void* { return r.layer(kAdd).output = 5, &r.layer(kAdd).output; }},
          {"no such operand",
           [](R& r) -> const void* {
             r.operand(r.layer(kAdd).first_operand + 1) = kLayers + 1;
             return &r.layer(kAdd).first_operand;
           }},
          {"its own output",
           [](R& r) -> const void* {
             r.operand(r.layer(kAdd).first_operand + 1) = r.layer(kAdd).output;
             return &r.layer(kAdd).first_operand;
           }},
          {"a dead operand",
           [](R& r) -> const void* {
             r.operand(r.layer(kPool).first_operand) = 2;
             return &r.layer(kPool).first_operand;
           }},
          {"weights not aligned",
           [](R& r) -> const void* {
             return r.layer(kDepthwise).weights.offset += 32, &r.layer(kDepthwise).weights;
           }},
          {"weights behind the end",
           [](R& r) -> const void* {
             r.layer(kDepthwise).weights.offset = r.section(7).bytes / 64 * 64;
             return &r.layer(kDepthwise).weights;
           }},
          {"no weights, but bytes of them",
           [](R& r) -> const void* {
             return r.layer(kPool).weights.bytes = 1, &r.layer(kPool).weights;
           }},
          {"channels not aligned",
           [](R& r) -> const void* {
             return r.layer(kDepthwise).channels.offset += 32, &r.layer(kDepthwise).channels;
           }},
          {"channels behind the end",
           [](R& r) -> const void* {
             r.layer(kDepthwise).channels.bytes = r.section(7).bytes;
             return &r.layer(kDepthwise).channels;
           }},
          {"table not aligned",
           [](R& r) -> const void* {
             return r.layer(kRelu).table.offset += 2, &r.layer(kRelu).table;
           }},
          {"table behind the end",
           [](R& r) -> const void* {
             return ++r.layer(kSoftmax).table.bytes, &r.layer(kSoftmax).table;
           }},
          {"layout of a layer without weights",
           [](R& r) -> const void* {
             r.layer(kPool).layout = blob::Layout::kWinograd2;
             return &r.layer(kPool).layout;
           }},
          {"an arithmetic that nobody knows",
           [](R& r) -> const void* {
             auto& arithmetic = r.layer(kConv, 1).arithmetic;
             return arithmetic = static_cast<blob::Arithmetic>(3), &arithmetic;
           }},
          {"FP16 sums of an int8 layer",
           [](R& r) -> const void* {
             auto& arithmetic = r.layer(kConv).arithmetic;
             return arithmetic = blob::Arithmetic::kHalf, &arithmetic;
           }},
          {"transformed FP16 weights of an int8 layer",
           [](R& r) -> const void* {
             auto& arithmetic = r.layer(kConv).arithmetic;
             return arithmetic = blob::Arithmetic::kWinograd, &arithmetic;
           }},
          {"transformed FP16 weights that are not",
           [](R& r) -> const void* {
             r.layer(kConv, 1).arithmetic = blob::Arithmetic::kWinograd;
             return &r.layer(kConv, 1);
           }},
          {"FP16 sums of a layer that has none",
           [](R& r) -> const void* {
             auto& arithmetic = r.layer(kPool, 1).arithmetic;
             return arithmetic = blob::Arithmetic::kHalf, &arithmetic;
           }},
          {"layout in a section that is not there",
           [](R& r) -> const void* {
             r.layer(kConv).layout = blob::Layout::kWinograd2;
             r.layer(kConv).extra = {0, 64};
             return &r.layer(kConv).extra;
           }},
          {"tables of channels without their feature",
           [](R& r) -> const void* {
             return r.layer(kRelu).extra = {0, 4}, &r.layer(kRelu).extra;
           }},
          {"extra not aligned",
           [](R& r) -> const void* {
             return r.layer(kPool).extra = {2, 4}, &r.layer(kPool).extra;
           }},
          {"extra behind the end",
           [](R& r) -> const void* {
             return r.layer(kPool).extra = {0, r.section(6).bytes + 1}, &r.layer(kPool).extra;
           }},
          {"an operator's rule",
           [](R& r) -> const void* {
             r.layer(kAdd).params.words[2] = 31;  // shift
             return &r.layer(kAdd);
           }},
          {"the same bytes over and over",
           [](R& r) -> const void* {
             for (uint32_t i = 0; i < kLayers; ++i) r.layer(i).channels.bytes = 0x80000;
             return &r.plan_header().layers_offset;
           }},
      });
}

TEST(Refusals, InputsOfAPlan) {
  ExpectRefusals(
      MakeMixedBlob(),
      {
          {"no such tensor",
           [](R& r) -> const void* { return r.plan_io(0) = kLayers + 1, &r.input(); }},
          {"a layer's tensor", [](R& r) -> const void* { return r.plan_io(0) = 1, &r.input(); }},
          {"strides behind the end",
           [](R& r) -> const void* { return ++r.input().strides[2], &r.input().strides; }},
          {"batch of pictures",
           [](R& r) -> const void* {
             blob::TensorRecord& picture = r.tensor(0);
             picture.dims[0] = 2, picture.dims[1] = 2;
             r.input().strides[0] = 1;
             return &r.input().is_image;
           }},
          {"picture of four channels",
           [](R& r) -> const void* {
             blob::TensorRecord& picture = r.tensor(0);
             picture.dims[1] = 4, picture.dims[2] = 3, picture.dims[3] = 4;
             r.input().strides[3] = 1;
             return &r.input().is_image;
           }},
          {"of another height in the other plan",
           [](R& r) -> const void* {
             blob::TensorRecord& picture = r.tensor(0, 1);
             picture.dims[1] = 2, picture.dims[2] = 8;
             return &r.input().is_image;
           }},
          {"of another width in the other plan",
           [](R& r) -> const void* {
             blob::TensorRecord& picture = r.tensor(0, 1);
             picture.dims[1] = 8, picture.dims[2] = 2;
             r.input().strides[1] = 1;
             return &r.input().is_image;
           }},
          {"of other channels in the other plan",
           [](R& r) -> const void* {
             blob::TensorRecord& picture = r.tensor(0, 1);
             picture.dims[2] = 12, picture.dims[3] = 1;
             return &r.input().is_image;
           }},
      });
}

TEST(Refusals, OutputsOfAPlan) {
  ExpectRefusals(
      MakeMixedBlob(),
      {
          {"no such tensor",
           [](R& r) -> const void* { return r.part(1).tensor = kLayers + 1, &r.part(1); }},
          {"function",
           [](R& r) -> const void* { return r.part(1).function = 2, &r.part(1).function; }},
          {"sigmoid", [](R& r) -> const void* { return r.part(1).function = 3, nullptr; }},
          {"tanh", [](R& r) -> const void* { return r.part(1).function = 7, nullptr; }},
          {"exp", [](R& r) -> const void* { return r.part(1).function = 8, nullptr; }},
          {"sqrt",
           [](R& r) -> const void* { return r.part(1).function = 11, &r.part(1).function; }},
          {"behind the end",
           [](R& r) -> const void* { return ++r.part(2).base, &r.part(2).strides; }},
          {"strides behind the end",
           [](R& r) -> const void* { return ++r.part(2).strides[3], &r.part(2).strides; }},
          {"over another part",
           [](R& r) -> const void* { return --r.part(2).base, &r.part(2).base; }},
          {"over itself",
           [](R& r) -> const void* { return r.part(1).strides[3] = 0, &r.part(1).base; }},
          {"more than there is",
           [](R& r) -> const void* {
             r.output(1).element_count = r.output(1).dims[1] = 31;
             r.output(1).dims[2] = 1;
             r.part(2).base = 0;
             return &r.part(2);
           }},
          {"less than there is",
           [](R& r) -> const void* {
             r.output(1).element_count = r.output(1).dims[1] = 33;
             r.output(1).dims[2] = 1;
             return &r.output(1).element_count;
           }},
      });
}

// Two inputs: each has a tensor of its own.
TEST(Refusals, OneTensorForTwoInputs) {
  BlobBuilder b;
  b.AddOutput("a", b.AddInput("a", {1, 1, 1, 4}));
  b.AddOutput("b", b.AddInput("b", {1, 1, 1, 4}));
  ExpectRefusals(b.Build(),
                 {{"twice", [](R& r) -> const void* { return r.plan_io(1) = 0, &r.input(1); }}});
}

// Pictures of `height` rows of one pixel; of kMaxPictureSize at most.
TEST(Refusals, LargestPicture) {
  for (const bool tall : {false, true}) {
    for (const uint32_t size : {65535u, 65536u}) {
      BlobBuilder b;
      b.AddOutput("y", b.AddInput("x", {1, tall ? size : 1, tall ? 1 : size, 1}));
      b.input(0).is_image = 1;
      const Records records(b.Build());
      const octet_status status =
          octet_validate(records.blob().data(), records.blob().size(), OCTET_VERIFY_NONE);
      EXPECT_EQ(status.code, size == 65535 ? OCTET_OK : OCTET_MALFORMED);
    }
  }
}

// A layer reads 1,024 operands at most; the blob of one more is refused at that layer.
TEST(Refusals, OperandsOfALayer) {
  for (const uint32_t count : {1024u, 1025u}) {
    BlobBuilder b;
    const uint32_t x = b.AddInput("x", {1, 1, 1, 1}), y = b.AddTensor({1, 1, 1, count});
    blob::LayerRecord& concat =
        b.AddLayer(blob::Op::kConcat, std::vector<uint32_t>(count, x), y, "concat");
    BlobBuilder::Params<blob::ConcatParams>(concat).axis = 3;
    b.AddOutput("y", y);
    const Blob blob = b.Build();
    const auto* header = reinterpret_cast<const blob::Header*>(blob.data());
    const uint32_t plan = SectionAt(header, 1)->offset;
    const octet_status status = octet_validate(blob.data(), blob.size(), OCTET_VERIFY_NONE);
    EXPECT_EQ(status.code, count == 1024 ? OCTET_OK : OCTET_MALFORMED) << count;
    const auto* layers = reinterpret_cast<const blob::PlanHeader*>(blob.data() + plan);
    const uint32_t at = plan + layers->layers_offset +
                        static_cast<uint32_t>(offsetof(blob::LayerRecord, first_operand));
    EXPECT_EQ(status.offset, count == 1024 ? 0 : at);
  }
}

}  // namespace
}  // namespace octet::test
