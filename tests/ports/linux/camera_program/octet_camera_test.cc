// octet-camera as a program: streams that end, break, change and lie; signals.
#include <algorithm>

#include "tests/ports/linux/camera_program/camera_fixture.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

TEST_F(Camera, FrameByFrameWithABox) {
  Start({"--source", "-", "--json"});
  for (int i = 0; i < 3; ++i) {
    // One at a time, so that none is dropped; the second and third come as another stream.
    Send(Y4m(8, 6 + 2 * i, 1));
    AwaitLines(static_cast<size_t>(i) + 1);
  }
  EXPECT_EQ(Finish(), 0);
  const auto lines = Lines();
  ASSERT_EQ(lines.size(), 4u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(lines[i]["frame"], i);
    EXPECT_EQ(lines[i]["plan"], "int8");
    EXPECT_GE(lines[i]["age_ms"], lines[i]["ms"]);
    ASSERT_FALSE(lines[i]["detections"].empty());
    const auto& box = lines[i]["detections"][0]["box"];
    EXPECT_LE(box[2], 8);
    EXPECT_LE(box[3], 6 + 2 * static_cast<int>(i));
    const std::string label = lines[i]["detections"][0]["label"];
    EXPECT_TRUE(label == "a" || label == "b") << label;
  }
  EXPECT_EQ(lines[3]["summary"]["frames"], 3);
  EXPECT_EQ(lines[3]["summary"]["captured"], 3);
  EXPECT_EQ(lines[3]["summary"]["dropped"], 0);
  // Of three times the middle one, up to 0.8 % above it, and the largest.
  for (const std::string what : {"", "age_"}) {
    std::vector<double> ms;
    for (size_t i = 0; i < 3; ++i) ms.push_back(lines[i][what + "ms"]);
    std::sort(ms.begin(), ms.end());
    const double median = lines[3]["summary"]["median_" + what + "ms"];
    EXPECT_GE(median, ms[1] - 0.002);
    EXPECT_LE(median, ms[1] * 1.008 + 0.002);
    EXPECT_NEAR(lines[3]["summary"]["max_" + what + "ms"], ms[2], 0.002);
  }
}

// Without --json a line a second: of 100 frames in two and a half seconds, 40 a second.
TEST_F(Camera, FramesASecond) {
  Start({"--source", "-", "--format", "rgb24", "--size", "4x4", "--every-frame"});
  const std::string pixels(48, 'x');
  Send(pixels);
  AwaitLines(1);
  EXPECT_NE(Read("out").find("   0.0 fps"), std::string::npos) << Read("out");
  for (int frame = 0; frame < 99; ++frame) Send(pixels);
  usleep(2'500'000);
  Send(pixels);
  EXPECT_EQ(Finish(), 0);
  const std::string out = Read("out");
  const size_t at = out.rfind(" fps");
  ASSERT_GT(at, 8u) << out;
  const double fps = std::stod(out.substr(at - 6, 6));
  // The last interval may have begun later, with fewer frames, where the machine is busy.
  EXPECT_GT(fps, 0) << out;
  EXPECT_LT(fps, 41) << out;
}

TEST_F(Camera, EndInsideAFrame) {
  Start({"--source", "-", "--json", "--format", "rgb24", "--size", "4x4"});
  Send(std::string(48 + 7, 'x'));
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(Lines().back()["summary"]["frames"], 1);
  EXPECT_NE(Read("err").find("7 of 48 bytes dropped"), std::string::npos);
}

TEST_F(Camera, EveryPictureOfAFolderHasItsLine) {
  fs::create_directory(folder_ / "p");
  for (const char* name : {"p/a.pgm", "p/b.pgm", "p/c.pgm"}) {
    std::ofstream(Path(name), std::ios::binary) << "P5\n2 2\n255\n0123";
  }
  Start({"--source", Path("p")});
  EXPECT_EQ(Finish(), 0);
  std::istringstream text(Read("out"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 3u) << Read("out");
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(lines[i].rfind(Path(i == 0   ? "p/a.pgm"
                                  : i == 1 ? "p/b.pgm"
                                           : "p/c.pgm") +
                                 "  ",
                             0),
              0u);
    EXPECT_NE(lines[i].find(" ms  "), std::string::npos) << lines[i];
    EXPECT_EQ(lines[i].back(), ']') << "a box: " << lines[i];
  }
  Start({"--source", Path("p"), "--json"});
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(Lines()[1]["picture"], Path("p/b.pgm"));
  Start({"--source", Path("p/c.pgm"), "--json"});
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(Lines().size(), 2u);
}

