#include "bench/temporal/figures.h"

#include <algorithm>
#include <cmath>

namespace octet::bench {
namespace {

// Boxes that a program would show; those below count for the mAP alone.
constexpr float kSure = 0.25f;

uint32_t SureBoxes(const port::Results& results) {
  const auto* first = results.boxes.data();
  return static_cast<uint32_t>(
      std::partition_point(first, first + results.count,
                           [](const octet_detection& box) { return box.score >= kSure; }) -
      first);
}

// 1: the same answer.
double Agreement(const port::Results& a, const port::Results& b) {
  const uint32_t score =
      a.task == OCTET_TASK_DETECT
          ? octet_agreement_detections(a.boxes.data(), SureBoxes(a), b.boxes.data(), SureBoxes(b))
          : octet_agreement_classes(a.classes, a.count, b.classes, b.count);
  return static_cast<double>(score) / OCTET_AGREEMENT_FULL;
}

// [x0, y0, x1, y1, score, label] of each box; of classes [score, label], best first.
nlohmann::json AnswerOf(const port::Results& results) {
  nlohmann::json answer = nlohmann::json::array();
  for (uint32_t i = 0; i < results.count; ++i) {
    if (results.task == OCTET_TASK_DETECT) {
      const octet_detection& box = results.boxes[i];
      answer.push_back({box.x0, box.y0, box.x1, box.y1, box.score, box.label});
    } else {
      answer.push_back({results.classes[i].score, results.classes[i].label});
    }
  }
  return answer;
}

double Decibels(double signal, double error) {
  constexpr double kBestDb = 100;  // of what has no error
  return error > 0 ? std::min(kBestDb, 10 * std::log10(signal / error)) : kBestDb;
}

}  // namespace

void Figures::Add(const Player& player, const Player& reference, bool first_of_clip) {
  const std::vector<float>&now = player.values(), &wanted = reference.values();
  pieces_.resize(reference.piece_count());
  const std::vector<uint32_t>& piece_of = reference.pieces();
  for (size_t i = 0; i < now.size(); ++i) {
    Piece& piece = pieces_[piece_of[i]];
    const double error = double{now[i]} - double{wanted[i]};
    piece.reference += double{wanted[i]} * double{wanted[i]};
    piece.error += error * error;
    if (first_of_clip) continue;
    const double change = double{now[i]} - double{before_[i]};
    const double reference_change = double{wanted[i]} - double{reference_before_[i]};
    piece.change += change * change;
    piece.reference_change += reference_change * reference_change;
    piece.error_change += (change - reference_change) * (change - reference_change);
  }
  agreement_ += Agreement(player.results(), reference.results());
  ++frames_;
  if (!first_of_clip) {
    steadiness_ += Agreement(player.results(), results_before_);
    ++pairs_;
  }
  before_ = now;
  reference_before_ = wanted;
  results_before_ = player.results();
  answers_.push_back(AnswerOf(player.results()));
}

nlohmann::json Figures::Json(const Player& player) const {
  // The mean over the pieces: pixels of boxes would drown probabilities.
  double db = 0, flicker = 0, flicker_db = 0, count = 0;
  for (const Piece& piece : pieces_) {
    if (!(piece.reference > 0) || !(piece.reference_change > 0)) continue;
    db += Decibels(piece.reference, piece.error);
    flicker += std::sqrt(piece.change / piece.reference_change);
    flicker_db += Decibels(piece.reference, piece.error_change);
    ++count;
  }
  const double frames = static_cast<double>(std::max<uint64_t>(1, frames_));
  count = std::max(1.0, count);
  return {{"db", db / count},
          {"flicker", flicker / count},
          {"flicker_db", flicker_db / count},
          {"agreement", agreement_ / frames},
          {"steadiness", steadiness_ / static_cast<double>(std::max<uint64_t>(1, pairs_))},
          {"changed_share", player.changed_share()},
          {"run_ms", player.run_ms()},
          {"filter_ms", player.filter_ms()},
          {"filters", player.filters()},
          {"memory_bytes", player.memory_bytes()},
          {"cuts", player.cuts()},
          {"frames", frames_},
          {"answers", answers_}};
}

}  // namespace octet::bench
