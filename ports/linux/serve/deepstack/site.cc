#include "ports/linux/serve/deepstack/site.h"

#include <utility>

#include "ports/linux/serve/deepstack/form.h"

namespace octet::port::serve {
namespace {

constexpr const char* kDetection = "/v1/vision/detection";
constexpr const char* kCustom = "/v1/vision/custom/";
constexpr const char* kList = "/v1/vision/custom/list";

unsigned StatusOf(Refusal why) {
  return why == Refusal::kLate ? 504 : 503;
}

class DetectionJob final : public Job {
 public:
  DetectionJob(std::shared_ptr<Exchange> exchange, const DetectionForm& form, Numbers* numbers)
      : exchange_(std::move(exchange)), form_(form), numbers_(numbers) {}

  void Run(Worker& worker) override {
    const uint64_t started = NowNs();
    try {
      Finish(Answer(worker, started));
    } catch (const std::exception&) {
      Finish(DetectionError(500, "out of memory; send a smaller picture"));
    }
  }
  void Refuse(Refusal why) override {
    numbers_->Count(Protocol::kDeepStack, AnsweredOf(why));
    exchange_->Finish(DetectionError(StatusOf(why), TextOf(why)));
  }

 private:
  WebReply Answer(Worker& worker, uint64_t started) {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(form_.image.data());
    pictures::PictureReader& reader = worker.pictures();
    pictures::Picture& picture = worker.picture();
    if (!reader.ReadHeader(bytes, form_.image.size(), &picture)) return BadPicture(reader.why());
    if (uint64_t{picture.width} * picture.height > kMostPixels) {
      return DetectionError(400, "image: more than " + std::to_string(kMostPixels) +
                                     " pixels; send a smaller picture");
    }
    if (!reader.Read(bytes, form_.image.size(), &picture)) return BadPicture(reader.why());
    Worker::Boxes boxes;
    std::string why;
    if (!worker.Detect(picture, form_.min_confidence, &boxes, &why)) {
      return DetectionError(400, why);
    }
    numbers_->AddRun(boxes.run_ns);
    const uint64_t now = NowNs();
    return {200, "application/json",
            DetectionAnswer(boxes.found, worker.numbers(),
                            {boxes.run_ns, now - started, now - received_ns_})};
  }
  static WebReply BadPicture(const std::string& why) {
    return DetectionError(400, "image: " + why);
  }
  void Finish(WebReply reply) {
    numbers_->Count(Protocol::kDeepStack, reply.status == 200 ? Answered::kDone : Answered::kBad);
    exchange_->Finish(std::move(reply));
  }

  std::shared_ptr<Exchange> exchange_;
  const DetectionForm form_;  // into the exchange's body
  Numbers* numbers_;
  const uint64_t received_ns_ = NowNs();
};

}  // namespace

std::optional<WebReply> DeepStackSite::Begin(const WebRequest& request) const {
  if (request.path == kList) return std::nullopt;
  if (request.path != kDetection && request.path.rfind(kCustom, 0) != 0) {
    return DetectionError(404, request.path +
                                   ": not here; available: /v1/vision/detection, "
                                   "/v1/vision/custom/list, /v1/vision/custom/NAME");
  }
  if (request.method != "POST") {
    return DetectionError(405, request.method + ": not here; send the picture by POST");
  }
  if (request.path == kDetection) return std::nullopt;
  const std::string name = request.path.substr(std::string(kCustom).size());
  const std::shared_ptr<Served> served = context_.workers->served();
  if (served->facts().IsCalled(name)) return std::nullopt;
  return DetectionError(
      404, "no model '" + name + "'; the one here is called '" + served->facts().name + "'");
}

WebReply DeepStackSite::List(const WebRequest& request) const {
  DetectionForm form;
  std::string why;
  ReadDetectionForm(request.content_type, request.body, &form, &why);
  if (!token_->Accepts(form.api_key) && !token_->AcceptsHeader(request.authorization)) {
    return DetectionError(401, "api_key: missing or wrong");
  }
  return {200, "application/json",
          "{\"success\":true,\"models\":[" + JsonText(context_.workers->served()->facts().name) +
              "]}\n"};
}

void DeepStackSite::Answer(const std::shared_ptr<Exchange>& exchange) const {
  const WebRequest& request = exchange->request;
  if (request.path == kList) return exchange->Finish(List(request));
  DetectionForm form;
  std::string why;
  const bool good = ReadDetectionForm(request.content_type, request.body, &form, &why);
  if (!token_->Accepts(form.api_key) && !token_->AcceptsHeader(request.authorization)) {
    context_.numbers->Count(Protocol::kDeepStack, Answered::kDenied);
    return exchange->Finish(DetectionError(401, "api_key: missing or wrong"));
  }
  if (good && form.image.data() == nullptr) why = "the form has no file 'image'; send one";
  if (!why.empty()) {
    context_.numbers->Count(Protocol::kDeepStack, Answered::kBad);
    return exchange->Finish(DetectionError(400, why));
  }
  context_.queue->Put(request.client,
                      std::make_unique<DetectionJob>(exchange, form, context_.numbers));
}

}  // namespace octet::port::serve
