#include "runtime/track/frame.h"

#include <string.h>

#include "runtime/track/overlap.h"

namespace octet {
namespace track {
namespace {

constexpr uint32_t kOne = OCTET_TRACKS_ONE;
// A lost track and a seen one that overlap by more are one object (the published 1 - 0.15).
constexpr uint32_t kSameObject = 55706;

uint32_t ScoreOf(const octet_box& box) {
  return box.score < kOne ? box.score : kOne;
}

Corners Clip(const octet_box& box) {
  const auto clip = [](int32_t v) {
    return v < -kMostCorner ? -kMostCorner : v > kMostCorner ? kMostCorner : v;
  };
  return {clip(box.x0), clip(box.y0), clip(box.x1), clip(box.y1)};
}

bool Counts(const octet_box& box, uint32_t above) {
  const Corners c = Clip(box);
  return ScoreOf(box) > above && c.x0 < c.x1 && c.y0 < c.y1;
}

uint32_t CountAbove(const octet_box* boxes, uint32_t box_count, uint32_t above) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < box_count; ++i) count += Counts(boxes[i], above) ? 1 : 0;
  return count;
}

// Boxes above `low` into parts.seen. If there are more than the capacity, the best of them: all
// above the least score for which they fit, then those of that score in their order.
uint32_t Select(const Parts& parts, const octet_box* boxes, uint32_t box_count) {
  State* state = parts.state;
  const uint32_t low = state->config.low, most = state->capacity;
  const uint32_t total = CountAbove(boxes, box_count, low);
  uint32_t above = low, of_equal = 0;
  if (total > most) {
    state->left_out += total - most;
    uint32_t fits = kOne;  // no score is above it
    while (fits - above > 1) {
      const uint32_t middle = above + (fits - above) / 2;
      (CountAbove(boxes, box_count, middle) > most ? above : fits) = middle;
    }
    of_equal = most - CountAbove(boxes, box_count, fits);
    above = fits;
  }
  uint32_t count = 0;
  for (uint32_t i = 0; i < box_count; ++i) {
    bool counts = Counts(boxes[i], above);
    if (!counts && of_equal != 0 && ScoreOf(boxes[i]) == above && Counts(boxes[i], low)) {
      counts = true;
      --of_equal;
    }
    if (counts) parts.seen[count++] = {Clip(boxes[i]), ScoreOf(boxes[i]), boxes[i].label, i, 0};
  }
  return count;
}

void PredictAll(const Parts& parts, int64_t steps) {
  for (uint32_t i = 0; i < parts.state->track_count; ++i) {
    Track* track = &parts.tracks[i];
    track->box = OCTET_TRACKS_NO_BOX;
    // As published: a track that was seen once stays where it was seen.
    if (track->state != kUnconfirmed) {
      Predict(steps, track->state == OCTET_TRACK_LOST, &track->motion);
    }
    parts.boxes[i] = BoxOf(track->motion);
  }
}

// What is associated in one of the three rounds.
struct Association {
  uint32_t row_count, column_count;
  uint32_t threshold;  // of a cost
  bool with_score;     // cost: 1 - IoU * score, else 1 - IoU
};

uint16_t GainOf(const Parts& parts, const Association& round, uint32_t track, const Seen& seen) {
  if (parts.state->config.classes == OCTET_TRACKS_APART &&
      parts.tracks[track].label != seen.label) {
    return 0;
  }
  uint32_t likeness = Overlap(parts.boxes[track], seen.corners);
  if (round.with_score) {
    likeness = static_cast<uint32_t>((static_cast<uint64_t>(likeness) * seen.score) >> 16);
  }
  const uint32_t least = kOne - round.threshold;
  const uint32_t gain = likeness > least ? likeness - least : 0;
  return static_cast<uint16_t>(gain < UINT16_MAX ? gain : UINT16_MAX);
}

void Associate(const Parts& parts, const Association& round, uint64_t time_us) {
  if (round.row_count == 0 || round.column_count == 0) return;
  const uint32_t stride = parts.state->capacity;
  for (uint32_t r = 0; r < round.row_count; ++r) {
    uint16_t* gains = parts.gains + r * stride;
    for (uint32_t c = 0; c < round.column_count; ++c) {
      gains[c] = GainOf(parts, round, parts.rows[r], parts.seen[parts.columns[c]]);
    }
  }
  Assign({parts.gains, round.row_count, round.column_count, stride, parts.column_of, parts.row_of,
          parts.row_potential, parts.column_potential, parts.distance, parts.reached_from,
          parts.scanned});
  for (uint32_t r = 0; r < round.row_count; ++r) {
    if (parts.column_of[r] == kNone) continue;
    Track* track = &parts.tracks[parts.rows[r]];
    Seen* seen = &parts.seen[parts.columns[parts.column_of[r]]];
    seen->taken = 1;
    Measure(seen->corners, &track->motion);
    track->seen_us = time_us;
    track->score = seen->score;
    track->label = seen->label;
    track->state = OCTET_TRACK_SEEN;
    track->box = seen->index;
  }
}

// Boxes of this frame that no track has, above `high` or not.
uint32_t ListColumns(const Parts& parts, uint32_t seen_count, bool above_high) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < seen_count; ++i) {
    const Seen& seen = parts.seen[i];
    if (seen.taken == 0 && (seen.score > parts.state->config.high) == above_high) {
      parts.columns[count++] = static_cast<uint16_t>(i);
    }
  }
  return count;
}

template <typename Wanted>
uint32_t ListRows(const Parts& parts, Wanted wanted) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < parts.state->track_count; ++i) {
    if (wanted(parts.tracks[i])) parts.rows[count++] = static_cast<uint16_t>(i);
  }
  return count;
}

