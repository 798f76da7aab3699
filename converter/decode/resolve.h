// A form of a detector's outputs against a model's shapes.
#ifndef OCTET_CONVERTER_DECODE_RESOLVE_H_
#define OCTET_CONVERTER_DECODE_RESOLVE_H_

#include "converter/decode/table.h"

namespace octet::decode {

// Which outputs hold a role, one for all levels or one a level.
struct Holder {
  std::vector<uint32_t> outputs;
  bool shared = false;  // with the other roles, in the order of `channels`
};

struct Assignment {
  Holder holders[kRoles];
  uint32_t prototypes = 0;      // output of the masks' prototypes
  int64_t prototype_count = 0;  // 0: no masks
  const Holder& Of(Role role) const { return holders[static_cast<size_t>(role)]; }
};

// By names where the spec has some, else by shapes. Throws UserError.
Assignment AssignOutputs(const Spec& spec, const Ports& ports, size_t level_count);

// How many numbers of a candidate are of a role, in a table that holds it.
int64_t NumbersOf(const Spec& spec, const Assignment& assignment, Role role, const Table& table);

// Rows and columns of the picture that the model takes.
struct Size {
  int64_t height, width;
};
Size InputSize(const Spec& spec, const Ports& ports, uint32_t* input);

// The forms of a preset, or of a user's file, that may be meant: a preset's classes and key points
// are as many as the metadata says.
std::vector<Spec> FormsOf(const Spec& spec, const Ports& ports);

// Why a section of a preset says something else than the metadata; empty where it does not. Labels
// take the place of the metadata's names, and are compared by who has read them.
std::string ContradictionIn(const std::vector<uint8_t>& section, const Ports& ports);

// class_count is known by now.
void CheckBackground(const blob::DecodeRecord& record, const Spec& spec);

// The decode section's bytes. Throws UserError where spec and shapes do not fit.
std::vector<uint8_t> Resolve(const Spec& spec, const Ports& ports);

// Of a spec that Resolve takes: whether it also explains the number of candidates and what the
// model joins to its outputs.
bool IsExact(const Spec& spec, const Ports& ports);

}  // namespace octet::decode

#endif  // OCTET_CONVERTER_DECODE_RESOLVE_H_
