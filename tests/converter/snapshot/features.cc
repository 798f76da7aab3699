// Whole models with a task, and every command on them.
#include "tests/converter/snapshot/networks.h"

namespace octet::test {
namespace {

OnnxValue Image(OnnxBuilder& model, int64_t side) {
  return model.Input("image", {1, 3, side, side}).WithChannels(3);
}

std::string Pixels(const Folder& folder, int64_t side, int64_t samples) {
  folder.Data("c.npy", "|u1", {side, side, 3}, samples, 1);
  return folder.Path("c.npy");
}

void Classifier(OnnxBuilder& model) {
  Image(model, 8)
      .Conv({.channels = 8, .kernel = 3, .pad = 1})
      .Relu()
      .GlobalAveragePool()
      .Flatten()
      .Gemm(4)
      .Output("scores");
}

std::string WriteClassifier(const Folder& folder) {
  OnnxBuilder model(13, 1);
  Classifier(model);
  folder.Model(model);
  folder.Text("labels.txt", "ant\nbee\ncat\ndog\n");
  std::string truth;
  for (int i = 0; i < 32; ++i) truth += static_cast<char>(i % 4);
  folder.Npy("truth.npy", "|u1", {32}, truth);
  return Pixels(folder, 8, 32);
}

// Twelve pictures, of which ten are labelled with classes in turn.
std::string WritePictures(const Folder& folder) {
  WriteClassifier(folder);
  std::string images, marks, classes;
  for (int i = 0; i < 12; ++i) {
    std::string pixels;
    for (int k = 0; k < 192; ++k) pixels += static_cast<char>((k * (i + 3) * 37 + 20 * i) % 251);
    const std::string number = std::to_string(i), comma = i == 0 ? "" : ",";
    folder.Text("pictures/" + number + ".ppm", "P6 8 8 255\n" + pixels);
    if (i >= 10) continue;
    images += comma + "{\"id\":" + number + ",\"file_name\":\"" + number + ".ppm\"}";
    marks += comma + "{\"image_id\":" + number + ",\"category_id\":" + std::to_string(i % 4) + "}";
  }
  for (int c = 0; c < 4; ++c) {
    const std::string number = std::to_string(c);
    classes += (c == 0 ? "" : ",") + ("{\"id\":" + number + ",\"name\":\"class " + number + "\"}");
  }
  folder.Text("labels.json", "{\"images\":[" + images + "],\"annotations\":[" + marks +
                                 "],\"categories\":[" + classes + "]}");
  return folder.Path("pictures");
}

// Convolutions with normalisation, one of them depthwise, a sum, and scores.
void Residual(OnnxBuilder& model) {
  const OnnxValue first =
      Image(model, 16).Conv({.channels = 16, .stride = 2, .pad = 1}).BatchNorm().Relu6();
  const OnnxValue wide = first.Conv({.channels = 24, .kernel = 1})
                             .BatchNorm()
                             .Silu()
                             .Conv({.channels = 24, .pad = 1, .group = ConvOptions::kDepthwise})
                             .BatchNorm()
                             .Relu();
  const OnnxValue sum = first.Add(wide.Conv({.channels = 16, .kernel = 1}).BatchNorm());
  sum.Conv({.channels = 16, .pad = 1})
      .LeakyRelu(0.1f)
      .GlobalAveragePool()
      .Flatten()
      .Gemm(5)
      .Output("scores");
}

std::string WriteResidual(const Folder& folder) {
  OnnxBuilder model(13, 7);
  Residual(model);
  folder.Model(model);
  return Pixels(folder, 16, 40);
}

// Boxes beside scores, one for each cell.
std::string WriteBoxes(const Folder& folder) {
  folder.Text("apart.yaml",
              "outputs: {box: boxes, class: scores}\n"
              "class: {activation: sigmoid}\nbox: {form: corners}\nscore_threshold: 0.5\n");
  OnnxBuilder model(13, 3);
  const OnnxValue x = Image(model, 8);
  const OnnxValue much = model.Initializer("much", {1}, std::vector<float>{3});
  const OnnxValue place = model.Initializer("place", {1, 4, 1, 1}, std::vector<float>{1, 2, 5, 7});
  const auto table = [](const OnnxValue& image, int64_t numbers) {
    return image.Reshape({1, numbers, 64}).Transpose({0, 2, 1});
  };
  table(x.Conv({.channels = 4, .kernel = 1}).Op("Tanh").Add(place), 4).Output("boxes");
  table(x.Conv({.channels = 2, .kernel = 1}).Op("Tanh").Mul(much), 2).Output("scores");
  folder.Model(model);
  folder.Text("two.txt", "ant\nbee\n");
  // A box where the model finds some, one elsewhere, and room for a third.
  const float places[12] = {1, 2, 5, 7, 0, 0, 3, 3, 0, 0, 0, 0};
  std::string boxes, classes;
  for (int i = 0; i < 24; ++i) {
    boxes.append(reinterpret_cast<const char*>(places), sizeof(places));
    for (const int label : {i % 2, 1, -1}) classes += static_cast<char>(label);
  }
  folder.Npy("boxes.npy", "<f4", {24, 3, 4}, boxes);
  folder.Npy("classes.npy", "|i1", {24, 3}, classes);
  return Pixels(folder, 8, 24);
}

// Pictures that are larger than the input, and labels of which some name what the model finds.
std::string WriteBoxPictures(const Folder& folder) {
  WriteBoxes(folder);
  std::string images, marks;
  for (int i = 0; i < 12; ++i) {
    std::string pixels;
    for (int k = 0; k < 12 * 20 * 3; ++k) {
      pixels += static_cast<char>((k * (i + 5) * 31 + 17 * i) % 253);
    }
    const std::string number = std::to_string(i), comma = i == 0 ? "" : ",";
    folder.Text("pictures/" + number + ".ppm", "P6 20 12 255\n" + pixels);
    images += comma + "{\"id\":" + number + ",\"file_name\":\"" + number + ".ppm\"}";
    marks += comma + "{\"image_id\":" + number + ",\"category_id\":" + std::to_string(i % 2) +
             ",\"bbox\":[2,3,11,8]}";
  }
  folder.Text("labels.json", "{\"images\":[" + images + "],\"annotations\":[" + marks +
                                 "],\"categories\":[{\"id\":0,\"name\":\"ant\"},{\"id\":1,"
                                 "\"name\":\"bee\"}]}");
  return folder.Path("pictures");
}

// The joined output of a detector with three strides.
std::string WriteJoined(const Folder& folder) {
  OnnxBuilder model(13, 4);
  const OnnxValue x = Image(model, 32);
  const OnnxValue size =
      model.Initializer("size", {1, 6, 1}, std::vector<float>{32, 32, 12, 12, 1, 1});
  const auto cells = [&x](int64_t stride) {
    const int64_t side = 32 / stride;
    return x.Conv({.channels = 6, .kernel = stride, .stride = stride}).Reshape({1, 6, side * side});
  };
  cells(8).Concat(cells(16), 2).Concat(cells(32), 2).Sigmoid().Mul(size).Output("output0");
  folder.Model(model);
  return Pixels(folder, 32, 16);
}

std::string WriteSegmenter(const Folder& folder) {
  OnnxBuilder model(13, 6);
  const OnnxValue x = Image(model, 16);
  const OnnxValue deep = x.Conv({.channels = 8, .stride = 2, .pad = 1}).Relu();
  deep.Resize({1, 1, 2, 2}, "linear", "half_pixel")
      .WithChannels(8)
      .Conv({.channels = 3, .kernel = 1})
      .Output("masks");
  folder.Model(model);
  std::string truth;
  for (int i = 0; i < 24 * 256; ++i) truth += static_cast<char>(i % 11 == 0 ? 255 : i / 7 % 3);
  folder.Npy("truth.npy", "|u1", {24, 16, 16}, truth);
  return Pixels(folder, 16, 24);
}

// Noise grows from layer to layer.
std::string WriteDeep(const Folder& folder) {
  OnnxBuilder model;
  OnnxValue chain = Image(model, 8);
  for (int k = 0; k < 8; ++k) chain = chain.Conv({.channels = 8, .kernel = 3, .pad = 1}).Relu();
  chain.GlobalAveragePool().Flatten().Gemm(4).Output("scores");
  folder.Model(model);
  folder.Text("int8.yaml", "fp16_stretches: false\n");
  return Pixels(folder, 8, 24);
}

}  // namespace

void AddFeatures(std::vector<Network>* networks) {
  const Words inspect{"inspect", "@out.octet", "--json"};
  const auto scored = [](const std::string& labels) {
    return Words{"verify",   "@m.onnx", "@out.octet", "--data", "@c.npy",
                 "--labels", labels,    "--samples",  "20"};
  };
  const auto assigned = [](const std::string& option, const std::string& value) {
    return Words{"assign",  "@m.onnx",  "--calibrate", "@c.npy", "--json", "-o",
                 "@x.yaml", "--effort", "fast",        option,   value};
  };
  const Words sections{"sections", "@out.octet"};
  const Words verify{"verify", "@m.onnx", "@out.octet", "--data", "@c.npy", "--json"};
  networks->push_back({"task_classifier",
                       WriteClassifier,
                       {"--task", "classify", "--labels", "@labels.txt", "--golden", "2",
                        "--product", "cam", "--security-counter", "7", "--report", "@r.json"},
                       {inspect,
                        {"inspect", "@out.octet"},
                        {"inspect", "@out.octet", "--operators"},
                        {"read", "r.json"},
                        verify,
                        scored("@truth.npy"),
                        {"verify", "@m.onnx", "@out.octet", "--data", "@c.npy", "--details"},
                        {"embed", "@out.octet", "-o", "@e", "--threads", "2"},
                        {"read", "e.h"},
                        {"convert", "@m.onnx", "-o", "@out2.octet", "--calibrate", "@c.npy",
                         "--details", "--require", "99dB"}}});
  networks->push_back(
      {"task_residual",
       WriteResidual,
       {"--mean", "0.5,0.4,0.3", "--std", "0.2", "--colour", "bgr", "--resize", "letterbox"},
       {{"analyze", "@m.onnx", "--data", "@c.npy", "--effort", "fast", "--json"},
        {"analyze", "@m.onnx", "--data", "@c.npy", "--effort", "fast", "--top", "3"},
        {"analyze", "@m.onnx", "--data", "@c.npy", "--effort", "fast", "--layer", "*Conv*1*"},
        {"export", "@m.onnx", "@out.octet", "--qdq", "-o", "@q.onnx"},
        {"convert", "@q.onnx", "-o", "@q.octet", "--calibrate", "@c.npy", "--json", "--effort",
         "fast"},
        {"blob", "q.octet"}}});
  networks->push_back({"task_classifier_best",
                       WriteClassifier,
                       {"--effort", "best"},
                       {{"analyze", "@m.onnx", "--data", "@c.npy", "--effort", "best", "--json"},
                        {"convert", "@m.onnx", "-o", "@random.octet", "--random-calibration",
                         "--scale", "0.01", "--task", "classify", "--effort", "fast", "--json"},
                        {"blob", "random.octet"}}});
  networks->push_back(
      {"task_residual_mixed",
       WriteResidual,
       {"--effort", "fast", "--mixed", "--mixed-budget-percent", "30", "--task", "classify"},
       {{"assign", "@m.onnx", "@out.octet", "--calibrate", "@c.npy", "--json", "--budget-percent",
         "50", "--effort", "fast", "-o", "@a.yaml"},
        {"read", "a.yaml"},
        {"assign", "@m.onnx", "--calibrate", "@c.npy", "--preset", "backbone-int8-head-fp16",
         "--effort", "fast", "-o", "@b.yaml"},
        {"read", "b.yaml"},
        {"assign", "@m.onnx", "--calibrate", "@c.npy", "--json", "--solver", "qlearning",
         "--effort", "fast", "--budget-loss", "0.001", "-o", "@d.yaml"},
        assigned("--budget-percent", "7"),
        assigned("--budget-percent", "20"),
        assigned("--budget-ms", "0.1"),
        assigned("--budget-ms", "0.000001"),
        assigned("--preset", "int8"),
        {"assign", "@m.onnx", "--calibrate", "@c.npy", "--effort", "fast", "--solver", "greedy",
         "-o", "@e.yaml"},
        {"convert", "@m.onnx", "-o", "@f.octet", "--calibrate", "@c.npy", "--config", "@a.yaml",
         "--effort", "fast", "--details"},
        {"blob", "f.octet"}}});
  networks->push_back({"task_boxes",
                       WriteBoxes,
                       {"--task", "detect", "--decode", "@apart.yaml", "--labels", "@two.txt"},
                       {sections,
                        verify,
                        scored("@boxes.npy,@classes.npy"),
                        {"analyze", "@m.onnx", "--data", "@c.npy", "--task", "detect", "--decode",
                         "@apart.yaml", "--json"},
                        {"verify", "@m.onnx", "@out.octet", "--data", "@c.npy", "--sample-indices",
                         "1,4,9,16,20", "--details"},
                        {"convert", "@m.onnx", "-o", "@r.octet", "--calibrate", "@c.npy", "--task",
                         "detect", "--decode", "@apart.yaml", "--report", "@r.json", "--effort",
                         "fast", "--details", "--drift", "--golden", "3"},
                        {"read", "r.json"},
                        {"blob", "r.octet"},
                        {"assign", "@m.onnx", "@r.octet", "--budget-percent", "30", "--json"},
                        {"inspect", "@r.octet"}}});
  for (const char* resize : {"stretch", "letterbox", "crop"}) {
    networks->push_back({std::string("task_boxes_") + resize,
                         WriteBoxPictures,
                         {"--task", "detect", "--decode", "@apart.yaml", "--labels", "@two.txt",
                          "--effort", "fast", "--resize", resize},
                         {{"verify", "@m.onnx", "@out.octet", "--data", "@pictures", "--json"},
                          {"convert",
                           "@m.onnx",
                           "-o",
                           "@kept.octet",
                           "--calibrate",
                           "@pictures",
                           "--task",
                           "detect",
                           "--decode",
                           "@apart.yaml",
                           "--labels",
                           "@two.txt",
                           "--sample-labels",
                           "@labels.json",
                           "--label-quality",
                           "0.1",
                           "--effort",
                           "fast",
                           "--resize",
                           resize,
                           "--json"},
                          {"verify", "@m.onnx", "@out.octet", "--data", "@pictures", "--labels",
                           "@boxes.npy,@classes.npy"}}});
  }
  networks->push_back(
      {"task_joined",
       WriteJoined,
       {"--task", "detect", "--decode", "yolov8", "--scale", "0.0078125"},
       {verify,
        sections,
        {"convert", "@m.onnx", "-o", "@two.octet", "--calibrate", "@c.npy", "--task", "detect",
         "--decode", "yolov5", "--effort", "fast"},
        {"convert", "@m.onnx", "-o", "@none.octet", "--calibrate", "@c.npy", "--task", "detect",
         "--effort", "fast", "--details"},
        {"debug", "reduce", "@m.onnx", "--data", "@c.npy", "-o", "@part.onnx", "--bound", "60"},
        {"onnx", "part.onnx"}}});
  networks->push_back(
      {"task_segmenter",
       WriteSegmenter,
       {"--task", "segment", "--resize", "crop"},
       {verify,
        scored("@truth.npy"),
        {"analyze", "@m.onnx", "@c.npy", "--task", "segment", "--effort", "fast", "--scale",
         "0.01"},
        {"convert", "@m.onnx", "-o", "@two.octet", "--calibrate", "@c.npy", "--task", "segment",
         "--details", "--effort", "fast", "--int8-everywhere", "--report", "@r.json"},
        {"read", "r.json"},
        {"verify", "@m.onnx", "@two.octet", "--data", "@c.npy", "--details"}}});
  networks->push_back(
      {"task_pictures",
       WritePictures,
       {"--task", "classify", "--sample-labels", "@labels.json", "--label-quality", "0.2"},
       {{"convert", "@m.onnx", "-o", "@two.octet", "--calibrate", "@pictures", "--json", "--select",
         "4", "--effort", "fast"},
        {"convert", "@m.onnx", "@pictures", "-o", "@short.octet", "--golden", "2", "--resize",
         "crop", "--colour", "bgr", "--mean", "0.1,0.2,0.3", "--task", "classify"},
        {"blob", "short.octet"},
        {"analyze", "@m.onnx", "@pictures", "--task", "classify", "--scale", "0.005"},
        {"assign", "@m.onnx", "@short.octet"},
        {"verify", "@m.onnx", "@short.octet", "--data", "@pictures/3.ppm", "--details"},
        {"verify", "@m.onnx", "@short.octet", "--data", "@pictures", "--json", "--resize",
         "stretch"}}});
  for (const char* kind : {"filter", "mean", "gated"}) {
    networks->push_back({std::string("temporal_") + kind,
                         WriteDeep,
                         {"--config", "@int8.yaml", "--effort", "fast", "--temporal", kind},
                         {sections}});
  }
}

}  // namespace octet::test