void AssociateAll(const Parts& parts, uint32_t seen_count, uint64_t time_us) {
  const octet_tracks_config& config = parts.state->config;
  const auto was_not_found = [](const Track& t) { return t.box == OCTET_TRACKS_NO_BOX; };
  Association round = {};
  round = {ListRows(parts, [](const Track& t) { return t.state != kUnconfirmed; }),
           ListColumns(parts, seen_count, true), config.match, true};
  Associate(parts, round, time_us);
  round = {
      ListRows(parts,
               [&](const Track& t) { return was_not_found(t) && t.state == OCTET_TRACK_SEEN; }),
      ListColumns(parts, seen_count, false), config.second, false};
  Associate(parts, round, time_us);
  round = {
      ListRows(parts, [&](const Track& t) { return was_not_found(t) && t.state == kUnconfirmed; }),
      ListColumns(parts, seen_count, true), config.unconfirmed, true};
  Associate(parts, round, time_us);
}

// Removes the tracks that parts.removed names. The order of the others stays.
void RemoveMarked(const Parts& parts) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < parts.state->track_count; ++i) {
    if (parts.removed[i] != 0) continue;
    if (kept != i) parts.tracks[kept] = parts.tracks[i];
    ++kept;
  }
  parts.state->track_count = kept;
}

void EndUnseen(const Parts& parts, uint64_t time_us) {
  const uint64_t buffer_us = uint64_t{parts.state->config.buffer_ms} * 1000;
  for (uint32_t i = 0; i < parts.state->track_count; ++i) {
    Track* track = &parts.tracks[i];
    parts.removed[i] = 0;
    if (track->box != OCTET_TRACKS_NO_BOX) continue;
    if (track->state == kUnconfirmed || time_us - track->seen_us > buffer_us) {
      parts.removed[i] = 1;
    } else {
      track->state = OCTET_TRACK_LOST;
    }
  }
  RemoveMarked(parts);
}

// Ends the `count` lost tracks that were unseen for longest, or all of them if they are fewer.
void MakeRoom(const Parts& parts, uint32_t count) {
  memset(parts.removed, 0, parts.state->track_count);
  for (; count != 0; --count) {
    uint32_t oldest = UINT32_MAX;
    for (uint32_t i = 0; i < parts.state->track_count; ++i) {
      if (parts.tracks[i].state != OCTET_TRACK_LOST || parts.removed[i] != 0) continue;
      if (oldest == UINT32_MAX || parts.tracks[i].seen_us < parts.tracks[oldest].seen_us)
        oldest = i;
    }
    if (oldest == UINT32_MAX) break;
    parts.removed[oldest] = 1;
  }
  RemoveMarked(parts);
}

void BeginTracks(const Parts& parts, uint32_t seen_count, uint64_t time_us) {
  State* state = parts.state;
  uint32_t begun = 0;
  for (uint32_t i = 0; i < seen_count; ++i) {
    const Seen& seen = parts.seen[i];
    if (seen.taken != 0 || seen.score <= state->config.high ||
        seen.score < state->config.new_score) {
      continue;
    }
    parts.columns[begun++] = static_cast<uint16_t>(i);
  }
  const uint32_t room = state->capacity - state->track_count;
  if (begun > room) MakeRoom(parts, begun - room);
  for (uint32_t i = 0; i < begun; ++i) {
    if (state->track_count == state->capacity) {
      state->refused += begun - i;
      break;
    }
    const Seen& seen = parts.seen[parts.columns[i]];
    Track* track = &parts.tracks[state->track_count++];
    *track = {};
    track->id = ++state->last_id;
    track->begun_us = track->seen_us = time_us;
    Begin(seen.corners, &track->motion);
    track->score = seen.score;
    track->label = seen.label;
    track->state = kUnconfirmed;
    if (state->begins != 0) track->state = OCTET_TRACK_SEEN;
    track->box = seen.index;
  }
}

// Of a lost track and a seen one at the same place the one that was seen for longer stays.
void EndDoubles(const Parts& parts) {
  const uint32_t count = parts.state->track_count;
  memset(parts.removed, 0, count);
  for (uint32_t i = 0; i < count; ++i) parts.boxes[i] = BoxOf(parts.tracks[i].motion);
  for (uint32_t i = 0; i < count; ++i) {
    const Track& lost = parts.tracks[i];
    if (lost.state != OCTET_TRACK_LOST) continue;
    for (uint32_t j = 0; j < count; ++j) {
      const Track& seen = parts.tracks[j];
      if (seen.state == OCTET_TRACK_LOST ||
          (parts.state->config.classes == OCTET_TRACKS_APART && seen.label != lost.label) ||
          Overlap(parts.boxes[i], parts.boxes[j]) <= kSameObject) {
        continue;
      }
      const bool seen_stays = seen.seen_us - seen.begun_us > lost.seen_us - lost.begun_us;
      parts.removed[seen_stays ? i : j] = 1;
    }
  }
  RemoveMarked(parts);
}

}  // namespace

void Frame(const Parts& parts, uint64_t time_us, const octet_box* boxes, uint32_t box_count) {
  State* state = parts.state;
  if (time_us < state->last_us) time_us = state->last_us;
  const uint64_t gap_us = time_us - state->last_us;
  // A prediction then has at most 600 steps (filter.h).
  if (gap_us > uint64_t{state->config.buffer_ms} * 2000) state->track_count = 0;
  state->last_us = time_us;
  const uint32_t seen_count = Select(parts, boxes, box_count);
  PredictAll(parts, StepsOf(gap_us));
  AssociateAll(parts, seen_count, time_us);
  EndUnseen(parts, time_us);
  BeginTracks(parts, seen_count, time_us);
  EndDoubles(parts);
  ++state->frames;
  state->begins = 0;
}

}  // namespace track
}  // namespace octet
