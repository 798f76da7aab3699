#include "ports/linux/serve/v2/request.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

namespace octet::port::serve {
namespace {

using nlohmann::json;

// More elements than any body can hold.
constexpr uint64_t kMostElements = uint64_t{1} << 32;

struct Bad {
  std::string why;
};
[[noreturn]] void Refuse(const std::string& why) {
  throw Bad{why};
}

// The member; null where it is not there, or is JSON's null, which many clients send instead.
const json* Find(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string Word(const json& object, const char* name, const std::string& of) {
  const json* word = Find(object, name);
  if (word == nullptr || !word->is_string()) {
    Refuse(of + ": " + name + " is missing or no text");
  }
  return word->get<std::string>();
}

bool Flag(const json* parameters, const char* name, bool otherwise) {
  if (parameters == nullptr) return otherwise;
  const json* flag = Find(*parameters, name);
  if (flag == nullptr) return otherwise;
  if (!flag->is_boolean()) Refuse(std::string("parameter ") + name + ": send true or false");
  return flag->get<bool>();
}

const json* Parameters(const json& object, const std::string& of) {
  const json* parameters = Find(object, "parameters");
  if (parameters != nullptr && !parameters->is_object())
    Refuse(of + ": parameters is not an object");
  return parameters;
}

std::vector<uint64_t> Shape(const json& input, const std::string& of, uint64_t* count) {
  const json* shape = Find(input, "shape");
  if (shape == nullptr || !shape->is_array() || shape->size() > kMostV2Rank) {
    Refuse(of + ": shape is not a list of at most " + std::to_string(kMostV2Rank) + " numbers");
  }
  std::vector<uint64_t> dims;
  *count = 1;
  for (const json& dim : *shape) {
    if (!dim.is_number_unsigned()) Refuse(of + ": shape has something else than whole numbers");
    dims.push_back(dim.get<uint64_t>());
    if (dims.back() != 0 && *count > kMostElements / dims.back()) {
      Refuse(of + ": shape has more elements than a request can hold");
    }
    *count *= dims.back();
  }
  return dims;
}

// Walks nested or flat lists in row-major order, without calling itself for each level.
template <typename Act>
void EachNumber(const json& data, uint64_t count, const std::string& of, Act act) {
  struct Level {
    const json* list;
    size_t next;
  };
  if (!data.is_array()) Refuse(of + ": data is not a list");
  std::vector<Level> open = {{&data, 0}};
  uint64_t seen = 0;
  while (!open.empty()) {
    Level& level = open.back();
    if (level.next == level.list->size()) {
      open.pop_back();
      continue;
    }
    const json& item = (*level.list)[level.next++];
    if (item.is_array()) {
      if (open.size() > kMostV2Rank) Refuse(of + ": data has too many levels of lists");
      open.push_back({&item, 0});
      continue;
    }
    if (!item.is_number()) Refuse(of + ": data has something else than numbers");
    if (++seen > count) break;
    act(item.get<double>());
  }
  if (seen != count) {
    Refuse(of + ": data has " +
           (seen > count ? "more than " : std::to_string(seen) + " numbers, not ") +
           std::to_string(count) + ", which its shape has");
  }
}

void ReadData(const json& data, uint64_t count, const std::string& of, V2Input* input) {
  if (input->is_bytes) {
    EachNumber(data, count, of, [&](double value) {
      if (!(value >= 0 && value <= 255) || value != std::floor(value)) {
        Refuse(of + ": data of UINT8 has a number that is not 0 to 255");
      }
      input->listed.push_back(static_cast<uint8_t>(value));
    });
    return;
  }
  EachNumber(data, count, of, [&](double value) {
    // The shortest text of the largest float is, as a double, a little more than it.
    constexpr double kMost = std::numeric_limits<float>::max();
    constexpr double kHalfStep = 0x1p103;
    if (std::abs(value) >= kMost + kHalfStep) {
      Refuse(of + ": data has a number that FP32 does not hold");
    }
    input->floats.push_back(static_cast<float>(std::clamp(value, -kMost, kMost)));
  });
}

void ReadBinary(const json& size, uint64_t count, const std::string& of, std::string_view* binary,
                V2Input* input) {
  const uint64_t element = input->is_bytes ? 1 : sizeof(float);
  if (!size.is_number_unsigned() || size.get<uint64_t>() != count * element) {
    Refuse(of + ": binary_data_size is not " + std::to_string(count * element) +
           ", which its shape and datatype have");
  }
  const auto bytes = static_cast<size_t>(count * element);
  if (bytes > binary->size()) Refuse(of + ": the body ends within its binary data");
  if (input->is_bytes) {
    input->sent = {reinterpret_cast<const uint8_t*>(binary->data()), bytes};
  } else {
    input->floats.resize(static_cast<size_t>(count));
    if (bytes != 0) std::memcpy(input->floats.data(), binary->data(), bytes);
  }
  binary->remove_prefix(bytes);
}

V2Input ReadInput(const json& object, std::string_view* binary) {
  if (!object.is_object()) Refuse("inputs: an entry is not an object");
  V2Input input;
  input.name = Word(object, "name", "an input");
  const std::string of = "input '" + input.name + "'";
  const std::string datatype = Word(object, "datatype", of);
  if (datatype != "FP32" && datatype != "UINT8") {
    Refuse(of + ": datatype " + datatype + " is not taken; send FP32, or UINT8 for a picture");
  }
  input.is_bytes = datatype == "UINT8";
  uint64_t count = 0;
  input.shape = Shape(object, of, &count);
  const json* parameters = Parameters(object, of);
  const json* size = parameters == nullptr ? nullptr : Find(*parameters, "binary_data_size");
  const json* data = Find(object, "data");
  if ((size == nullptr) == (data == nullptr)) {
    Refuse(of + ": send either data or binary_data_size");
  }
  if (size != nullptr) {
    ReadBinary(*size, count, of, binary, &input);
  } else {
    ReadData(*data, count, of, &input);
  }
  return input;
}

V2Output ReadOutput(const json& object, bool binary) {
  if (!object.is_object()) Refuse("outputs: an entry is not an object");
  V2Output output;
  output.name = Word(object, "name", "an output");
  const std::string of = "output '" + output.name + "'";
  const json* parameters = Parameters(object, of);
  const json* classes = parameters == nullptr ? nullptr : Find(*parameters, "classification");
  if (classes != nullptr && *classes != 0) {  // of 0 classes: the tensor
    Refuse(of + ": classification is not offered; ask for the tensor");
  }
  output.is_binary = Flag(parameters, "binary_data", binary);
  return output;
}

// A number or a text; 0 and "" are of no sequence.
std::string SequenceId(const json& id) {
  constexpr size_t kLongestId = 256;
  if (id.is_number_integer()) return id == 0 ? "" : id.dump();
  if (!id.is_string() || id.get_ref<const std::string&>().size() > kLongestId) {
    Refuse("sequence_id: send a whole number, or a text of at most 256 bytes");
  }
  const std::string text = id.get<std::string>();
  return text.empty() ? "" : "\"" + text;  // the text "7" is not the number
}

void Read(std::string_view text, std::string_view binary, V2Request* request) {
  const json root = json::parse(text.begin(), text.end(), nullptr, false);
  if (root.is_discarded()) Refuse("the request is not JSON");
  if (!root.is_object()) Refuse("the request is not a JSON object");
  if (const json* id = Find(root, "id"); id != nullptr) {
    if (!id->is_string()) Refuse("id is not text");
    request->has_id = true;
    request->id = id->get<std::string>();
  }
  if (const json* parameters = Parameters(root, "the request"); parameters != nullptr) {
    request->binary_outputs = Flag(parameters, "binary_data_output", false);
    if (const json* id = Find(*parameters, "sequence_id"); id != nullptr) {
      request->sequence = SequenceId(*id);
    }
    request->is_start = Flag(parameters, "sequence_start", false);
    request->is_end = Flag(parameters, "sequence_end", false);
  }
  const json* inputs = Find(root, "inputs");
  if (inputs == nullptr || !inputs->is_array() || inputs->empty() ||
      inputs->size() > kMostV2Tensors) {
    Refuse("inputs is not a list of 1 to " + std::to_string(kMostV2Tensors) + " tensors");
  }
  for (const json& input : *inputs) request->inputs.push_back(ReadInput(input, &binary));
  if (!binary.empty()) {
    Refuse("the body has " + std::to_string(binary.size()) + " bytes behind its tensors");
  }
  const json* outputs = Find(root, "outputs");
  if (outputs == nullptr) return;
  if (!outputs->is_array() || outputs->size() > kMostV2Tensors) {
    Refuse("outputs is not a list of at most " + std::to_string(kMostV2Tensors) + " tensors");
  }
  for (const json& output : *outputs) {
    request->outputs.push_back(ReadOutput(output, request->binary_outputs));
  }
}

}  // namespace

bool ReadV2Request(std::string_view body, std::string_view header_length, V2Request* request,
                   std::string* why) {
  *request = {};
  size_t length = body.size();
  if (!header_length.empty()) {
    const char* const end = header_length.data() + header_length.size();
    const auto [stop, error] = std::from_chars(header_length.data(), end, length);
    if (error != std::errc() || stop != end || length > body.size()) {
      *why = "Inference-Header-Content-Length is not a length within the body";
      return false;
    }
  }
  try {
    Read(body.substr(0, length), body.substr(length), request);
  } catch (const Bad& bad) {
    *why = bad.why;
    return false;
  }
  return true;
}

}  // namespace octet::port::serve
