#include "ports/linux/serve/v2/site.h"

#include <algorithm>
#include <utility>

#include "octet/state.h"
#include "ports/linux/serve/v2/reply.h"
#include "ports/linux/serve/v2/request.h"

namespace octet::port::serve {
namespace {

constexpr const char* kModels = "/v2/models/";
constexpr const char* kIndex = "/v2/repository/index";

template <typename Dims>
std::string ShapeText(const Dims& dims) {
  std::string text = "[";
  for (const auto dim : dims) text += (text.size() == 1 ? "" : ",") + std::to_string(dim);
  return text + "]";
}

class InferJob final : public Job {
 public:
  InferJob(std::shared_ptr<Exchange> exchange, std::string model, Numbers* numbers)
      : exchange_(std::move(exchange)), model_(std::move(model)), numbers_(numbers) {}

  void Run(Worker& worker) override {
    WebReply reply;
    try {
      reply = Answer(worker);
    } catch (const std::exception&) {
      reply = ErrorReply(500, "out of memory; send a smaller request");
    }
    numbers_->Count(Protocol::kV2, reply.status == 200 ? Answered::kDone : Answered::kBad);
    exchange_->Finish(std::move(reply));
  }
  void Refuse(Refusal why) override {
    numbers_->Count(Protocol::kV2, AnsweredOf(why));
    exchange_->Finish(ErrorReply(why == Refusal::kLate ? 504 : 503, TextOf(why)));
  }

 private:
  WebReply Answer(Worker& worker) {
    const WebRequest& web = exchange_->request;
    V2Request request;
    std::string why;
    if (!ReadV2Request(web.body, web.inference_header_length, &request, &why)) {
      return ErrorReply(400, why);
    }
    const ModelFacts& facts = worker.facts();
    if (!facts.keeps_states && !request.sequence.empty()) {
      return ErrorReply(400, "sequence_id: this model keeps no states; send requests without it");
    }
    std::vector<V2Wanted> outputs;
    if (!ChooseOutputs(request, facts, &outputs, &why)) return ErrorReply(400, why);
    if (facts.keeps_states) {
      WebReply refused;
      if (!RunInSequence(request, &worker, &refused)) return refused;
    } else {
      if (!SetInputs(request, &worker, &why)) return ErrorReply(400, why);
      numbers_->AddRun(worker.Run());
    }
    worker.CountGood();
    return InferReply(model_, request, outputs, [&](const TensorFacts& tensor, float* values) {
      const auto index = static_cast<uint32_t>(&tensor - facts.outputs.data());
      octet_get_output(worker.session(), index, values, tensor.count);
    });
  }

  // Sets the states of the sequence and the inputs, runs, and keeps the states. A request that is
  // wrong leaves the sequence as it was.
  bool RunInSequence(const V2Request& request, Worker* worker, WebReply* refused) {
    Sequences& sequences = worker->sequences();
    const std::string& id = request.sequence;
    std::vector<uint8_t> states;
    if (id.empty()) {
      *refused = ErrorReply(400,
                            "this model keeps states; send sequence_id, and sequence_start "
                            "with the first request of a sequence");
      return false;
    }
    const Sequences::Begun begun = sequences.Begin(id, request.is_start, NowNs(), &states);
    switch (begun) {
      case Sequences::Begun::kUnknown:
        *refused = ErrorReply(409,
                              "this sequence has not begun, or has expired; send "
                              "sequence_start with its first request");
        return false;
      case Sequences::Begun::kBusy:
        *refused = ErrorReply(409, "a request of this sequence runs; send one after another");
        return false;
      case Sequences::Begun::kFull:
        *refused = ErrorReply(503, std::to_string(Sequences::kMost) +
                                       " sequences go on; send sequence_end with the last request "
                                       "of each");
        return false;
      case Sequences::Begun::kFirst:
        octet_reset(worker->session());
        break;
      case Sequences::Begun::kGoesOn:
        octet_state_set(worker->session(), states.data(), states.size());
        break;
    }
    // What is not kept ends, also where memory is short: it would be busy for ever.
    struct Held {
      Sequences* sequences;
      const std::string& id;
      ~Held() {
        if (sequences != nullptr) sequences->End(id);
      }
      void Keep(std::vector<uint8_t> states) {
        std::exchange(sequences, nullptr)->Keep(id, NowNs(), std::move(states));
      }
    } held{&sequences, id};
    std::string why;
    if (!SetInputs(request, worker, &why)) {
      if (begun == Sequences::Begun::kGoesOn) held.Keep(std::move(states));
      *refused = ErrorReply(400, why);
      return false;
    }
    numbers_->AddRun(worker->Run());
    if (request.is_end) return true;
    octet_state_info info;
    octet_state_describe(worker->session(), &info);
    states.resize(info.bytes);
    octet_state_get(worker->session(), states.data(), states.size());
    held.Keep(std::move(states));
    return true;
  }

