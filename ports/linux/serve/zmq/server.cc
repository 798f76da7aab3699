#include "ports/linux/serve/zmq/server.h"

#include <array>
#include <cstring>
#include <utility>
#include <zmq.hpp>

#include "ports/linux/serve/zmq/answer.h"
#include "ports/linux/serve/zmq/outbox.h"

namespace octet::port::serve {
namespace {

// Of one frame: a float32 tensor of 1536 x 1536 pixels, and room.
constexpr int64_t kMostFrameBytes = int64_t{32} << 20;
constexpr int kMostQueuedMessages = 16;  // of one client
constexpr int kHandshakeMs = 5000;       // of ZeroMQ itself: a peer that says nothing goes
constexpr int kHeartbeatMs = 10000;      // a peer that has vanished without a word goes
constexpr int kWaitingPeers = 511;
constexpr int kLingerMs = 200;  // at the end, for the last answers
constexpr std::chrono::milliseconds kRound{500};
constexpr size_t kMostEnvelope = 8;

constexpr const char* kReady = "{\"model_available\": true, \"model_loaded\": true}";
constexpr const char* kNotSaved = "{\"model_saved\": false, \"model_loaded\": false}";

std::string Zeros() {
  return std::string(sizeof(ZmqRows), '\0');
}

std::string_view View(const zmq::message_t& message) {
  return {static_cast<const char*>(message.data()), message.size()};
}

// Of a client: the identity that ROUTER has given it, or it has given itself.
uint64_t ClientOf(std::string_view identity) {
  return std::hash<std::string_view>()(identity) | uint64_t{1} << 63;  // no HTTP connection's
}

class ZmqJob final : public Job {
 public:
  ZmqJob(std::vector<std::string> envelope, ZmqHeader header, zmq::message_t tensor,
         const ZmqPixels& pixels, std::shared_ptr<Outbox> outbox, Numbers* numbers)
      : envelope_(std::move(envelope)),
        header_(std::move(header)),
        tensor_(std::move(tensor)),
        pixels_(pixels),
        outbox_(std::move(outbox)),
        numbers_(numbers) {}

  void Run(Worker& worker) override {
    std::string bytes;
    Answered answered = Answered::kBad;
    try {
      std::string why;
      Worker::Boxes boxes;
      pictures::Picture& picture = worker.picture();
      if (ToPicture(header_, View(tensor_), pixels_, &picture, &why) &&
          worker.Detect(picture, kZmqLeastScore, &boxes, &why)) {
        numbers_->AddRun(boxes.run_ns);
        const ZmqRows rows = RowsOf(boxes.found, worker.numbers(), picture.width, picture.height);
        bytes.assign(reinterpret_cast<const char*>(rows.data()), sizeof(rows));
        answered = Answered::kDone;
      }
    } catch (const std::bad_alloc&) {
      bytes.clear();
    }
    Finish(answered, bytes.empty() ? Zeros() : std::move(bytes));
  }
  void Refuse(Refusal why) override { Finish(AnsweredOf(why), Zeros()); }

 private:
  void Finish(Answered answered, std::string bytes) {
    numbers_->Count(Protocol::kZmq, answered);
    outbox_->Put({std::move(envelope_), std::move(bytes)});
  }

  std::vector<std::string> envelope_;
  const ZmqHeader header_;
  const zmq::message_t tensor_;
  const ZmqPixels pixels_;
  std::shared_ptr<Outbox> outbox_;
  Numbers* numbers_;
};

}  // namespace

struct ZmqServer::Inside {
  Inside(const Peers& allowed, const ZmqPixels& of_floats, const Context& shared)
      : peers(allowed), pixels(of_floats), context(shared) {}

  void Bind(const std::vector<Endpoint>& endpoints, std::vector<std::string>* bound);
  void Read();
  void Take(std::vector<zmq::message_t> frames);
  void Send(ZmqMessage message);
  void Judge();

