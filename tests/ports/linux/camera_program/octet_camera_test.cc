// octet-camera as a program: streams that end, break, change and lie; signals; the page.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/mixed_blob.h"

namespace octet::test {
namespace {

namespace fs = std::filesystem;

class Camera : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "octet-camera-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    const Blob blob = MakeMixedBlob();
    std::ofstream(Path("m.octet"), std::ios::binary)
        .write(reinterpret_cast<const char*>(blob.data()),
               static_cast<std::streamsize>(blob.size()));
    signal(SIGPIPE, SIG_IGN);
  }
  void TearDown() override {
    if (child_ > 0) kill(child_, SIGKILL), waitpid(child_, nullptr, 0);
    fs::remove_all(folder_);
  }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  // Starts the program with stdin from a pipe; its stdout and stderr go to files.
  void Start(std::vector<std::string> arguments) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    child_ = fork();
    if (child_ == 0) {
      dup2(ends[0], STDIN_FILENO);
      close(ends[0]);
      close(ends[1]);
      if (std::freopen(Path("out").c_str(), "w", stdout) == nullptr) _exit(99);
      if (std::freopen(Path("err").c_str(), "w", stderr) == nullptr) _exit(99);
      arguments.insert(arguments.begin(), {OCTET_BIN_DIR "/octet-camera", Path("m.octet")});
      std::vector<char*> words;
      for (std::string& word : arguments) words.push_back(word.data());
      words.push_back(nullptr);
      execv(words[0], words.data());
      _exit(98);
    }
    close(ends[0]);
    input_ = ends[1];
  }
  void Send(const std::string& bytes) const {
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t count = write(input_, bytes.data() + done, bytes.size() - done);
      if (count <= 0) return;
      done += static_cast<size_t>(count);
    }
  }
  // Closes stdin and waits for the end.
  int Finish() {
    close(input_);
    return Wait();
  }
  int Wait() {
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::string Read(const char* name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<nlohmann::json> Lines() const {
    std::vector<nlohmann::json> lines;
    std::istringstream text(Read("out"));
    for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }
  // Waits until the output has so many lines, or 10 seconds.
  void AwaitLines(size_t count) const {
    for (int i = 0; i < 1000; ++i) {
      const std::string text = Read("out");
      if (static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) >= count) return;
      usleep(10000);
    }
    FAIL() << "no " << count << " lines: " << Read("out") << Read("err");
  }

  fs::path folder_;
  pid_t child_ = 0;
  int input_ = -1;
};

std::string Y4m(int width, int height, int frames) {
  std::string text =
      "YUV4MPEG2 W" + std::to_string(width) + " H" + std::to_string(height) + " C420jpeg\n";
  const auto bytes =
      static_cast<size_t>(width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2));
  for (int i = 0; i < frames; ++i)
    text += "FRAME\n" + std::string(bytes, static_cast<char>(90 + i));
  return text;
}

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

TEST_F(Camera, GarbageEndsWithOneLine) {
  Start({"--source", "-", "--json"});
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

std::string Get(uint16_t port, const std::string& path, size_t most) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
    send(descriptor, request.data(), request.size(), MSG_NOSIGNAL);
    char bytes[4096];
    for (ssize_t count;
         answer.size() < most && (count = recv(descriptor, bytes, sizeof(bytes), 0)) > 0;) {
      answer.append(bytes, static_cast<size_t>(count));
    }
  }
  close(descriptor);
  return answer;
}

TEST_F(Camera, PageStatusAndPictures) {
  Start({"--source", "-", "--json", "--http", "0"});
  Send(Y4m(64, 48, 1));
  AwaitLines(1);
  const std::string errors = Read("err");
  const size_t at = errors.find("127.0.0.1:");
  ASSERT_NE(at, std::string::npos) << errors;
  const auto port = static_cast<uint16_t>(std::stoi(errors.substr(at + 10)));
  EXPECT_NE(Get(port, "/", 1 << 16).find("<img src=/stream"), std::string::npos);
  const std::string status = Get(port, "/status.json", 1 << 16);
  EXPECT_EQ(nlohmann::json::parse(status.substr(status.find("\r\n\r\n")))["frame"], 0);
  EXPECT_NE(Get(port, "/nothing", 1 << 16).find("404"), std::string::npos);
  // Pictures come with the next frames.
  std::string stream;
  std::thread viewer([&] { stream = Get(port, "/stream", 3000); });
  for (int i = 0; i < 50; ++i) {
    Send("FRAME\n" + std::string(64 * 48 * 3 / 2, static_cast<char>(50 + i)));
    usleep(20000);
  }
  EXPECT_EQ(Finish(), 0);
  viewer.join();
  EXPECT_NE(stream.find("multipart/x-mixed-replace"), std::string::npos);
  EXPECT_NE(stream.find("image/jpeg"), std::string::npos);
  EXPECT_NE(stream.find("\xFF\xD8\xFF"), std::string::npos);
}

TEST_F(Camera, BadUseIsOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "no --source"},
      {{"--source", "nowhere"}, "no such file"},
      {{"--source", "-", "--format", "nv12"}, "--size"},
      {{"--source", "-", "--format", "h264"}, "y4m"},
      {{"--source", "-", "--isa", "sse"}, "--isa list"},
      {{"--source", "-", "--cpus", "3-1"}, "4-7"},
      {{"--source", "-", "--score"}, "--source scene"},
      {{"--source", "scene", "--garments", "/nowhere"}, "demo/pictures.py"},
      {{"--source", "/dev/null"}, "no V4L2 camera"},
      {{"--source", "-", "--plan", "int4"}, "int8"},
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
