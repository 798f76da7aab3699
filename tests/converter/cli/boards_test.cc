// octet boards: the files of the sources, this machine, and files of one's own.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include <onnx/onnx_pb.h>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"
#include "tests/support/onnx_builder.h"

namespace octet::test {
namespace {

using nlohmann::json;

class Boards : public Cli {
 protected:
  // A machine's /proc with this device tree.
  std::string Root(const std::string& device_tree) const {
    std::filesystem::create_directories(Path("root/proc/device-tree"));
    WriteText("root/proc/device-tree/compatible", device_tree);
    return Path("root");
  }
  static json Marked(const json& list) {
    json marked = json::array();
    for (const json& board : list["boards"]) {
      if (board["this_machine"].get<bool>()) marked.push_back(board["compatible"]);
    }
    return marked;
  }
};

TEST_F(Boards, OfTheSourcesWithThisMachine) {
  const std::string pi4 = Root(std::string("raspberrypi,4-model-b\0brcm,bcm2711\0", 35));
  const Result table = Octet({"boards", "--root", pi4});
  EXPECT_EQ(table.status, 0) << table.err;
  for (const char* line : {"\n* raspberry-pi-4 ", "\n  kunpeng-920 ", "\n  mps2-an386 ",
                           "\n* this machine, recognised by its device tree's "
                           "raspberrypi,4-model-b: octet convert --board "}) {
    EXPECT_NE(table.out.find(line), std::string::npos) << line << table.out;
  }
  const Result listed = Octet({"boards", "--json", "--root", pi4});
  ASSERT_EQ(listed.status, 0);
  const json all = json::parse(listed.out);
  EXPECT_EQ(Marked(all), json({"raspberry-pi-4"}));
  EXPECT_EQ(all["machine"]["device_tree"], json({"raspberrypi,4-model-b", "brcm,bcm2711"}));
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(OCTET_SOURCE_DIR "/boards")) {
    files += entry.path().extension() == ".yaml";
  }
  EXPECT_EQ(all["boards"].size(), files);
  for (const json& board : all["boards"]) {
    const bool bare = board["architecture"].get<std::string>().starts_with("armv");
    EXPECT_EQ(board.contains("memory_mib"), !bare) << board;
    EXPECT_EQ(board.contains("flash_kib"), !board.contains("memory_mib")) << board;
    EXPECT_TRUE(std::filesystem::is_regular_file(board["file"].get<std::string>()));
  }
}

TEST_F(Boards, AMachineThatIsNone) {
  const std::string root = Root(std::string("me,board\0me,soc\0", 16));
  const Result table = Octet({"boards", "--root", root});
  EXPECT_EQ(table.status, 0);
  EXPECT_EQ(table.out.find('*'), std::string::npos);
  EXPECT_NE(table.out.find("this machine is not in the list; its device tree: me,board, me,soc\n"),
            std::string::npos);
  const json all = json::parse(Octet({"boards", "--root", root, "--json"}).out);
  EXPECT_EQ(Marked(all), json::array());
  EXPECT_TRUE(all["machine"]["recognised_by"].is_null());
}

TEST_F(Boards, FilesOfOnesOwn) {
  const std::string board = OCTET_SOURCE_DIR "/boards/rk3588.yaml";
  const json one = json::parse(Octet({"boards", board, "--json"}).out);
  ASSERT_EQ(one["boards"].size(), 1u);
  EXPECT_EQ(one["boards"][0]["file"], board);
  EXPECT_EQ(one["boards"][0]["thermal"]["enter_c"].dump(), "60");
  EXPECT_TRUE(one["boards"][0]["latency_budget_ms"].is_null());
  ExpectRefused(Octet({"boards", Path("absent.yaml")}), "absent.yaml: no such file");
  std::filesystem::create_directory(Path("empty"));
  ExpectRefused(Octet({"boards", Path("empty")}), "empty: no .yaml file in this folder");
  ExpectRefused(Octet({"boards", "--root", Path("absent")}), "--root");
  WriteText("broken.yaml", "compatible: x\nbrand: y\n");
  ExpectRefused(Octet({"boards", Path("broken.yaml")}), "broken.yaml:2: brand: no such field");
  // What convert would say of its guard.
  std::ifstream original(board);
  const std::string text{std::istreambuf_iterator<char>(original), {}};
  WriteText("guard.yaml", text + "guard: {trip_frames: no}\n");
  ExpectRefused(Octet({"boards", Path("guard.yaml")}), "guard.trip_frames: 'no'");
  WriteText("guard.yaml", text + "guard: {trip_frames: 7}\n");
  EXPECT_EQ(json::parse(Octet({"boards", Path("guard.yaml"), "--json"}).out)["boards"][0]["guard"],
            json({{"trip_frames", "7"}}));
  // A broken one hides no other.
  const Result both = Octet({"boards", Path("broken.yaml"), board});
  EXPECT_EQ(both.status, 2);
  EXPECT_NE(both.err.find("broken.yaml:2: brand: no such field"), std::string::npos);
  EXPECT_EQ(std::count(both.err.begin(), both.err.end(), '\n'), 1);
  EXPECT_NE(both.out.find("  rk3588 "), std::string::npos);
}

// What two boards allow of each other's models: the demo's classifier, converted for each.
TEST_F(Boards, WhitelistsOfRealModels) {
  WriteNpy("d.npy", "|u1", {4, 28, 28, 1});
  const auto path = [this](const std::string& name) { return Path(name); };
  const auto run = [&](const std::string& model, const std::string& board) {
    const int status = std::system((OCTET_BIN_DIR "/octet-run " + path(model + ".octet") +
                                    " --input " + path("d.npy") + " --output " + path("y.npy") +
                                    " --board " + path(board) + " >/dev/null 2>" + path("said"))
                                       .c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : ReadText("said");
  };
  for (const std::string board : {"jetson-nano", "raspberry-pi-5"}) {
    ASSERT_EQ(Octet({"convert", OCTET_SOURCE_DIR "/demo/fashion_mnist.onnx", "-o",
                     Path(board + ".octet"), "--calibrate", Path("d.npy"), "--board",
                     OCTET_SOURCE_DIR "/boards/" + board + ".yaml"})
                  .status,
              0);
    const Result written = Octet({"boards", board, "--whitelist", Path(board)});
    ExpectFacts(written.out, {Path(board) + ": ", board, "--board " + Path(board), "`board`"});
    // The same list under the other's name: what is left is what the schemes say.
    const std::string other = board == "jetson-nano" ? "raspberry-pi-5" : "jetson-nano";
    WriteText("as-" + other, other + ReadText(board).substr(board.size()));
  }
  EXPECT_EQ(ReadText("jetson-nano"),
            "jetson-nano\nprecisions int8 fp16\nweight_schemes per_tensor per_channel\n"
            "activation_schemes symmetric\n");
  EXPECT_EQ(run("jetson-nano", "jetson-nano"), "");
  EXPECT_EQ(run("raspberry-pi-5", "raspberry-pi-5"), "");
  EXPECT_NE(run("jetson-nano", "raspberry-pi-5")
                .find(": made for jetson-nano, and this board is raspberry-pi-5; "),
            std::string::npos);
  EXPECT_EQ(run("jetson-nano", "as-jetson-nano"), "") << "symmetric is allowed everywhere";
  const std::string refused = run("raspberry-pi-5", "as-raspberry-pi-5");
  EXPECT_NE(refused.find(" is asymmetric (zero point "), std::string::npos) << refused;
  EXPECT_EQ(std::count(refused.begin(), refused.end(), '\n'), 1);
}

TEST_F(Boards, WhitelistOfWhichBoard) {
  const std::string pi4 = Root(std::string("raspberrypi,4-model-b\0", 22));
  EXPECT_EQ(Octet({"boards", "--root", pi4, "--whitelist", Path("here")}).status, 0);
  EXPECT_EQ(ReadText("here").rfind("raspberry-pi-4\n", 0), 0u);
  ExpectRefused(
      Octet({"boards", "--root", Root(std::string("me,board\0", 9)), "--whitelist", Path("none")}),
      "--whitelist: this machine is not in the list of boards; name a board");
  ExpectRefused(Octet({"boards", "rk3588", "jetson-nano", "--whitelist", Path("none")}),
                "--whitelist: 2 boards are named; name one");
  ExpectRefused(Octet({"boards", "rk35888", "--whitelist", Path("none")}), "rk35888: no such file");
  EXPECT_FALSE(std::filesystem::exists(Path("none")));
}

// Codes that a model brings along are kept bit for bit, also where the board has no such scheme.
TEST_F(Boards, ModelsWithZeroPointsOfTheirOwn) {
  for (const int zero_point : {0, 3}) {
    OnnxBuilder model(13);
    model.Input("x", {1, 3, 8, 8});
    model.Initializer("s", {}, std::vector<float>{0.02f});
    onnx::TensorProto& zero = *model.Proto().mutable_graph()->add_initializer();
    zero.set_name("z");
    zero.set_data_type(onnx::TensorProto::INT8);
    zero.add_int32_data(zero_point);
    model.Node("QuantizeLinear", {"x", "s", "z"}, {}, {"q"});
    model.Node("DequantizeLinear", {"q", "s", "z"}, {}, {"d"});
    OnnxValue(&model, "d", 3).Conv({.channels = 8, .kernel = 3, .pad = 1}).Output("y");
    model.Save(Path("q.onnx"));
    const Result result =
        Convert("q.onnx", {"--board", OCTET_SOURCE_DIR "/boards/jetson-nano.yaml"});
    if (zero_point == 0) {
      EXPECT_EQ(result.status, 0) << result.err;
      std::filesystem::remove(Path("out.octet"));
    } else {
      ExpectRefused(result,
                    "q.onnx: tensor 'x' has its own zero point 3, jetson-nano allows symmetric "
                    "activations only; convert the model as it was before quantization");
    }
  }
}

}  // namespace
}  // namespace octet::test
