#include "ports/linux/tracks/zone_words.h"

#include <charconv>
#include <cmath>
#include <sstream>
#include <string_view>

#include "ports/linux/output/error.h"
#include "ports/linux/words/numbers.h"

namespace octet::port {
namespace {

constexpr size_t kLongestName = 40;

// What is left is nothing. False: it is not a number of this range.
bool ReadReal(std::string_view text, double least, double most, double* number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && rest == text.data() + text.size() && *number >= least &&
         *number <= most;
}

bool ReadPoint(std::string_view word, octet_zone_point* point) {
  const size_t comma = word.find(',');
  double x = 0, y = 0;
  if (comma == std::string_view::npos || !ReadReal(word.substr(0, comma), 0, 1, &x) ||
      !ReadReal(word.substr(comma + 1), 0, 1, &y)) {
    return false;
  }
  *point = {static_cast<int32_t>(std::lround(x * OCTET_ZONES_PICTURE)),
            static_cast<int32_t>(std::lround(y * OCTET_ZONES_PICTURE))};
  return true;
}

bool ReadAnchor(std::string_view value, octet_zone* zone) {
  static constexpr std::string_view kAnchors[] = {"bottom", "centre", "top"};
  for (octet_zone_anchor anchor = 0; anchor < std::size(kAnchors); ++anchor) {
    if (value != kAnchors[anchor]) continue;
    zone->anchor = anchor;
    return true;
  }
  return false;
}

// What is wrong with NAME=VALUE, or "".
std::string ReadSetting(std::string_view name, std::string_view value, octet_zone* zone) {
  double number = 0;
  if (name == "anchor") {
    return ReadAnchor(value, zone) ? "" : "expected anchor=bottom, anchor=centre or anchor=top";
  }
  if (name == "frames") {
    const bool good = ReadNumbers(value, '/', {&zone->frames, &zone->window}) &&
                      zone->frames != 0 && zone->frames <= zone->window && zone->window <= 32;
    return good ? "" : "expected frames=N/M with 1 <= N <= M <= 32";
  }
  if (name == "band") {
    if (!ReadReal(value, 0, 1, &number)) return "expected band= with a number from 0 to 1";
    zone->band = static_cast<uint32_t>(std::lround(number * 65536));
    return "";
  }
  if (name == "update") {
    if (!ReadReal(value, 0, 86400, &number)) return "expected update= with seconds, at most 86400";
    zone->update_ms = static_cast<uint32_t>(std::lround(number * 1000));
    return "";
  }
  return "no such setting; use anchor, frames, band or update";
}

bool IsName(std::string_view name) {
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-') return false;
  }
  return !name.empty() && name.size() <= kLongestName;
}

}  // namespace

NamedZone ReadZone(const std::string& words, const std::string& option, bool is_line) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(option + " '" + words + "': " + why);
  };
  NamedZone read;
  octet_zone_defaults(&read.zone);
  const size_t equals = words.find('=');
  read.name = words.substr(0, equals);
  if (equals == std::string::npos || !IsName(read.name)) {
    refuse("expected NAME=X,Y X,Y ... with a name of letters, digits, _ and -");
  }
  std::istringstream rest(words.substr(equals + 1));
  for (std::string word; rest >> word;) {
    octet_zone_point point;
    const size_t middle = word.find('=');
    if (middle != std::string::npos) {
      const std::string why =
          ReadSetting(word.substr(0, middle), word.substr(middle + 1), &read.zone);
      if (!why.empty()) refuse(word + ": " + why);
    } else if (!ReadPoint(word, &point)) {
      refuse(word + ": expected X,Y in shares of the picture, from 0 to 1");
    } else {
      read.points.push_back(point);
    }
  }
  const size_t count = read.points.size();
  if (is_line && count != 2) refuse("a line has 2 points, not " + std::to_string(count));
  if (!is_line && (count < 3 || count > OCTET_ZONES_MOST_POINTS)) {
    refuse("a zone has 3 to " + std::to_string(OCTET_ZONES_MOST_POINTS) + " points, not " +
           std::to_string(count));
  }
  if (is_line && read.points[0].x == read.points[1].x && read.points[0].y == read.points[1].y) {
    refuse("both points are equal; give two places");
  }
  read.zone.point_count = static_cast<uint32_t>(count);
  return read;
}

std::vector<octet_zone_point> ReadPolygon(const std::string& words, const std::string& option) {
  std::vector<octet_zone_point> points;
  std::istringstream rest(words);
  for (std::string word; rest >> word;) {
    octet_zone_point point;
    if (!ReadPoint(word, &point)) {
      throw InputError(option + " '" + words + "': " + word +
                       ": expected X,Y in shares of the picture, from 0 to 1");
    }
    points.push_back(point);
  }
  if (points.size() < 3 || points.size() > OCTET_ZONES_MOST_POINTS) {
    throw InputError(option + " '" + words + "': a polygon has 3 to " +
                     std::to_string(OCTET_ZONES_MOST_POINTS) + " points, not " +
                     std::to_string(points.size()));
  }
  return points;
}

}  // namespace octet::port
