#include "ports/linux/results/text.h"
#include "ports/linux/output/plain.h"
#include "ports/linux/output/whole.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace octet::port {
namespace {

// Bytes of the UTF-8 sequence at `text`, 0 where it is none (overlong and surrogate forms are
// none).
size_t SequenceLength(const unsigned char* text) {
  const unsigned char lead = text[0];
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((text[i] & 0xC0) != 0x80) return 0;
  }
  if ((lead == 0xE0 && text[1] < 0xA0) || (lead == 0xED && text[1] > 0x9F) ||
      (lead == 0xF0 && text[1] < 0x90) || (lead == 0xF4 && text[1] > 0x8F)) {
    return 0;
  }
  return length;
}

void AddClass(const octet_session* session, uint32_t label, float score, Line* line) {
  line->Add("{\"label\":");
  line->AddJsonString(LabelName(session, label));
  line->Add(",\"class\":%u,\"score\":%.4f", label, static_cast<double>(score));
}

void AddName(const octet_session* session, uint32_t label, Line* line) {
  const char* name = LabelName(session, label);
  if (*name != 0) {
    line->AddPlain(name);
  } else {
    line->Add("class %u", label);
  }
}

// "points":[[x,y,score],...]
void AddPoints(const Results& results, uint32_t box, Line* line) {
  line->Add(",\"points\":[");
  const octet_keypoint* points = results.points.data() + size_t{box} * results.point_count;
  for (uint32_t i = 0; i < results.point_count; ++i) {
    line->Add("%s[%.1f,%.1f,%.4f]", i == 0 ? "" : ",", static_cast<double>(points[i].x),
              static_cast<double>(points[i].y), static_cast<double>(points[i].score));
  }
  line->Add("]");
}

// "mask":{"at":[left,top,width,height],"runs":[...]}
void AddMask(const Results& results, uint32_t box, Line* line) {
  const ObjectMask& mask = results.masks[box];
  line->Add(",\"mask\":{\"at\":[%u,%u,%u,%u],\"runs\":[", mask.left, mask.top, mask.width,
            mask.height);
  for (uint32_t i = 0; i < mask.run_count; ++i) {
    line->Add(i == 0 ? "%u" : ",%u", results.runs[mask.first_run + i]);
  }
  line->Add("]}");
}

void AddDetections(const Results& results, const octet_session* session, Line* line) {
  line->Add(",\"detections\":[");
  for (uint32_t i = 0; i < results.count; ++i) {
    const octet_detection& box = results.boxes[i];
    if (i != 0) line->Add(",");
    AddClass(session, box.label, box.score, line);
    line->Add(",\"box\":[%.1f,%.1f,%.1f,%.1f]", static_cast<double>(box.x0),
              static_cast<double>(box.y0), static_cast<double>(box.x1),
              static_cast<double>(box.y1));
    if (results.IdOf(i) != 0) {
      line->Add(",\"id\":%llu", static_cast<unsigned long long>(results.IdOf(i)));
    }
    if (results.point_count != 0) AddPoints(results, i, line);
    if (!results.masks.empty()) AddMask(results, i, line);
    line->Add("}");
  }
  line->Add("]");
}

void AddClasses(const Results& results, const octet_session* session, Line* line) {
  line->Add(",\"classes\":[");
  for (uint32_t i = 0; i < results.count; ++i) {
    if (i != 0) line->Add(",");
    AddClass(session, results.classes[i].label, results.classes[i].score, line);
    line->Add("}");
  }
  line->Add("]");
}

void AddSegments(const Results& results, const octet_session* session, Line* line) {
  line->Add(",\"segments\":[");
  bool first = true;
  for (uint32_t label = 0; label < results.pixels.size(); ++label) {
    if (results.pixels[label] == 0) continue;
    if (!first) line->Add(",");
    first = false;
    line->Add("{\"label\":");
    line->AddJsonString(LabelName(session, label));
    line->Add(",\"class\":%u,\"share\":%.4f}", label,
              static_cast<double>(results.pixels[label]) / static_cast<double>(results.map.size()));
  }
  line->Add("]");
}

// The characters' scores stand in their order; a name may have several characters.
void AddText(const Results& results, Line* line) {
  line->Add(",\"text\":");
  line->AddJsonString(results.text.c_str());
  line->Add(",\"scores\":[");
  for (uint32_t i = 0; i < results.count; ++i) {
    line->Add("%s%.4f", i == 0 ? "" : ",", static_cast<double>(results.characters[i].score));
  }
  line->Add("]");
}

}  // namespace

void Line::Add(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int wanted =
      std::vsnprintf(text_.data() + length_, text_.size() - length_, format, arguments);
  va_end(arguments);
  if (wanted > 0) length_ = std::min(text_.size() - 1, length_ + static_cast<size_t>(wanted));
}

