#include "ports/linux/camera/program/rtsp.h"

#include <octet_board_decoders.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "ports/linux/capture/child.h"
#include "ports/linux/file.h"
#include "ports/linux/words/shell_word.h"

namespace octet::port {
namespace {

constexpr size_t kMostPasswordBytes = 256;
constexpr const char* kInputWord = "{input}";
constexpr const char* kUrlWord = "{url}";

// Where user and password stand in an address: behind the scheme, up to the last @ before the path.
struct UserPart {
  size_t begin = 0, colon = std::string::npos, end = std::string::npos;
};
UserPart UserOf(const std::string& url) {
  UserPart user;
  const size_t scheme = url.find("://");
  if (scheme == std::string::npos) return user;
  user.begin = scheme + 3;
  const size_t path = url.find('/', user.begin);
  const size_t at = url.rfind('@', path);
  if (at == std::string::npos || at < user.begin) return user;
  user.end = at;
  const size_t colon = url.find(':', user.begin);
  if (colon < at) user.colon = colon;
  return user;
}

// RFC 3986: what is not unreserved.
std::string PercentEncoded(const std::string& text) {
  std::string encoded;
  for (const unsigned char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    char hex[4];
    std::snprintf(hex, sizeof(hex), "%%%02X", c);
    encoded += plain ? std::string(1, static_cast<char>(c)) : hex;
  }
  return encoded;
}

// Its first line.
std::string ReadPassword(const std::string& path) {
  std::ifstream file(path);
  std::string password;
  std::getline(file, password);
  if (!password.empty() && password.back() == '\r') password.pop_back();
  if (!file.is_open() || password.empty() || password.size() > kMostPasswordBytes) {
    throw InputError("--password-file " + path + ": " +
                     (file.is_open()
                          ? "has no password of at most " + std::to_string(kMostPasswordBytes) +
                                " bytes in its first line"
                          : "cannot be read; check path and permissions"));
  }
  return password;
}

// For the script of ffmpeg's concat demuxer, in single quotes.
std::string InQuotes(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void Replace(const std::string& from, const std::string& to, std::string* text) {
  for (size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size()) {
    text->replace(at, from.size(), to);
  }
}

}  // namespace

bool IsRtsp(const std::string& source) {
  return source.rfind("rtsp://", 0) == 0 || source.rfind("rtsps://", 0) == 0;
}

std::string DecoderOfBoard(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const BoardDecoder& board : kBoardDecoders) {
    // Values that each end with a zero byte.
    const std::string value(board.device_tree);
    for (size_t at = 0; at < text.size(); at += text.substr(at).find('\0') + 1) {
      if (text.compare(at, value.size() + 1, value + '\0') == 0) return board.decoder;
      if (text.find('\0', at) == std::string::npos) break;
    }
  }
  return "";
}

std::string RtspCommand(const CameraOptions& options) {
  std::string command =
      "ffmpeg -nostdin -hide_banner -loglevel error -fflags nobuffer -analyzeduration 2000000";
  if (const std::string decoder = DecoderOfBoard(); !decoder.empty()) command += " " + decoder;
  command += std::string(" ") + kInputWord + " -an -sn -dn";
  std::string filters;
  if (!std::isnan(options.fps) && options.fps > 0) {
    char text[32];
    std::snprintf(text, sizeof(text), "fps=%g", options.fps);
    filters = text;
  }
  if (const size_t x = options.size.find('x'); x != std::string::npos) {
    filters += (filters.empty() ? "scale=" : ",scale=") + options.size.substr(0, x) + ":" +
               options.size.substr(x + 1);
  }
  if (!filters.empty()) command += " -vf " + filters;
  return command + " -f yuv4mpegpipe -pix_fmt yuv420p -";
}

ChildCommand RtspChild(const CameraOptions& options) {
  ChildCommand child;
  std::string url = options.source;
  std::string input = "-rtsp_transport tcp -i " + ShellWord(url);
  const UserPart user = UserOf(url);
  std::string password;
  if (!options.password_file.empty()) {
    if (user.end == std::string::npos || user.colon != std::string::npos) {
      throw InputError("--password-file: write the user into the address, and no password: " +
                       std::string("rtsp://USER@HOST/PATH"));
    }
    password = PercentEncoded(ReadPassword(options.password_file));
    child.secrets.push_back(ReadPassword(options.password_file));
    url.insert(user.end, ":" + password);
  } else {
    password = PasswordIn(url);
  }
  if (!password.empty()) {
    child.secrets.push_back(password);
    child.input = "ffconcat version 1.0\nfile " + InQuotes(url) + "\noption rtsp_transport tcp\n";
    input =
        "-f concat -safe 0 -protocol_whitelist file,pipe,rtsp,rtsps,rtp,srtp,tcp,tls,udp,crypto "
        "-i pipe:" +
        std::to_string(Child::kInput);
  }
  std::string command = options.rtsp_command;
  Replace(kInputWord, input, &command);
  Replace(kUrlWord, ShellWord(url), &command);
  child.words = SplitWords(command);
  child.format.y4m = true;
  return child;
}

std::string PasswordIn(const std::string& source) {
  const UserPart user = UserOf(source);
  if (user.colon == std::string::npos) return "";
  return source.substr(user.colon + 1, user.end - user.colon - 1);
}

std::string WithoutPassword(const std::string& source) {
  const UserPart user = UserOf(source);
  if (user.colon == std::string::npos) return source;
  return source.substr(0, user.colon + 1) + "***" + source.substr(user.end);
}

}  // namespace octet::port
