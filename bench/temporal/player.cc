#include "bench/temporal/player.h"

#include <algorithm>

namespace octet::bench {

using port::NowNs;

port::ModelOptions Player::Options(const std::string& plan, Player* player) {
  port::ModelOptions options;
  options.plan = plan;
  options.before_layer = BeforeLayer;
  options.before_layer_context = player;
  return options;
}

Player::Player(const std::string& path, const std::string& plan, bool filtered)
    : model_(path, Options(plan, this)) {
  model_.Bind();
  reader_ = std::make_unique<port::ResultReader>(model_);
  FindPieces();
  if (!filtered) return;
  const void* blob = model_.blob().base;
  octet_temporal_bytes(blob, model_.blob_bytes(), &memory_bytes_);
  if (memory_bytes_ == 0) return;  // nothing was worth a filter
  memory_.reset(std::aligned_alloc(64, (memory_bytes_ + 63) / 64 * 64));
  if (octet_temporal_init(memory_.get(), memory_bytes_, blob, model_.blob_bytes(), &temporal_)
          .code != OCTET_OK) {
    throw port::InputError(path + ": its temporal section cannot be used");
  }
  filtered_.resize(octet_layer_count(model_.session()));
  for (uint32_t i = 0; i < octet_temporal_count(temporal_); ++i) {
    octet_temporal_layer layer;
    octet_temporal_info(temporal_, i, &layer);
    if (layer.plan == model_.plan()) filtered_[layer.layer] = true;
  }
}

int Player::BeforeLayer(void* context, uint32_t layer) {
  static_cast<Player*>(context)->Filter(layer);
  return 0;
}

void Player::Filter(uint32_t layer) {
  if (temporal_ == nullptr) return;
  const uint64_t entered = NowNs();
  octet_tensor_view view;
  const bool counts = layer != 0 && filtered_[layer - 1];
  if (counts) {
    octet_layer_view(model_.session(), layer - 1, &view);
    const auto* data = static_cast<const uint8_t*>(view.data);
    before_.assign(data, data + view.bytes);
  }
  const uint64_t begun = NowNs();
  octet_temporal_apply(temporal_, model_.session(), layer);
  filter_ns_.back() += NowNs() - begun;
  if (counts) {
    const auto* data = static_cast<const uint8_t*>(view.data);
    for (size_t i = 0; i < view.bytes; ++i) changed_ += data[i] != before_[i] ? 1u : 0u;
    bytes_ += view.bytes;
  }
  own_ns_ += NowNs() - entered;
}

void Player::FindPieces() {
  octet_session* session = model_.session();
  size_t first = 0;
  for (uint32_t i = 0; i < octet_output_count(session); ++i) {
    octet_tensor_info info;
    octet_output_info(session, i, &info);
    pieces_.resize(first + info.element_count);
    for (uint32_t part = 0; part < octet_output_part_count(session, i); ++part) {
      octet_tensor_view view;
      octet_output_view(session, i, part, &view);
      for (uint32_t n = 0; n < view.dims[0]; ++n) {
        for (uint32_t h = 0; h < view.dims[1]; ++h) {
          for (uint32_t w = 0; w < view.dims[2]; ++w) {
            for (uint32_t c = 0; c < view.dims[3]; ++c) {
              pieces_[first + view.base + n * view.strides[0] + h * view.strides[1] +
                      w * view.strides[2] + c * view.strides[3]] = piece_count_;
            }
          }
        }
      }
      ++piece_count_;
    }
    first += info.element_count;
  }
  values_.resize(first);
}

void Player::Play(const octet_frame& frame) {
  octet_session* session = model_.session();
  if (octet_set_input_frame(session, 0, &frame).code != OCTET_OK) {
    throw port::InputError("the frames do not fit the model's input");
  }
  filter_ns_.push_back(0);
  own_ns_ = 0;
  const uint64_t begun = NowNs();
  octet_run(session);
  run_ns_.push_back(NowNs() - begun - own_ns_);
  Filter(octet_layer_count(session));
  size_t first = 0;
  for (uint32_t i = 0; i < octet_output_count(session); ++i) {
    const size_t count = model_.blob().outputs[i].element_count;
    octet_get_output(session, i, values_.data() + first, count);
    first += count;
  }
  results_ = &reader_->Read(session, frame.width, frame.height);
}

double Player::MedianMs(std::vector<uint64_t> ns) {
  if (ns.empty()) return 0;
  const auto middle = ns.begin() + static_cast<std::ptrdiff_t>(ns.size() / 2);
  std::nth_element(ns.begin(), middle, ns.end());
  return static_cast<double>(*middle) / 1e6;
}

double Player::changed_share() const {
  return bytes_ == 0 ? 0 : static_cast<double>(changed_) / static_cast<double>(bytes_);
}

uint64_t Player::cuts() const {
  uint64_t cuts = 0;
  for (uint32_t i = 0; i < filters(); ++i) {
    octet_temporal_layer layer;
    octet_temporal_info(temporal_, i, &layer);
    cuts += layer.cuts;
  }
  return cuts;
}

}  // namespace octet::bench
