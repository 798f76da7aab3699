// bench-temporal --frames VIDEO.npy BLOB...: what temporal filters make of a video's outputs. The
// blobs are conversions of one model that differ in their filters; the first one's FP16 plan is the
// reference, its int8 plan without filters what they are compared with. JSON on stdout.
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "bench/temporal/figures.h"
#include "ports/linux/capture/npy.h"
#include "ports/linux/command_line/command_line.h"

namespace octet::bench {
namespace {

int Main(int argc, char** argv) {
  std::vector<std::string> blobs;
  std::string frames_path;
  uint32_t clip = 0;
  port::CommandLine app("Compares int8 plans with and without temporal filters on a video");
  app.Add("--frames", frames_path, "uint8 .npy [frames,H,W,3], RGB").Required();
  app.Add("--clip", clip, "frames of a scene; then another begins. 0: one scene").ShowDefault();
  app.Add("BLOB", blobs, "conversions of one model").Required();
  app.Name("bench-temporal", OCTET_VERSION_TEXT);
  if (app.Parse(argc, argv)) return 0;
  const port::NpyArray video(frames_path);
  const auto& shape = video.shape();
  if (video.type() != port::NpyType::kUint8 || shape.size() != 4 || shape[3] != 3) {
    throw port::InputError(frames_path + ": no uint8 array [frames,H,W,3]");
  }
  std::vector<std::unique_ptr<Player>> players;
  std::vector<std::string> names = {"fp16", "int8"};
  players.push_back(std::make_unique<Player>(blobs[0], "fp16", false));
  players.push_back(std::make_unique<Player>(blobs[0], "int8", false));
  for (const std::string& path : blobs) {
    names.push_back(path);
    players.push_back(std::make_unique<Player>(path, "int8", true));
  }
  std::vector<Figures> figures(players.size());
  octet_frame frame{};
  frame.size = sizeof(frame);
  frame.format = OCTET_PIXELS_RGB24;
  frame.height = static_cast<uint32_t>(shape[1]);
  frame.width = static_cast<uint32_t>(shape[2]);
  frame.strides[0] = size_t{3} * frame.width;
  for (uint64_t t = 0; t < shape[0]; ++t) {
    frame.planes[0] = video.bytes() + t * frame.height * frame.strides[0];
    for (auto& player : players) player->Play(frame);
    const bool first = t == 0 || (clip != 0 && t % clip == 0);
    for (size_t i = 0; i < players.size(); ++i) figures[i].Add(*players[i], *players[0], first);
  }
  nlohmann::json runs;
  for (size_t i = 0; i < players.size(); ++i) {
    runs.push_back(figures[i].Json(*players[i]));
    runs.back()["name"] = names[i];
  }
  std::printf("%s\n", runs.dump().c_str());
  return 0;
}

}  // namespace
}  // namespace octet::bench

int main(int argc, char** argv) {
  try {
    return octet::bench::Main(argc, argv);
  } catch (const octet::port::UsageError& error) {
    std::fprintf(stderr, "bench-temporal: %s\n", error.what());
    return 2;
  } catch (const octet::port::InputError& error) {
    std::fprintf(stderr, "bench-temporal: %s\n", error.what());
    return 2;
  }
}
