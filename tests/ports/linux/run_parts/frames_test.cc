// Which arrays and pictures fit a model's inputs, and what of them a sample is.
#include "ports/linux/run/frames.h"

#include <cstring>
#include <numeric>

#include "ports/linux/file.h"
#include "tests/ports/linux/run_parts/parts.h"
#include "tests/support/npy.h"

namespace octet::test {
namespace {

using port::Inputs;
using port::Outputs;
using Shape = std::vector<uint64_t>;

// Inputs of `dims`, each through a table that changes nothing, each to an output of its own.
struct Form {
  std::vector<std::vector<uint32_t>> dims;
  bool pictures = false;
  bool rank_zero = false;  // dims are ones
};
Blob MakeEcho(const Form& form) {
  using namespace blob;
  BlobBuilder b;
  std::vector<int8_t> same(256);
  for (int q = -128; q < 128; ++q) same[static_cast<size_t>(q + 128)] = static_cast<int8_t>(q);
  for (size_t i = 0; i < form.dims.size(); ++i) {
    const auto& d = form.dims[i];
    const std::string number = std::to_string(i);
    const uint32_t x = b.AddInput("x" + number, {d[0], d[1], d[2], d[3]}, ElementType::kInt8, 1,
                                  form.pictures ? -128 : 0);
    if (form.pictures) {
      InputRecord& input = b.input(static_cast<uint32_t>(i));
      input.is_image = 1;
      input.scale = 1;
      for (float& std_dev : input.std_dev) std_dev = 1;
    }
    if (form.rank_zero) b.input(static_cast<uint32_t>(i)).rank = 0;
    const uint32_t y =
        b.AddTensor({d[0], d[1], d[2], d[3]}, ElementType::kInt8, 1, form.pictures ? -128 : 0);
    b.AddLayer(Op::kUnary, {x}, y, "same" + number).table = b.AddTable(same);
    b.AddOutput("y" + number, y);
  }
  return b.Build();
}

class Frames : public RunParts {
 protected:
  static size_t CountOf(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), size_t{1},
                           [](size_t a, uint64_t b) { return a * static_cast<size_t>(b); });
  }
  // 0, 1, 2, ... modulo 100.
  std::string Floats(const std::string& name, const Shape& shape) const {
    std::vector<float> values(CountOf(shape));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 100);
    std::string bytes(values.size() * sizeof(float), 0);
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return Write(name, port::NpyHeader(shape) + bytes);
  }
  std::string Pixels(const std::string& name, const Shape& shape,
                     const std::vector<uint8_t>& pixels) const {
    std::string header = port::NpyHeader(shape);
    const size_t at = header.find("<f4");
    header.replace(at, 3, "|u1");
    return Write(name, header + std::string(pixels.begin(), pixels.end()));
  }
  std::string ErrorOf(const std::vector<std::string>& paths, const port::Model& model) const {
    try {
      Inputs inputs(paths, model);
    } catch (const port::InputError& error) {
      return error.what();
    }
    return "";
  }
  static std::vector<float> Run(Inputs* inputs, port::Model* model, uint64_t sample) {
    inputs->Load(sample);
    inputs->Set(model->session());
    EXPECT_EQ(octet_run(model->session()).code, OCTET_OK);
    std::vector<float> values(model->blob().outputs[0].element_count);
    octet_get_output(model->session(), 0, values.data(), values.size());
    return values;
  }
  static bool Has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(Frames, SamplesLieAlongTheFirstAxis) {
  const auto model = Open(MakeEcho({{{1, 1, 1, 6}}}));
  for (const uint64_t count : {1u, 2u, 5u}) {
    Inputs inputs({Floats("x.npy", {count, 1, 1, 6})}, *model);
    EXPECT_EQ(inputs.sample_count(), count);
    EXPECT_FALSE(inputs.of_pictures());
    for (uint64_t sample = 0; sample < count; ++sample) {
      const std::vector<float> values = Run(&inputs, model.get(), sample);
      for (size_t i = 0; i < 6; ++i) {
        ASSERT_EQ(values[i], static_cast<float>(6 * sample + i)) << sample << " " << i;
      }
    }
  }
  for (const Shape& shape : {Shape{1, 1, 1, 5}, Shape{1, 1, 6}, Shape{6}, Shape{1, 1, 1, 1, 6},
                             Shape{1, 1, 6, 1}, Shape{2, 1, 2, 6}}) {
    EXPECT_TRUE(Has(ErrorOf({Floats("x.npy", shape)}, *model), "does not fit input x0"));
  }
  EXPECT_TRUE(Has(ErrorOf({Floats("x.npy", {0, 1, 1, 6})}, *model), "no samples"));
}

