// bench-onednn NETWORK: the int8 convolutions of a benchmark network, and nothing else of it, in
// oneDNN: a count on stdin, the milliseconds of so many passes over all of them on stdout. A
// ceiling: every layer has the memory layouts oneDNN likes best, with no reorder between layers, no
// zero points, additions or pooling. The environment caps the instruction set
// (ONEDNN_MAX_CPU_ISA) and the threads (OMP_NUM_THREADS).
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <dnnl.hpp>
#include <iostream>
#include <random>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "bench/models/network.h"

namespace octet::bench {
namespace {

using dnnl::memory;

struct Layer {
  dnnl::primitive convolution;
  std::unordered_map<int, memory> arguments;
};

memory::desc Any(const memory::dims& dims, memory::data_type type) {
  return {dims, type, memory::format_tag::any};
}

// uint8 activations, int8 weights and a scale for every output channel, as our networks have them;
// the activation's lower bound is the unsigned result's saturation, its upper bound a post-op.
dnnl::primitive_attr AttributesOf(const Step& step) {
  dnnl::primitive_attr attributes;
  std::vector<float> scales;
  for (const float scale : step.scales) scales.push_back(scale * 0.05f);
  attributes.set_output_scales(1 << 1, scales);
  if (step.activation == Activation::kRelu || step.activation == Activation::kRelu6) {
    const bool bounded = step.activation == Activation::kRelu6;
    dnnl::post_ops after;
    after.append_eltwise(
        1.0f, bounded ? dnnl::algorithm::eltwise_bounded_relu : dnnl::algorithm::eltwise_relu,
        bounded ? 240.0f : 0.0f, 0.0f);
    attributes.set_post_ops(after);
  }
  return attributes;
}

void Fill(const memory& m, std::minstd_rand* random, uint32_t count) {
  auto* bytes = static_cast<uint8_t*>(m.get_data_handle());
  for (size_t i = 0; i < m.get_desc().get_size(); ++i) {
    bytes[i] = static_cast<uint8_t>((*random)() % count);
  }
}

Layer MakeLayer(const Network& network, const Step& step, const dnnl::engine& engine,
                dnnl::stream& stream, std::minstd_rand* random) {
  const Value& in = network.values[static_cast<size_t>(step.input)];
  const Value& out = network.values[static_cast<size_t>(step.output)];
  using Type = memory::data_type;
  const memory::dims source_dims = {1, in.channels, in.height, in.width};
  const memory::dims target_dims = {1, out.channels, out.height, out.width};
  const int64_t kh = step.kernel_h, kw = step.kernel_w, g = step.groups;
  const memory::dims weight_dims = g == 1
                                       ? memory::dims{out.channels, in.channels, kh, kw}
                                       : memory::dims{g, out.channels / g, in.channels / g, kh, kw};
  const dnnl::convolution_forward::desc description(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
      Any(source_dims, Type::u8), Any(weight_dims, Type::s8), Any({out.channels}, Type::s32),
      Any(target_dims, Type::u8), {step.stride, step.stride}, {step.pads[0], step.pads[1]},
      {step.pads[2], step.pads[3]});
  const dnnl::convolution_forward::primitive_desc primitive(description, AttributesOf(step),
                                                            engine);
  memory source(primitive.src_desc(), engine), target(primitive.dst_desc(), engine);
  memory weights(primitive.weights_desc(), engine), bias(primitive.bias_desc(), engine);
  Fill(source, random, 200);
  Fill(bias, random, 1);
  memory plain(
      {weight_dims, Type::s8, g == 1 ? memory::format_tag::oihw : memory::format_tag::goihw},
      engine, const_cast<int8_t*>(step.weights.data()));
  dnnl::reorder(plain, weights).execute(stream, plain, weights);
  stream.wait();
  return {dnnl::convolution_forward(primitive),
          {{DNNL_ARG_SRC, source},
           {DNNL_ARG_WEIGHTS, weights},
           {DNNL_ARG_BIAS, bias},
           {DNNL_ARG_DST, target}}};
}

int Main(const char* name) {
  const Network network = MakeNetwork(name);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  std::minstd_rand random(7);
  std::vector<Layer> layers;
  for (const Step& step : network.steps) {
    if (step.kind == StepKind::kConv || step.kind == StepKind::kGemm) {
      layers.push_back(MakeLayer(network, step, engine, stream, &random));
    }
  }
  std::cout << "ready" << std::endl;
  for (int count; std::cin >> count;) {
    for (int i = 0; i < count; ++i) {
      using Clock = std::chrono::steady_clock;
      const auto started = Clock::now();
      for (Layer& layer : layers) layer.convolution.execute(stream, layer.arguments);
      stream.wait();
      std::cout << std::chrono::duration<double, std::milli>(Clock::now() - started).count() << ' ';
    }
    std::cout << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace octet::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bench-onednn NETWORK\n");
    return 2;
  }
  try {
    return octet::bench::Main(argv[1]);
  } catch (const dnnl::error& error) {
    std::fprintf(stderr, "bench-onednn: oneDNN: %s\n", error.message);
    return 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-onednn: %s\n", error.what());
    return 2;
  }
}
