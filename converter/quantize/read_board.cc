#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <string>

#include "converter/quantize/scheme.h"
#include "converter/support/error.h"
#include "runtime/format/blob.h"

namespace octet::quantize {
namespace {

bool IsName(const std::string& text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

std::string FirstWord(const std::string& text) {
  return text.substr(0, text.find_first_of(" \n"));
}

}  // namespace

Board ReadBoard(const std::string& path) {
  Board result;
  try {
    const YAML::Node board = YAML::LoadFile(path);
    // Several lines without a key are one text to YAML, as the few lines that boards keep are.
    if (board.IsScalar()) {
      Fail(
          "{}: a plain text whitelist (octet boards --whitelist), not a board's YAML file; give "
          "the board's file, such as boards/{}.yaml of the sources",
          path, IsName(FirstWord(board.Scalar())) ? FirstWord(board.Scalar()) : "raspberry-pi-4");
    }
    if (!board.IsMap() && !board.IsNull()) {
      Fail("{}: not a board's YAML file; fields such as `compatible: NAME` are expected", path);
    }
    if (board["compatible"]) {
      result.compatible = board["compatible"].as<std::string>();
      constexpr size_t kMostBytes = sizeof(blob::Header::board) - 1;
      if (result.compatible.size() > kMostBytes || !IsName(result.compatible)) {
        Fail(
            "{}: compatible: '{}' is not a board name; use at most {} characters of a-z, 0-9 and -",
            path, result.compatible, kMostBytes);
      }
    }
    if (board["winograd"]) result.winograd = board["winograd"].as<bool>();
    if (board["fp16_arithmetic"]) {
      const auto word = board["fp16_arithmetic"].as<std::string>();
      if (word != "storage" && word != "native" && word != "winograd") {
        Fail("{}: fp16_arithmetic: '{}' is not one of storage, native, winograd", path, word);
      }
      result.native_fp16 = word == "native";
      result.winograd_fp16 = word == "winograd";
    }
    const YAML::Node allowed = board["whitelist"];
    const auto lists = [&allowed](const char* field, const std::string& word) {
      if (!allowed || !allowed[field]) return true;
      const YAML::Node words = allowed[field];
      return std::any_of(words.begin(), words.end(),
                         [&](const YAML::Node& entry) { return entry.as<std::string>() == word; });
    };
    const bool listed = allowed && allowed["weight_schemes"];
    result.weights.per_channel = lists("weight_schemes", "per_channel");
    result.weights.group = listed && lists("weight_schemes", "group");
    if (!result.weights.per_channel && !result.weights.group &&
        !lists("weight_schemes", "per_tensor")) {
      Fail("{}: whitelist.weight_schemes: expected per_tensor, per_channel or group", path);
    }
    if (!lists("precisions", "int8") || !lists("precisions", "fp16")) {
      Fail("{}: the board's whitelist must allow int8 and fp16; a blob holds both plans", path);
    }
    result.symmetric_only = !lists("activation_schemes", "asymmetric");
  } catch (const YAML::Exception& error) {
    Fail("{}: cannot be read as a board file: {}", path, error.what());
  }
  return result;
}

}  // namespace octet::quantize