TEST_F(Frames, InputOfRankZeroTakesOneNumberASample) {
  const auto model = Open(MakeEcho({.dims = {{1, 1, 1, 1}}, .rank_zero = true}));
  for (const Shape& shape : {Shape{3}, Shape{3, 1}}) {
    Inputs inputs({Floats("x.npy", shape)}, *model);
    EXPECT_EQ(inputs.sample_count(), 3u);
    EXPECT_EQ(Run(&inputs, model.get(), 2)[0], 2);
  }
  for (const Shape& shape : {Shape{1, 3}, Shape{3, 1, 1}}) {
    EXPECT_TRUE(Has(ErrorOf({Floats("x.npy", shape)}, *model), "does not fit input x0"));
  }
}

TEST_F(Frames, AsManyFilesAsInputs) {
  const auto model = Open(MakeEcho({{{1, 1, 1, 6}, {1, 1, 1, 2}}}));
  const std::string two = Floats("two.npy", {2, 1, 1, 6}), small = Floats("s.npy", {2, 1, 1, 2}),
                    three = Floats("three.npy", {3, 1, 1, 2});
  EXPECT_EQ(Inputs({two, small}, *model).sample_count(), 2u);
  EXPECT_TRUE(Has(ErrorOf({two, three}, *model), "3 samples"));
  EXPECT_TRUE(Has(ErrorOf({two}, *model), "names 1 files, the model has 2 inputs"));
  EXPECT_TRUE(Has(ErrorOf({two, small, small}, *model), "names 3 files"));
  EXPECT_TRUE(Has(ErrorOf({}, *model), "no --input given"));
  const auto one = Open(MakeEcho({{{1, 1, 1, 6}}}));
  EXPECT_TRUE(Has(ErrorOf({two, two}, *one), "the model has 1 input;"));
  EXPECT_TRUE(Has(ErrorOf({two, "a.png"}, *one), "names 2 files"));
}

TEST_F(Frames, FloatsAreNoPictures) {
  const auto model = Open(MakeEcho({{{1, 1, 1, 6}}}));
  EXPECT_TRUE(Has(ErrorOf({Pixels("x.npy", {1, 1, 1, 6}, std::vector<uint8_t>(6))}, *model),
                  "does not take pictures"));
  EXPECT_TRUE(Has(ErrorOf({Write("x.ppm", "P5 1 1 255\n.")}, *model), "does not take pictures"));
}

// The same picture as an array, planes behind each other or pixels, and as a file.
TEST_F(Frames, PicturesInEachForm) {
  const auto model = Open(MakeEcho({{{1, 2, 4, 3}}, true}));
  std::vector<uint8_t> pixels(2 * 24), planes(2 * 24);
  for (size_t s = 0; s < 2; ++s) {
    for (size_t p = 0; p < 8; ++p) {
      for (size_t c = 0; c < 3; ++c) {
        const auto value = static_cast<uint8_t>(s * 100 + p * 3 + c * 30);
        pixels[s * 24 + p * 3 + c] = value;
        planes[s * 24 + c * 8 + p] = value;
      }
    }
  }
  const std::string head = "P6 4 2 255\n", body(pixels.begin(), pixels.end());
  const std::string first = Write("a.ppm", head + body.substr(0, 24)),
                    second = Write("b.ppm", head + body.substr(24));
  Inputs of_pixels({Pixels("x.npy", {2, 2, 4, 3}, pixels)}, *model);
  Inputs of_planes({Pixels("y.npy", {2, 3, 2, 4}, planes)}, *model);
  Inputs of_files({first, second}, *model);
  EXPECT_TRUE(of_files.of_pictures());
  EXPECT_FALSE(of_planes.of_pictures());
  for (Inputs* inputs : {&of_pixels, &of_planes, &of_files}) {
    EXPECT_EQ(inputs->sample_count(), 2u);
    for (const uint64_t sample : {1u, 0u, 0u}) {
      const std::vector<float> values = Run(inputs, model.get(), sample);
      EXPECT_EQ(values, Run(&of_pixels, model.get(), sample)) << sample;
      EXPECT_NE(values, Run(&of_pixels, model.get(), 1 - sample)) << sample;
    }
  }
  EXPECT_TRUE(Has(ErrorOf({Pixels("x.npy", {2, 2, 4, 2}, pixels)}, *model), "cannot be pictures"));
  EXPECT_TRUE(Has(ErrorOf({Write("c.ppm", "P6 4 2 255\n")}, *model), "c.ppm: "));
}