void Line::AddPlain(const char* text) {
  const size_t begin = length_;
  Add("%s", text);
  MakePlain(text_.data() + begin, length_ - begin, false);
}

void Line::AddJsonString(const char* text) {
  Add("\"");
  const auto* at = reinterpret_cast<const unsigned char*>(text);
  while (*at != 0) {
    const size_t length = SequenceLength(at);
    if (length == 0) {
      Add("\\ufffd");
      ++at;
      continue;
    }
    if (*at < 0x20 || *at == '"' || *at == '\\') {
      Add(*at < 0x20 ? "\\u%04x" : "\\%c", *at);
    } else {
      Add("%.*s", static_cast<int>(length), reinterpret_cast<const char*>(at));
    }
    at += length;
  }
  Add("\"");
}

bool Line::WriteTo(int descriptor) const {
  return WriteWhole(descriptor, text_.data(), length_);
}

void BeginJson(const char* camera, Line* line) {
  line->Add("{");
  if (*camera == 0) return;
  line->Add("\"camera\":");
  line->AddJsonString(camera);
  line->Add(",");
}

void FormatJson(const FrameReport& report, const Line& fields, const Results& results,
                const octet_session* session, Line* line) {
  line->Clear();
  BeginJson(report.camera, line);
  line->Add("\"frame\":%llu,\"time\":%.3f,\"age_ms\":%.3f,\"plan\":",
            static_cast<unsigned long long>(report.number), report.time_s, report.age_ms);
  line->AddJsonString(report.plan);
  line->Add(",\"ms\":%.3f,\"dropped\":%llu", report.infer_ms,
            static_cast<unsigned long long>(report.dropped));
  line->Add("%.*s", static_cast<int>(fields.length()), fields.data());
  if (*report.picture != 0) {
    line->Add(",\"picture\":");
    line->AddJsonString(report.picture);
  }
  FormatJsonResults(results, session, line);
  line->Add("}\n");
}

void FormatJsonResults(const Results& results, const octet_session* session, Line* line) {
  switch (results.task) {
    case OCTET_TASK_NONE:
      break;
    case OCTET_TASK_CLASSIFY:
      AddClasses(results, session, line);
      break;
    case OCTET_TASK_DETECT:
      AddDetections(results, session, line);
      break;
    case OCTET_TASK_SEGMENT:
      AddSegments(results, session, line);
      break;
    case OCTET_TASK_TEXT:
      AddText(results, line);
      break;
  }
}

void FormatResults(const Results& results, const octet_session* session, bool boxes, Line* line) {
  if (results.task == OCTET_TASK_TEXT) {
    line->AddPlain(results.count == 0 ? "no text" : results.text.c_str());
    return;
  }
  if (results.task == OCTET_TASK_SEGMENT) {
    const auto all = static_cast<double>(results.map.size());
    const char* between = "";
    for (uint32_t label = 0; label < results.pixels.size(); ++label) {
      if (results.pixels[label] == 0) continue;
      line->Add("%s", between);
      AddName(session, label, line);
      line->Add(" %.1f %%", 100 * static_cast<double>(results.pixels[label]) / all);
      between = ", ";
    }
    return;
  }
  const bool detect = results.task == OCTET_TASK_DETECT;
  for (uint32_t i = 0; i < results.count; ++i) {
    line->Add("%s", i == 0 ? "" : ", ");
    AddName(session, detect ? results.boxes[i].label : results.classes[i].label, line);
    line->Add(" %.2f",
              static_cast<double>(detect ? results.boxes[i].score : results.classes[i].score));
    if (!detect || !boxes) continue;
    const octet_detection& box = results.boxes[i];
    line->Add(" [%.0f %.0f %.0f %.0f]", static_cast<double>(box.x0), static_cast<double>(box.y0),
              static_cast<double>(box.x1), static_cast<double>(box.y1));
    if (!results.masks.empty()) line->Add(" %u pixels", results.masks[i].pixels);
    for (uint32_t k = 0; k < results.point_count; ++k) {
      const octet_keypoint& point = results.points[size_t{i} * results.point_count + k];
      if (point.score >= kSeenPoint) {
        line->Add(" %.0f,%.0f", static_cast<double>(point.x), static_cast<double>(point.y));
      } else {
        line->Add(" -");
      }
    }
  }
  if (detect && results.count == 0) line->Add("nothing found");
}

void FormatPicture(const char* name, double ms, const Results& results,
                   const octet_session* session, Line* line) {
  line->AddPlain(name);
  line->Add("  %.2f ms  ", ms);
  FormatResults(results, session, true, line);
  line->Add("\n");
}

}  // namespace octet::port
