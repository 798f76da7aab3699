#include "ports/linux/serve/deepstack/multipart.h"

#include <algorithm>

#include "ports/linux/http/request.h"

namespace octet::port::serve {
namespace {

using http::SameWord;

constexpr size_t kLongestBoundary = 70;  // RFC 2046, 5.1.1
constexpr size_t kLongestHead = 8192;

// Blanks, and the line ends of a header that goes on in the next line.
constexpr const char* kBlanks = " \t\r\n";

// "form-data; name=\"image\"; filename=x": takes the next of its parts off. A quoted value comes
// without its quotes; what a backslash escapes stays escaped.
struct Parameter {
  std::string_view name, value;
  bool has_value = false;
};
Parameter TakeParameter(std::string_view* text) {
  Parameter parameter;
  size_t at = 0;
  while (at < text->size() && (*text)[at] != ';' && (*text)[at] != '=') ++at;
  parameter.name = Trimmed(text->substr(0, at));
  if (at < text->size() && (*text)[at] == '=') {
    parameter.has_value = true;
    at = std::min(text->find_first_not_of(kBlanks, at + 1), text->size());
    const size_t first = at;
    if (at < text->size() && (*text)[at] == '"') {
      ++at;
      while (at < text->size() && (*text)[at] != '"') at += (*text)[at] == '\\' ? 2 : 1;
      at = std::min(at, text->size());
      parameter.value = text->substr(first + 1, at - first - 1);
    }
    const size_t end = std::min(text->find(';', at), text->size());
    if (parameter.value.data() == nullptr) {
      parameter.value = Trimmed(text->substr(first, end - first));
    }
    at = end;
  }
  text->remove_prefix(std::min(at + 1, text->size()));
  return parameter;
}

// Takes a header off; one whose next line begins with a blank goes on there.
std::string_view TakeHeader(std::string_view* head) {
  size_t end = head->find('\n');
  while (end < head->size() - 1 && ((*head)[end + 1] == ' ' || (*head)[end + 1] == '\t')) {
    end = head->find('\n', end + 1);
  }
  end = std::min(end, head->size());
  const std::string_view header = head->substr(0, end);
  head->remove_prefix(std::min(end + 1, head->size()));
  return header;
}

// The lines between a boundary and a part's data. False: no name.
bool ReadHead(std::string_view head, FormPart* part) {
  bool named = false;
  while (!head.empty()) {
    const std::string_view line = TakeHeader(&head);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos ||
        !SameWord(Trimmed(line.substr(0, colon)), "content-disposition")) {
      continue;
    }
    std::string_view rest = line.substr(colon + 1);
    if (!SameWord(TakeParameter(&rest).name, "form-data")) return false;
    while (!rest.empty()) {
      const Parameter parameter = TakeParameter(&rest);
      if (SameWord(parameter.name, "name") && parameter.has_value) {
        part->name = parameter.value;
        named = true;
      } else if (SameWord(parameter.name, "filename") || SameWord(parameter.name, "filename*")) {
        part->is_file = true;
      }
    }
  }
  return named;
}

}  // namespace

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string_view BoundaryOf(std::string_view content_type) {
  if (!SameWord(TakeParameter(&content_type).name, "multipart/form-data")) return {};
  while (!content_type.empty()) {
    const Parameter parameter = TakeParameter(&content_type);
    if (!SameWord(parameter.name, "boundary")) continue;
    return parameter.value.size() <= kLongestBoundary ? parameter.value : std::string_view();
  }
  return {};
}

bool ReadForm(std::string_view body, std::string_view boundary, std::vector<FormPart>* parts,
              std::string* why) {
  parts->clear();
  const auto bad = [why](const char* what) {
    *why = what;
    return false;
  };
  const std::string line = "--" + std::string(boundary);
  // The first boundary begins the body, or a line behind what does not count.
  size_t at = 0;
  if (body.substr(0, line.size()) != line) {
    at = body.find("\n" + line);
    if (at == std::string_view::npos) return bad("the form has no boundary; send it whole");
    ++at;
  }
  at += line.size();
  // Some clients end lines with LF alone: then all of them, as the first one shows.
  const size_t first_end = body.find('\n', at);
  const bool is_bare = first_end == at || (first_end < body.size() && body[first_end - 1] != '\r');
  const std::string newline = is_bare ? "\n" : "\r\n";
  const std::string delimiter = newline + line;
  for (;;) {
    if (body.substr(at, 2) == "--") return true;
    const size_t line_end = body.find(newline, at);
    if (line_end == std::string_view::npos ||
        body.substr(at, line_end - at).find_first_not_of(" \t") != std::string_view::npos) {
      return bad("the form has bytes behind a boundary; send it whole");
    }
    // A part without any header has an empty line at once.
    const size_t head_end = body.find(newline + newline, line_end);
    if (head_end == std::string_view::npos)
      return bad("a part of the form has no end; send it whole");
    if (head_end - line_end > kLongestHead)
      return bad("a part of the form has a head that is too long");
    const size_t first = head_end + 2 * newline.size();
    const size_t end = body.find(delimiter, head_end + newline.size());
    if (end == std::string_view::npos) return bad("a part of the form has no end; send it whole");
    if (parts->size() == kMostParts) return bad("the form has more than 64 parts; send fewer");
    FormPart part;
    const size_t head_begin = std::min(line_end + newline.size(), head_end);
    if (!ReadHead(body.substr(head_begin, head_end - head_begin), &part)) {
      return bad("a part of the form has no name; send Content-Disposition: form-data; name=...");
    }
    // Of an empty part the line end in front of the boundary may be that of the head.
    part.data = body.substr(std::min(first, end), end > first ? end - first : 0);
    parts->push_back(part);
    at = end + delimiter.size();
  }
}

}  // namespace octet::port::serve
