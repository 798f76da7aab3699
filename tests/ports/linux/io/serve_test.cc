// What octet-serve reads, with every call failing once: one line, no descriptor left open, and the
// next try is good. (Of the sockets libzmq and libmicrohttpd are the owners, but for the look at
// clients that have gone.)
#include "ports/linux/serve/access/token.h"
#include "ports/linux/serve/engine/label_map.h"
#include "ports/linux/serve/engine/served.h"
#include "ports/linux/serve/web/server.h"
#include "tests/ports/linux/io/io_matrix.h"
#include "tests/support/http_client.h"

namespace octet::test {
namespace {

TEST_F(IoMatrix, ServesFiles) {
  const std::string token = Path("token"), labels = Path("labels");
  WriteText("token", "0123456789abcdef\n");
  WriteText("labels", "0 person\n1 cat\n");
  const auto read_token = [&] { return port::serve::Token(token).Accepts("0123456789abcdef"); };
  const auto read_labels = [&] {
    return port::serve::ReadLabelMap(labels).NumbersOf({"cat"}).NumberOf(0) == 1;
  };
  Each(
      "token", [] {}, read_token, [&](Ended) { EXPECT_TRUE(read_token()); });
  Each(
      "label map", [] {}, read_labels, [&](Ended) { EXPECT_TRUE(read_labels()); });
}

TEST_F(IoMatrix, ServesAModel) {
  std::filesystem::create_directories(Store());
  WriteBlob("store/model.octet", first_);
  const auto load = [&] {
    const port::serve::Served served(Path("store/model.octet"), false, 2);
    return served.facts().name == "model";
  };
  Each(
      "served model", [] {}, load, [&](Ended) { EXPECT_TRUE(load()); });
}

class NoSite final : public port::serve::WebSite {
 public:
  std::optional<port::serve::WebReply> Begin(const port::serve::WebRequest&) override {
    return port::serve::ErrorReply(404, "");
  }
  void Answer(const std::shared_ptr<port::serve::Exchange>&) override {}
};

// Behind a look that failed, the next ones close what has gone, and nobody else.
TEST_F(IoMatrix, ServesClientsThatGo) {
  NoSite site;
  port::serve::WebServer server("--http 0", port::http::ReadAddress("--http", "0"), &site, {});
  const auto await = [&](size_t count) {
    for (int i = 0; i < 4000 && server.connections() != count; ++i) usleep(5000);
    return server.connections() == count;
  };
  const int stays = Connect(server.address().port);
  const auto sweep = [&] { server.Sweep(port::NowNs()); };
  EXPECT_TRUE(await(1));
  for (const Fault fault : kAllFaults) {
    bool fired = true;
    for (uint64_t number = 0; fired; ++number) {
      SCOPED_TRACE(std::string(FaultName(fault)) + " at call " + std::to_string(number));
      const int gone = Connect(server.address().port);
      EXPECT_EQ(send(gone, "GET", 3, MSG_NOSIGNAL), 3);
      EXPECT_TRUE(await(2));
      close(gone);
      {
        const FailingCall failing(number, fault);
        sweep(), sweep();
        fired = failing.fired();
      }
      for (int i = 0; i < 4000 && server.connections() != 1; ++i) sweep(), usleep(1000);
      ASSERT_EQ(server.connections(), 1u);
    }
  }
  close(stays);
  EXPECT_TRUE(await(0));
}

}  // namespace
}  // namespace octet::test