  static bool SetInputs(const V2Request& request, Worker* worker, std::string* why) {
    const std::vector<TensorFacts>& known = worker->facts().inputs;
    std::vector<bool> set(known.size());
    for (const V2Input& input : request.inputs) {
      const auto found = std::find_if(known.begin(), known.end(), [&](const TensorFacts& one) {
        return one.name == input.name;
      });
      if (found == known.end()) {
        *why = "input '" + input.name + "': the model has none of this name";
        return false;
      }
      const auto index = static_cast<uint32_t>(found - known.begin());
      if (set[index]) {
        *why = "input '" + input.name + "' is there twice; send it once";
        return false;
      }
      set[index] = true;
      if (!(input.is_bytes ? SetPicture(input, *found, index, worker, why)
                           : SetFloats(input, *found, index, worker, why))) {
        return false;
      }
    }
    const auto missing = std::find(set.begin(), set.end(), false);
    if (missing == set.end()) return true;
    *why = "input '" + known[static_cast<size_t>(missing - set.begin())].name + "' is missing";
    return false;
  }

  static bool SetFloats(const V2Input& input, const TensorFacts& known, uint32_t index,
                        Worker* worker, std::string* why) {
    if (std::equal(input.shape.begin(), input.shape.end(), known.dims.begin(), known.dims.end()) &&
        octet_set_input_f32(worker->session(), index, input.floats.data(), input.floats.size())
                .code == OCTET_OK) {
      return true;
    }
    *why = "input '" + input.name + "': shape " + ShapeText(input.shape) + "; send FP32 " +
           ShapeText(known.dims) + (known.is_image ? ", or UINT8 [1,HEIGHT,WIDTH,CHANNELS]" : "");
    return false;
  }

  // As octet-run takes pictures of a .npy file.
  static bool SetPicture(const V2Input& input, const TensorFacts& known, uint32_t index,
                         Worker* worker, std::string* why) {
    const std::vector<uint64_t>& shape = input.shape;
    if (known.is_image && shape.size() == 4 && shape[0] == 1 && shape[1] <= UINT32_MAX &&
        shape[2] <= UINT32_MAX && shape[3] == known.channels &&
        octet_set_input_image(worker->session(), index, input.Bytes().data(),
                              static_cast<uint32_t>(shape[1]), static_cast<uint32_t>(shape[2]),
                              static_cast<uint32_t>(shape[3]),
                              static_cast<size_t>(shape[2] * shape[3]))
                .code == OCTET_OK) {
      return true;
    }
    *why =
        "input '" + input.name + "': UINT8 " + ShapeText(shape) +
        (known.is_image ? "; send a picture [1,HEIGHT,WIDTH," + std::to_string(known.channels) + "]"
                        : "; it takes no picture, send FP32 " + ShapeText(known.dims));
    return false;
  }

  static bool ChooseOutputs(const V2Request& request, const ModelFacts& facts,
                            std::vector<V2Wanted>* outputs, std::string* why) {
    if (request.outputs.empty()) {
      for (const TensorFacts& tensor : facts.outputs) {
        outputs->push_back({&tensor, request.binary_outputs});
      }
      return true;
    }
    for (const V2Output& output : request.outputs) {
      const auto found =
          std::find_if(facts.outputs.begin(), facts.outputs.end(),
                       [&](const TensorFacts& one) { return one.name == output.name; });
      if (found == facts.outputs.end()) {
        *why = "output '" + output.name + "': the model has none of this name";
        return false;
      }
      outputs->push_back({&*found, output.is_binary});
    }
    return true;
  }