  const Peers peers;
  const ZmqPixels pixels;
  const Context context;
  std::shared_ptr<Outbox> outbox = std::make_shared<Outbox>();
  zmq::context_t zmq{1};
  zmq::socket_t judge{zmq, zmq::socket_type::rep};  // of connections (ZAP, RFC 27)
  zmq::socket_t router{zmq, zmq::socket_type::router};
};

void ZmqServer::Inside::Bind(const std::vector<Endpoint>& endpoints,
                             std::vector<std::string>* bound) {
  judge.set(zmq::sockopt::linger, 0);
  judge.bind("inproc://zeromq.zap.01");
  router.set(zmq::sockopt::linger, kLingerMs);
  router.set(zmq::sockopt::maxmsgsize, kMostFrameBytes);
  router.set(zmq::sockopt::rcvhwm, kMostQueuedMessages);
  router.set(zmq::sockopt::sndhwm, kMostQueuedMessages);
  router.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
  router.set(zmq::sockopt::heartbeat_ivl, kHeartbeatMs);
  router.set(zmq::sockopt::tcp_keepalive, 1);
  router.set(zmq::sockopt::backlog, kWaitingPeers);
  // A name that another client has already is taken over: Frigate's after its socket was reset.
  router.set(zmq::sockopt::router_handover, true);
  router.set(zmq::sockopt::zap_domain, "octet");
  for (const Endpoint& endpoint : endpoints) {
    // With it addresses of IPv4 would be shown as those of IPv6.
    router.set(zmq::sockopt::ipv6, endpoint.text.find('[') != std::string::npos);
    try {
      router.bind(endpoint.text);
    } catch (const zmq::error_t& error) {
      throw InputError("--zmq " + endpoint.text + ": cannot listen: " + ErrorText(error.num()) +
                       "; use another endpoint");
    }
    bound->push_back(router.get(zmq::sockopt::last_endpoint));
  }
}

// A connection comes: may it? [version, request, domain, address, identity, mechanism].
void ZmqServer::Inside::Judge() {
  std::vector<zmq::message_t> frames;
  do {
    frames.emplace_back();
    if (!judge.recv(frames.back(), zmq::recv_flags::dontwait)) return;
  } while (frames.back().more());
  const bool good = frames.size() >= 6 && peers.Allow(View(frames[3]));
  const std::string request(frames.size() > 1 ? View(frames[1]) : std::string_view());
  const std::array<std::string, 6> reply = {
      "1.0", request, good ? "200" : "400", good ? "OK" : "not in --zmq-peers", "", ""};
  for (size_t i = 0; i < reply.size(); ++i) {
    const auto more = i + 1 < reply.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
    judge.send(zmq::buffer(reply[i]), more | zmq::send_flags::dontwait);
  }
  if (!good) context.numbers->Count(Protocol::kZmq, Answered::kDenied);
}

void ZmqServer::Inside::Send(ZmqMessage message) {
  for (const std::string& frame : message.envelope) {
    // A client that has gone, or does not read: the message is dropped.
    if (!router.send(zmq::buffer(frame), zmq::send_flags::sndmore | zmq::send_flags::dontwait)) {
      return;
    }
  }
  router.send(zmq::buffer(message.bytes), zmq::send_flags::dontwait);
}

// frames: identity, an empty one (of REQ), header, tensor.
void ZmqServer::Inside::Take(std::vector<zmq::message_t> frames) {
  ZmqMessage message;
  size_t at = 0;
  message.envelope.emplace_back(View(frames[at++]));
  const uint64_t client = ClientOf(message.envelope[0]);
  if (at < frames.size() && frames[at].size() == 0) {
    message.envelope.emplace_back();
    ++at;
  }
  ZmqHeader header;
  if (at < frames.size()) header = ReadZmqHeader(View(frames[at]), frames.size() - at);
  switch (header.kind) {
    case ZmqKind::kHandshake:
      message.bytes = kReady;
      break;
    case ZmqKind::kModelData:
      message.bytes = kNotSaved;
      break;
    case ZmqKind::kBad:
      message.bytes = Zeros();
      context.numbers->Count(Protocol::kZmq, Answered::kBad);
      break;
    case ZmqKind::kTensor:
      context.queue->Put(client, std::make_unique<ZmqJob>(
                                     std::move(message.envelope), std::move(header),
                                     std::move(frames[at + 1]), pixels, outbox, context.numbers));
      return;
  }
  Send(std::move(message));
}

void ZmqServer::Inside::Read() {
  for (int i = 0; i < kMostQueuedMessages; ++i) {
    std::vector<zmq::message_t> frames;
    size_t count = 0;
    zmq::message_t frame;
    do {
      if (!router.recv(frame, zmq::recv_flags::dontwait)) return;
      // Frames beyond those that a message may have are read and dropped.
      if (++count <= kMostEnvelope)
        frames.push_back(std::move(frame));
      else
        frame.rebuild();
    } while (count <= kMostEnvelope ? frames.back().more() : router.get(zmq::sockopt::rcvmore));
    Take(std::move(frames));
  }
}

ZmqServer::ZmqServer(const std::vector<Endpoint>& endpoints, const Peers& peers,
                     const ZmqPixels& pixels, const Context& context)
    : inside_(std::make_unique<Inside>(peers, pixels, context)) {
  inside_->Bind(endpoints, &bound_);
  round_ns_.store(NowNs(), std::memory_order_relaxed);
  thread_ = std::thread([this] { Serve(); });
}

ZmqServer::~ZmqServer() {
  ending_.store(true);
  inside_->outbox->Wake();
  thread_.join();
}

void ZmqServer::Serve() {
  Inside& in = *inside_;
  std::array<zmq::pollitem_t, 3> items = {{{in.router.handle(), 0, ZMQ_POLLIN, 0},
                                           {in.judge.handle(), 0, ZMQ_POLLIN, 0},
                                           {nullptr, in.outbox->descriptor(), ZMQ_POLLIN, 0}}};
  bool ending = false;
  while (!ending) {
    ending = ending_.load();
    round_ns_.store(NowNs(), std::memory_order_relaxed);
    try {
      zmq::poll(items.data(), items.size(), ending ? std::chrono::milliseconds(0) : kRound);
      if ((items[1].revents & ZMQ_POLLIN) != 0) in.Judge();
      for (ZmqMessage& message : in.outbox->TakeAll()) in.Send(std::move(message));
      if ((items[0].revents & ZMQ_POLLIN) != 0) in.Read();
    } catch (const zmq::error_t&) {
      // Of one message: a peer that has gone, or no memory. The next ones are served.
    } catch (const std::bad_alloc&) {
    }
  }
}

}  // namespace octet::port::serve