TEST_F(Frames, ColoursThatBecomeGreyAreSaid) {
  const auto grey = Open(MakeEcho({{{1, 2, 4, 1}}, true}));
  const auto warned = [&](const std::string& path, const port::Model& model) {
    testing::internal::CaptureStderr();
    Inputs inputs({path}, model);
    return Has(testing::internal::GetCapturedStderr(), "converted to grey");
  };
  const std::string colour = Pixels("c.npy", {1, 2, 4, 3}, std::vector<uint8_t>(24));
  EXPECT_TRUE(warned(colour, *grey));
  EXPECT_FALSE(warned(Pixels("g.npy", {1, 2, 4, 1}, std::vector<uint8_t>(8)), *grey));
  EXPECT_TRUE(warned(Write("c.ppm", "P6 4 2 255\n" + std::string(24, 9)), *grey));
  EXPECT_FALSE(warned(Write("g.pgm", "P5 4 2 255\n" + std::string(8, 9)), *grey));
  EXPECT_FALSE(warned(colour, *Open(MakeEcho({{{1, 2, 4, 3}}, true}))));
}

TEST_F(Frames, OutputsHaveTheSamplesOfAll) {
  const auto run = [&](const Form& form, const std::string& name, uint64_t samples) {
    const auto model = Open(MakeEcho(form));
    std::vector<std::string> paths;
    for (size_t i = 0; i < form.dims.size(); ++i) {
      const auto& d = form.dims[i];
      paths.push_back(Floats("x" + std::to_string(i) + ".npy", {samples * d[0], d[1], d[2], d[3]}));
    }
    Inputs inputs(paths, *model);
    Outputs outputs(name.empty() ? "" : Path(name), *model, samples);
    for (uint64_t sample = 0; sample < samples; ++sample) {
      Run(&inputs, model.get(), sample);
      outputs.Write(model->session());
    }
    outputs.Commit();
  };
  run({{{1, 1, 1, 6}}}, "one.npy", 3);
  const Npy one = ReadNpy(Path("one.npy"));
  EXPECT_EQ(one.shape, (std::vector<int64_t>{3, 1, 1, 6}));
  for (size_t i = 0; i < 18; ++i) EXPECT_EQ(one.Floats()[i], static_cast<float>(i));
  run({{{1, 1, 1, 6}, {1, 1, 1, 2}}}, "two.npy", 2);
  EXPECT_EQ(ReadNpy(Path("two.0.npy")).shape, (std::vector<int64_t>{2, 1, 1, 6}));
  EXPECT_EQ(ReadNpy(Path("two.1.npy")).shape, (std::vector<int64_t>{2, 1, 1, 2}));
  EXPECT_FALSE(std::filesystem::exists(Path("two.npy")));
  run({{{1, 1, 1, 6}, {1, 1, 1, 2}}}, "bare", 1);
  EXPECT_EQ(ReadNpy(Path("bare.1.npy")).shape, (std::vector<int64_t>{1, 1, 1, 2}));
  run({{{1, 1, 1, 6}}}, "", 1);
}

}  // namespace
}  // namespace octet::test