  std::shared_ptr<Exchange> exchange_;
  const std::string model_;  // as the client called it
  Numbers* numbers_;
};

WebReply Method(const WebRequest& request, const char* wanted) {
  return ErrorReply(405, request.method + ": not here; use " + wanted);
}

}  // namespace

bool V2Site::ReadPlace(const std::string& path, Place* place) {
  std::string rest = path.substr(std::string(kModels).size());
  const auto take = [&rest] {
    const size_t end = std::min(rest.find('/'), rest.size());
    std::string word = rest.substr(0, end);
    rest.erase(0, std::min(end + 1, rest.size()));
    return word;
  };
  place->name = take();
  std::string word = take();
  if (word == "versions") {
    place->version = take();
    word = take();
  }
  place->action = word;
  return !place->name.empty() && rest.empty();
}

std::optional<WebReply> V2Site::Begin(const WebRequest& request) const {
  if (request.path.rfind("/v2/health/", 0) == 0) {
    if (request.method != "GET" && request.method != "HEAD") return Method(request, "GET");
    const std::string word = request.path.substr(11);
    if (word == "live" || word == "ready") {
      return WebReply{200, "application/json", "{\"" + word + "\":true}"};
    }
    return ErrorReply(404, request.path + ": available: /v2/health/live, /v2/health/ready");
  }
  if (!token_->AcceptsHeader(request.authorization)) {
    context_.numbers->Count(Protocol::kV2, Answered::kDenied);
    return ErrorReply(401, "Authorization: Bearer TOKEN is missing or wrong");
  }
  if (request.path == "/v2" || request.path == "/v2/") {
    return request.method == "GET" ? ServerMetadata() : Method(request, "GET");
  }
  if (request.path == kIndex) {
    if (request.method != "POST" && request.method != "GET") return Method(request, "POST");
    return std::nullopt;  // Triton's clients send a body
  }
  if (request.path.rfind(kModels, 0) == 0) return BeginModel(request);
  return ErrorReply(404, request.path + ": available: /v2, /v2/health, /v2/models/NAME");
}

std::optional<WebReply> V2Site::BeginModel(const WebRequest& request) const {
  const std::shared_ptr<Served> served = context_.workers->served();
  Place place;
  const bool known = ReadPlace(request.path, &place);
  if (known && !served->facts().IsCalled(place.name)) {
    return ErrorReply(404, "no model '" + place.name + "'; the one here is called '" +
                               served->facts().name + "'");
  }
  if (known && !place.version.empty() && place.version != kV2Version) {
    return ErrorReply(404, "no version '" + place.version + "' of the model; it has " + kV2Version);
  }
  if (known && place.action == "infer") {
    if (request.method != "POST") return Method(request, "POST");
    if (!request.content_encoding.empty() && request.content_encoding != "identity") {
      return ErrorReply(415, "Content-Encoding " + request.content_encoding +
                                 ": not taken; send the request without compression");
    }
    return std::nullopt;
  }
  if (!known || !(place.action.empty() || place.action == "ready")) {
    return ErrorReply(404, request.path +
                               ": available: /v2/models/NAME, .../ready, .../infer, and the same "
                               "behind /versions/1");
  }
  if (request.method != "GET") return Method(request, "GET");
  if (place.action.empty()) return ModelMetadata(served->facts(), place.name);
  return WebReply{200, "application/json",
                  "{\"name\":" + JsonText(place.name) + ",\"ready\":true}"};
}

void V2Site::Answer(const std::shared_ptr<Exchange>& exchange) const {
  const WebRequest& request = exchange->request;
  if (request.path == kIndex) {
    return exchange->Finish(RepositoryIndex(context_.workers->served()->facts()));
  }
  Place place;
  ReadPlace(request.path, &place);
  context_.queue->Put(request.client,
                      std::make_unique<InferJob>(exchange, place.name, context_.numbers));
}

}  // namespace octet::port::serve
