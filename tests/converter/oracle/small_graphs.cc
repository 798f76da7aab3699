#include "tests/converter/oracle/small_graphs.h"

#include <algorithm>
#include <limits>

namespace octet::test {

namespace {

const Dims kImage{1, 4, 6, 6};

OnnxValue Image(OnnxBuilder& model) {
  return model.Input("x", kImage).WithChannels(4);
}

std::string Real(OnnxBuilder& model, const Dims& shape, const std::vector<float>& values) {
  return model.Initializer(model.Unique("real"), shape, values).name();
}

void InputCodes(OnnxBuilder& model) {
  constexpr int kUInt8 = 2;  // TensorProto.DataType
  const std::string scale = Real(model, {}, {0.02f});
  model.Input("codes", kImage, kUInt8).Op("DequantizeLinear", {}, {scale}).Op("Tanh").Output("y");
}

void ResizeToItself(OnnxBuilder& model) {
  Image(model).Resize({1, 1, 1, 1}, "linear", "half_pixel").Relu().Output("y");
}

void SingleConcat(OnnxBuilder& model) {
  Image(model).Relu().Op("Concat", {{"axis", Int(1)}}).Conv({.channels = 3}).Output("y");
}

void Magnitude(OnnxBuilder& model) {
  const std::string x = Image(model).name(), square = model.Unique("square"),
                    sum = model.Unique("sum"), axes = model.Unique("axes");
  model.Initializer(axes, {1}, std::vector<int64_t>{1});
  model.Node("Mul", {x, x}, {}, {square});
  model.Node("ReduceSum", {square, axes}, {{"keepdims", Int(0)}}, {sum});
  OnnxValue(&model, sum, 1).Op("Sqrt").Output("y");
}

void UnusedIndices(OnnxBuilder& model) {
  const std::string x = Image(model).name(), pooled = model.Unique("pooled");
  model.Node("MaxPool", {x}, {{"kernel_shape", Dims{2, 2}}, {"strides", Dims{2, 2}}},
             {pooled, model.Unique("places")});
  OnnxValue(&model, pooled, 4).Relu().Output("y");
}

// Clip(x + 3, 0, 6) / 6
void HardSigmoid(OnnxBuilder& model) {
  const std::string three = Real(model, {}, {3}), six = Real(model, {}, {6});
  Image(model)
      .Conv({.channels = 5})
      .Op("Add", {}, {three})
      .Clip(0, 6)
      .Op("Div", {}, {six})
      .Output("y");
}

// As PyTorch writes it before opset 17.
OnnxValue LayerNorm(OnnxBuilder& model, const OnnxValue& x) {
  const std::string two = Real(model, {}, {2}), epsilon = Real(model, {}, {1e-5f});
  const Attributes last{{"axes", Dims{-1}}, {"keepdims", Int(1)}};
  const OnnxValue centred = x.Sub(x.Op("ReduceMean", last));
  const OnnxValue variance = centred.Op("Pow", {}, {two}).Op("ReduceMean", last);
  return centred.Div(variance.Op("Add", {}, {epsilon}).Op("Sqrt"));
}

void LayerNormOfParts(OnnxBuilder& model) {
  const OnnxValue x = model.Input("x", {1, 5, 8}).WithChannels(8);
  const std::string scale = model.Random("scale", {8}, 1).name();
  const std::string bias = model.Random("bias", {8}, 1).name();
  LayerNorm(model, x).Op("Mul", {}, {scale}).Op("Add", {}, {bias}).MatMul(6).Output("y");
}

void InstanceNormAndScale(OnnxBuilder& model) {
  const OnnxValue x = Image(model);
  const std::string scale = model.Random("scale", {4}, 1).name();
  const std::string bias = model.Random("bias", {4}, 1).name();
  const std::string more = model.Random("more", {4, 1, 1}, 1).name();
  const std::string offset = model.Random("offset", {4, 1, 1}, 1).name();
  x.Op("InstanceNormalization", {}, {scale, bias})
      .Op("Mul", {}, {more})
      .Op("Add", {}, {offset})
      .Output("y");
}

void SliceOfConcat(OnnxBuilder& model) {
  const OnnxValue x = Image(model);
  x.Relu()
      .Concat(x.Sigmoid())
      .Slice({4}, {8}, {1})
      .WithChannels(4)
      .Conv({.channels = 3})
      .Output("y");
}

// Every row takes the elements of the same computed places.
void GatherElements(OnnxBuilder& model) {
  const OnnxValue x = model.Input("x", {1, 3, 5}).WithChannels(5);
  const std::string two = model.Unique("two"), rows = model.Unique("rows");
  model.Initializer(two, {1}, Dims{2});
  model.Initializer(rows, {3}, Dims{1, 3, 2});
  const OnnxValue most = x.Op("ReduceMax", {{"axes", Dims{1}}, {"keepdims", Int(1)}});
  const std::string places = model.Unique("places");
  model.Node("TopK", {most.name(), two}, {{"axis", Int(2)}}, {model.Unique("values"), places});
  const OnnxValue repeated = OnnxValue(&model, places, 0).Op("Expand", {}, {rows});
  x.Op("GatherElements", {{"axis", Int(2)}}, {repeated.name()}).Output("y");
}

void LpPool(OnnxBuilder& model) {
  Image(model)
      .Op("LpPool", {{"kernel_shape", Dims{2, 2}}, {"strides", Dims{2, 2}}, {"p", Int(2)}})
      .Output("y");
}

void GlobalPoolOfALine(OnnxBuilder& model) {
  model.Input("x", {1, 4, 9}).Relu().Op("GlobalMaxPool").Output("y");
  OnnxValue(&model, "x", 4).Op("GlobalAveragePool").Output("z");
}

void BatchNormBefore(OnnxBuilder& model) {
  Image(model).Relu().BatchNorm().Conv({.channels = 3, .kernel = 1}).Output("y");
}

void DilatedAverage(OnnxBuilder& model) {
  OnnxValue x = Image(model);
  x.Op("AveragePool", {{"kernel_shape", Dims{2, 2}}, {"dilations", Dims{2, 2}}}).Output("y");
}

// Pruned: two outputs of the first layer are nothing but their bias.
void DeadChannels(OnnxBuilder& model) {
  std::vector<float> weights;
  for (int i = 0; i < 6 * 4 * 9; ++i) weights.push_back(i / 36 < 2 ? 0 : 0.1f * model.NextNormal());
  const std::string weight = Real(model, {6, 4, 3, 3}, weights);
  const std::string bias = Real(model, {6}, {0, 0, 0.3f, 0.1f, -0.2f, 0.4f});
  Image(model)
      .Op("Conv", {{"kernel_shape", Dims{3, 3}}}, {weight, bias})
      .WithChannels(6)
      .Relu()
      .Conv({.channels = 5})
      .Output("y");
}

void ComputedBounds(OnnxBuilder& model) {
  const OnnxValue x = Image(model);
  const std::string low = x.Op("ReduceMean", {{"keepdims", Int(0)}}).name();
  x.Op("Clip", {}, {low}).Output("y");
}

// Scores with a mask of which one row is `low` throughout. They are whole numbers, so that a sum
// with -10000 keeps all their bits in FP32.
OnnxValue MaskedShares(OnnxBuilder& model, float low) {
  std::vector<float> mask(12, 0);
  std::fill(mask.begin() + 4, mask.begin() + 8, low);
  const std::string name = Real(model, {3, 4}, mask);
  return model.Input("x", {1, 3, 4}).WithChannels(4).Op("Round").Op("Add", {}, {name}).Softmax();
}

void RowMaskedByANumber(OnnxBuilder& model) {
  MaskedShares(model, -10000).Output("y");
}

void RowMaskedByInfinity(OnnxBuilder& model) {
  const OnnxValue shares = MaskedShares(model, -std::numeric_limits<float>::infinity());
  const std::string zero = Real(model, {}, {0});
  shares.Op("IsNaN").Op("Where", {}, {zero, shares.name()}).Output("y");
}

// 2 * Sigmoid(x) - 1, and a reciprocal of it plus 3.
void ChainOfFunctions(OnnxBuilder& model) {
  const std::string one = Real(model, {}, {1}), two = Real(model, {}, {2}),
                    three = Real(model, {}, {3});
  const OnnxValue y = Image(model).Sigmoid().Op("Mul", {}, {two}).Op("Sub", {}, {one});
  y.Op("Add", {}, {three}).Op("Reciprocal").Conv({.channels = 5}).Output("y");
}

// As a tracker correlates a picture with a part of another.
void Correlation(OnnxBuilder& model) {
  const std::string weights =
      Image(model).Relu().Slice({0, 0}, {3, 2}, {2, 3}).Reshape({4, 1, 3, 2}).name();
  OnnxValue(&model, "x", 4).Op("Conv", {{"group", Int(4)}}, {weights}).Output("y");
}

}  // namespace

const std::vector<SmallGraph>& SmallGraphs() {
  static const std::vector<SmallGraph> graphs{{"remove_input_codes", InputCodes},
                                              {"remove_noop_resize", ResizeToItself},
                                              {"remove_single_concat", SingleConcat},
                                              {"drop_unused_indices", UnusedIndices},
                                              {"recognise_hard_sigmoid", HardSigmoid},
                                              {"recognise_reduce_l2", Magnitude},
                                              {"recognise_layer_norm", LayerNormOfParts},
                                              {"fold_into_layer_norm", LayerNormOfParts},
                                              {"fold_into_instance_norm", InstanceNormAndScale},
                                              {"slice_of_concat", SliceOfConcat},
                                              {"gather_elements_to_gather", GatherElements},
                                              {"lp_pool_to_average", LpPool},
                                              {"global_pool_to_picture", GlobalPoolOfALine},
                                              {"fold_batch_norm_before", BatchNormBefore},
                                              {"dilated_average_to_conv", DilatedAverage},
                                              {"computed_weights_to_columns", Correlation},
                                              {"remove_dead_channels", DeadChannels},
                                              {"clip_to_min_max", ComputedBounds},
                                              {"center_masks", RowMaskedByANumber},
                                              {"settle_nan_guards", RowMaskedByInfinity},
                                              {"merge_functions", ChainOfFunctions},
                                              {"unique_names", SliceOfConcat}};
  return graphs;
}

}  // namespace octet::test
