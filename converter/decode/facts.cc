// What is known of a head beside its shapes: the numbers of its classes and key points.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "converter/decode/resolve.h"

namespace octet::decode {
namespace {

bool HasPoints(const Spec& spec) {
  return std::find(spec.channels.begin(), spec.channels.end(), Role::kPoints) !=
         spec.channels.end();
}

}  // namespace

std::vector<Spec> FormsOf(const Spec& spec, const Ports& ports) {
  std::vector<Spec> forms = {spec};
  forms[0].other_forms.clear();
  if (!spec.preset) return forms;
  forms.insert(forms.end(), spec.other_forms.begin(), spec.other_forms.end());
  const Facts& facts = ports.facts;
  const bool any_fits = std::any_of(forms.begin(), forms.end(), [&](const Spec& form) {
    return int64_t{form.record.point_numbers} == facts.point_numbers;
  });
  if (facts.point_numbers != 0 && any_fits) {
    std::erase_if(forms, [&](const Spec& form) {
      return HasPoints(form) && int64_t{form.record.point_numbers} != facts.point_numbers;
    });
  }
  for (Spec& form : forms) {
    // Key points stand behind the classes: how many numbers are whose has to be known.
    if (!HasPoints(form) || !form.separate.empty() ||
        form.record.class_form != blob::ClassForm::kScores) {
      continue;
    }
    if (ports.KnownClasses() != 0) {
      form.class_count = static_cast<uint32_t>(ports.KnownClasses());
    } else if (facts.points != 0) {
      form.class_count = 0;
      form.point_count = facts.points;
    }
  }
  return forms;
}

std::string ContradictionIn(const std::vector<uint8_t>& section, const Ports& ports) {
  const Facts& facts = ports.facts;
  const int64_t classes = ports.label_count == 0 ? facts.classes : 0;
  blob::DecodeRecord record;
  std::memcpy(&record, section.data(), sizeof(record));
  const int64_t background = record.background == blob::kNone ? 0 : 1;
  const int64_t found = int64_t{record.class_count} - background;
  if (record.class_form == blob::ClassForm::kScores && classes != 0 && found != classes) {
    return fmt::format("its outputs have {} classes, its metadata names {}", found, classes);
  }
  if (facts.points == 0) return "";
  if (record.point_count == 0) {
    return fmt::format("its outputs have no key points, its metadata says {} of {} numbers",
                       facts.points, facts.point_numbers);
  }
  if (int64_t{record.point_count} == facts.points &&
      int64_t{record.point_numbers} == facts.point_numbers) {
    return "";
  }
  return fmt::format("its outputs have {} key points of {} numbers, its metadata says {} of {}",
                     record.point_count, record.point_numbers, facts.points, facts.point_numbers);
}

}  // namespace octet::decode
