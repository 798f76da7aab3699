#include "ports/linux/whitelist.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "ports/linux/file.h"
#include "ports/linux/model.h"
#include "runtime/format/view.h"

namespace octet::port {
namespace {

struct Word {
  const char* name;
  uint32_t bit;
};
struct List {
  const char* name;
  uint32_t octet_board::*field;
  std::vector<Word> words;
};
const List kLists[] = {
    {"precisions",
     &octet_board::precisions,
     {{"int8", OCTET_BOARD_INT8}, {"fp16", OCTET_BOARD_FP16}}},
    {"weight_schemes",
     &octet_board::weight_schemes,
     {{"per_tensor", OCTET_BOARD_PER_TENSOR},
      {"per_channel", OCTET_BOARD_PER_CHANNEL},
      {"group", OCTET_BOARD_GROUP}}},
    {"activation_schemes",
     &octet_board::activation_schemes,
     {{"symmetric", OCTET_BOARD_SYMMETRIC}, {"asymmetric", OCTET_BOARD_ASYMMETRIC}}}};

// Those of the list whose bits are set; 0: all of them.
std::string WordsOf(const List& list, uint32_t bits) {
  std::string text;
  for (const Word& word : list.words) {
    if (bits == 0 || (bits & word.bit) != 0)
      text += std::string(text.empty() ? "" : " ") + word.name;
  }
  return text;
}

bool IsName(const std::string& word) {
  return !word.empty() && word.size() < sizeof(octet_board::compatible) &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

[[noreturn]] void Bad(const std::string& where, int line, const std::string& what) {
  throw InputError(where + ", line " + std::to_string(line) + ": " + what +
                   "; octet boards --whitelist writes such a file");
}

octet_board Named(const std::string& name) {
  octet_board board{};
  std::copy(name.begin(), name.end(), board.compatible);
  return board;
}

}  // namespace

octet_board ParseWhitelist(const std::string& text, const std::string& where) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  if (!IsName(line)) {
    Bad(where, 1,
        "'" + line + "' is not a board name; use at most 23 characters of a-z, 0-9 and -");
  }
  octet_board board = Named(line);
  for (int number = 2; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    const List* list = std::find_if(std::begin(kLists), std::end(kLists),
                                    [&](const List& known) { return name == known.name; });
    if (list == std::end(kLists)) {
      Bad(where, number,
          "'" + line + "': expected precisions, weight_schemes or activation_schemes");
    }
    uint32_t& bits = board.*list->field;
    if (bits != 0) Bad(where, number, name + " is listed twice");
    for (std::string word; words >> word;) {
      const auto known = std::find_if(list->words.begin(), list->words.end(),
                                      [&](const Word& one) { return word == one.name; });
      if (known == list->words.end()) {
        Bad(where, number, "'" + word + "' is not one of " + WordsOf(*list, 0));
      }
      bits |= known->bit;
    }
    if (bits == 0) Bad(where, number, name + " allows nothing");
  }
  return board;
}

octet_board ReadWhitelist(const std::string& word) {
  struct stat info;
  const bool is_file = stat(word.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  if (!is_file && IsName(word)) return Named(word);
  const MappedFile file(word);
  return ParseWhitelist({reinterpret_cast<const char*>(file.data()), file.bytes()}, word);
}

std::string WhitelistText(const std::string& name, const std::vector<std::string>& precisions,
                          const std::vector<std::string>& weight_schemes,
                          const std::vector<std::string>& activation_schemes) {
  std::string text = name + "\n";
  const std::vector<std::string>* const listed[] = {&precisions, &weight_schemes,
                                                    &activation_schemes};
  for (size_t i = 0; i < std::size(listed); ++i) {
    if (listed[i]->empty()) continue;
    text += kLists[i].name;
    for (const std::string& word : *listed[i]) text += " " + word;
    text += "\n";
  }
  return text;
}

std::string WhyNotOn(const octet_board& board, const void* blob, size_t blob_bytes,
                     uint32_t plan_mask) {
  octet_board_finding found{};
  const octet_status status = octet_board_check(blob, blob_bytes, plan_mask, &board, &found);
  if (status.code != OCTET_OK) {
    return std::string("cannot be checked against the board's whitelist: ") +
           octet_code_name(status.code);
  }
  if (found.rule == OCTET_BOARD_OK) return "";
  const std::string name = board.compatible;
  const std::string way_out = "; convert the model with --board " + name;
  if (found.rule == OCTET_BOARD_NAME) {
    return std::string("made for ") + found.board + ", and this board is " + name + way_out;
  }
  BlobView view{};
  std::string plan = std::to_string(found.plan);
  if (IsOk(ViewBlob(blob, blob_bytes, &view))) plan = StringAt(view, view.plans[found.plan].name);
  const std::string at = "plan " + plan + ": " +
                         (found.rule == OCTET_BOARD_WEIGHTS ? "layer '" : "tensor '") +
                         found.where + "' ";
  const List& list = kLists[found.rule - OCTET_BOARD_PRECISION];
  std::string what;
  if (found.rule == OCTET_BOARD_PRECISION) {
    what = "is " + WordsOf(list, found.precision);
  } else if (found.rule == OCTET_BOARD_WEIGHTS) {
    what = "has per_channel weights";
  } else {
    what = "is asymmetric (zero point " + std::to_string(found.zero_point) + ")";
  }
  // No file of a board makes a blob without FP16: it is a plan of its own.
  const bool is_half = found.rule == OCTET_BOARD_PRECISION && found.precision == OCTET_BOARD_FP16;
  return at + what + ", and " + name + " allows " + list.name + " " +
         WordsOf(list, board.*list.field) +
         (is_half ? "; convert the model with --int8-everywhere, and run only its int8 plan"
                  : way_out);
}

void RequireAllowed(const octet_board& board, const Model& model, const std::string& path) {
  const std::string why = WhyNotOn(board, model.blob().base, model.blob_bytes(), model.plan_mask());
  if (!why.empty()) throw InputError(path + ": " + why);
}

}  // namespace octet::port
