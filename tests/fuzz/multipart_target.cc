// A form of a DeepStack client: whatever comes, parts lie within the body, and a body made of the
// parts that were read gives the same parts.
#include "ports/linux/serve/deepstack/form.h"
#include "ports/linux/serve/deepstack/multipart.h"
#include "tests/fuzz/fuzz.h"

namespace octet::fuzz {

const size_t kLongestInput = 4096;

// The first line is the type.
std::vector<Input> Seeds() {
  return {
      FromText("multipart/form-data; boundary=XX\n--XX\r\nContent-Disposition: form-data; "
               "name=\"image\"; "
               "filename=\"a.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n\xFF\xD8 "
               "data\r\n--XX\r\nContent-Disposition: "
               "form-data; name=min_confidence\r\n\r\n0.4\r\n--XX--\r\n"),
      FromText("Multipart/Form-Data; charset=x; boundary=\"a b\"\npreamble\r\n--a b "
               "\r\ncontent-disposition: "
               "form-data; filename*=x; name=\"a\\\"b\"\r\n\r\n\r\n--a b--"),
      FromText("multipart/form-data; boundary=\"\\\"\n--\r\n\r\n"),
  };
}

namespace {

bool IsWithin(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

// Names that a quoted text can hold.
bool IsPlain(std::string_view name) {
  return name.find_first_of("\"\\\r\n") == std::string_view::npos;
}

}  // namespace
}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet::port::serve;
  using namespace octet::fuzz;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t line = std::min(text.find('\n'), text.size());
  const std::string_view type = std::string_view(text).substr(0, line);
  const std::string_view body = std::string_view(text).substr(std::min(line + 1, text.size()));
  DetectionForm form;
  std::string why;
  const bool good = ReadDetectionForm(type, body, &form, &why);
  FUZZ_CHECK(good == why.empty());
  FUZZ_CHECK(IsWithin(form.image, body) && IsWithin(form.api_key, body));
  if (good) FUZZ_CHECK(form.min_confidence >= 0 && form.min_confidence <= 1);
  const std::string_view boundary = BoundaryOf(type);
  FUZZ_CHECK(IsWithin(boundary, type) && boundary.size() <= 70);
  std::vector<FormPart> parts;
  if (boundary.empty() || !ReadForm(body, boundary, &parts, &why)) return 0;
  FUZZ_CHECK(parts.size() <= kMostParts);
  const std::string mark = "--" + std::string(boundary);
  std::string again;
  for (const FormPart& part : parts) {
    FUZZ_CHECK(IsWithin(part.data, body) && IsWithin(part.name, body));
    FUZZ_CHECK(part.data.find("\r\n" + mark) == std::string_view::npos);
    if (!IsPlain(part.name)) return 0;
    again += mark + "\r\nContent-Disposition: form-data; name=\"" + std::string(part.name) + "\"" +
             (part.is_file ? "; filename=\"x\"" : "") + "\r\n\r\n" + std::string(part.data) +
             "\r\n";
  }
  std::vector<FormPart> second;
  again += mark + "--";
  FUZZ_CHECK(ReadForm(again, boundary, &second, &why));
  FUZZ_CHECK(second.size() == parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    FUZZ_CHECK(second[i].name == parts[i].name && second[i].data == parts[i].data &&
               second[i].is_file == parts[i].is_file);
  }
  return 0;
}
