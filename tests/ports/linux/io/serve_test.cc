// What octet-serve reads, with every call failing once: one line, no descriptor left open, and the
// next try is good. (Of the sockets libzmq and libmicrohttpd are the owners.)
#include "ports/linux/serve/access/token.h"
#include "ports/linux/serve/engine/label_map.h"
#include "ports/linux/serve/engine/served.h"
#include "tests/ports/linux/io/io_matrix.h"

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

}  // namespace
}  // namespace octet::test