TEST_F(Camera, DumpReplacesNothing) {
  fs::create_directories(folder_ / "p/deep");
  for (const char* name : {"p/frame-00000000.pgm", "p/deep/b.pgm"}) {
    std::ofstream(Path(name), std::ios::binary) << "P5\n2 2\n255\n0123";
  }
  fs::create_directory_symlink(Path("p"), Path("link"));
  for (const char* folder : {"p", "link", "p/../p"}) {
    Start({"--source", Path("p"), "--dump", Path(folder)});
    EXPECT_EQ(Finish(), 2);
    ExpectFacts(Read("err"), {"--dump", "name another folder"});
  }
  Start({"--source", Path("p/frame-00000000.pgm"), "--dump", Path("p")});
  EXPECT_EQ(Finish(), 2);
  fs::remove(Path("p/frame-00000000.pgm"));  // now its subfolders are the source
  Start({"--source", Path("p"), "--dump", Path("p/deep")});
  EXPECT_EQ(Finish(), 2);
  // A second run, of the other format, goes on behind the first.
  for (const char* format : {"png", "jpg"}) {
    Start({"--source", Path("p"), "--dump", Path("drawn"), "--dump-format", format});
    EXPECT_EQ(Finish(), 0);
  }
  ExpectFacts(Read("err"), {"frame-00000001.jpg"});
  EXPECT_TRUE(fs::exists(Path("drawn/frame-00000000.png")));
  EXPECT_TRUE(fs::exists(Path("drawn/frame-00000001.jpg")));
}

TEST_F(Camera, GarbageEndsWithOneLine) {
  Start({"--source", "-", "--json", "--device", "here"});
  Send(Y4m(8, 8, 1));
  AwaitLines(1);
  Send("not a frame at all\n");
  EXPECT_EQ(Finish(), 2);
  const std::string errors = Read("err");
  EXPECT_NE(errors.find("damaged"), std::string::npos);
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
}

TEST_F(Camera, TermEndsAStalledStream) {
  Start({"--source", "-", "--json", "--format", "grey8", "--size", "4x4"});
  Send(std::string(16, 'x'));
  AwaitLines(1);
  kill(child_, SIGTERM);
  EXPECT_EQ(Wait(), 0);
  EXPECT_EQ(Lines().back()["summary"]["frames"], 1);
  close(input_);
}

TEST_F(Camera, LimitedFramesAndTheOtherPlan) {
  Start({"--source", "-", "--json", "--frames", "1", "--plan", "fp16"});
  Send(Y4m(8, 8, 5));
  EXPECT_EQ(Wait(), 0);
  const auto lines = Lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["plan"], "fp16");
  close(input_);
}

TEST_F(Camera, BadUseIsOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "no --source"},
      {{"--source", "nowhere"}, "no such file"},
      {{"--source", "-", "--format", "nv12"}, "--size"},
      {{"--source", "-", "--format", "h264"}, "y4m"},
      {{"--source", "-", "--isa", "sse"}, "--isa list"},
      {{"--source", "-", "--size", "4x4"}, "has its own size"},
      {{"--source", "-", "--fps", "5"}, "--fps: does nothing with a stream"},
      {{"--source", "scene", "--format", "nv12"}, "--format: does nothing with the scene"},
      {{"--source", "-", "--fps", "-1"}, "at least 0"},
      {{"--source", "-", "--fps", "nan"}, "'nan' is not a number"},
      {{"--source", "-", "--format", "rgb24", "--size", "4x4", "--stride", "11"},
       "shorter than a row"},
      {{"--source", "rtsp://cam/1", "--rtsp-command", "absent"}, "no program absent here"},
      {{"--source", "http://cam/v.mjpg?a=1&b"},
       "exec:ffmpeg -loglevel error -i 'http://cam/v.mjpg?a=1&b' -f"},
      {{"--source", "0"}, "--source /dev/video0"},
      {{"--source", "csi://0"}, "rpicam-vid"},
      {{"--source", "/dev/stdin"}, "octet-camera MODEL --source -"},
      {{"--source", "-", "--cpus", "3-1"}, "4-7"},
      {{"--source", "-", "--score"}, "--source scene"},
      {{"--source", "scene", "--garments", "/nowhere"}, "demo/pictures.py"},
      {{"--source", "/dev/null"}, "not a V4L2 camera"},
      {{"--source", "-", "--plan", "int4"}, "int8"},
      {{"--source", "-", "--metrics", "9x"}, "'9x' is not a port from 0 to 65535"},
      {{"--source", "-", "--metrics", "board:9110"}, "'board' is not a numeric address"},
  };
  for (const auto& [arguments, text] : cases) {
    Start(arguments);
    EXPECT_EQ(Finish(), 2) << text;
    const std::string errors = Read("err");
    EXPECT_NE(errors.find(text), std::string::npos) << errors;
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
  }
}

}  // namespace
}  // namespace octet::test
