#include "converter/import/plain_names.h"

#include <cstdint>

#include <fmt/format.h>

namespace octet::import {
namespace {

// Bytes of the character at `at`, 0 where it is none that can be shown (overlong and surrogate
// forms are none).
size_t CharacterBytes(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) {
    return static_cast<uint8_t>(at + i < text.size() ? text[at + i] : 0);
  };
  const uint8_t lead = byte(0), second = byte(1);
  if (lead < 0x80) return lead < 0x20 || lead == 0x7F ? 0 : 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return bytes;
}

void MakePlain(std::string* name) {
  std::string plain = PlainName(*name);
  if (plain != *name) *name = std::move(plain);
}

}  // namespace

std::string PlainName(const std::string& name) {
  std::string plain;
  for (size_t at = 0; at < name.size();) {
    const size_t bytes = CharacterBytes(name, at);
    if (bytes == 0) {
      plain += fmt::format("%{:02X}", static_cast<uint8_t>(name[at++]));
    } else {
      plain.append(name, at, bytes);
      at += bytes;
    }
  }
  return plain;
}

void MakeNamesPlain(onnx::GraphProto* graph) {
  MakePlain(graph->mutable_name());
  for (onnx::NodeProto& node : *graph->mutable_node()) {
    MakePlain(node.mutable_name());
    MakePlain(node.mutable_op_type());
    for (std::string& name : *node.mutable_input()) MakePlain(&name);
    for (std::string& name : *node.mutable_output()) MakePlain(&name);
  }
  for (onnx::TensorProto& tensor : *graph->mutable_initializer()) {
    MakePlain(tensor.mutable_name());
  }
  for (onnx::ValueInfoProto& input : *graph->mutable_input()) MakePlain(input.mutable_name());
  for (onnx::ValueInfoProto& output : *graph->mutable_output()) MakePlain(output.mutable_name());
}

}  // namespace octet::import
