#include "runtime/track/frame.h"

#include <string.h>

#include "runtime/track/overlap.h"

namespace octet {
namespace track {
namespace {

constexpr uint32_t kOne = OCTET_TRACKS_ONE;
// A lost track and a seen one that overlap by more are one object (the published 1 - 0.15).
constexpr uint32_t kSameObject = 55706;

bool IsOcSort(const Parts& parts) {
  return parts.state->config.method == OCTET_TRACKS_OC_SORT;
}

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
    // As published by ByteTrack: a track that was seen once stays where it was seen.
    if (!IsOcSort(parts) && track->state != kUnconfirmed) {
      Predict(steps, track->state == OCTET_TRACK_LOST, &track->motion);
    }
    parts.boxes[i] = PlaceOf(*track, *parts.state);
  }
}

// What is associated in one of the three rounds.
struct Association {
  uint32_t row_count, column_count;
  uint32_t least;  // likeness of a pair: above it, of OC-SORT at least it
  enum { kIou, kIouTimesScore, kIouAndDirection } likeness;
};

// A track to compare boxes with.
struct Row {
  const Track* track;
  Corners box;
  Vector from;  // of kIouAndDirection: where directions to boxes begin
};

// Half of IoU and direction, so that their sum fits.
uint16_t OcSortGain(const octet_tracks_config& config, const Association& round, const Row& row,
                    const Seen& seen, uint32_t iou) {
  if (iou < round.least) return 0;
  auto gain = static_cast<int32_t>(iou);
  if (round.likeness == Association::kIouAndDirection) {
    const int64_t agreement =
        Agreement(row.track->observed.direction, DirectionTo(row.from, seen.corners));
    const int64_t weight = (uint64_t{config.inertia} * seen.score) >> 16;
    gain += static_cast<int32_t>((agreement * weight) >> 16);
  }
  return gain > 2 ? static_cast<uint16_t>(gain / 2) : uint16_t{1};
}

uint16_t GainOf(const octet_tracks_config& config, const Association& round, const Row& row,
                const Seen& seen) {
  if (config.classes == OCTET_TRACKS_APART && row.track->label != seen.label) return 0;
  uint32_t likeness = Overlap(row.box, seen.corners);
  if (likeness == 0) return 0;
  if (config.method == OCTET_TRACKS_OC_SORT) {
    return OcSortGain(config, round, row, seen, likeness);
  }
  if (round.likeness == Association::kIouTimesScore) {
    likeness = static_cast<uint32_t>((static_cast<uint64_t>(likeness) * seen.score) >> 16);
  }
  const uint32_t gain = likeness > round.least ? likeness - round.least : 0;
  return static_cast<uint16_t>(gain < UINT16_MAX ? gain : UINT16_MAX);
}

void Associate(const Parts& parts, const Association& round, uint64_t time_us) {
  if (round.row_count == 0 || round.column_count == 0) return;
  const uint32_t stride = parts.state->capacity;
  for (uint32_t r = 0; r < round.row_count; ++r) {
    uint16_t* gains = parts.gains + r * stride;
    const Track& track = parts.tracks[parts.rows[r]];
    Row row = {&track, parts.boxes[parts.rows[r]], {0, 0}};
    if (round.likeness == Association::kIouAndDirection) {
      row.from = PlaceBefore(track.observed, time_us);
    }
    for (uint32_t c = 0; c < round.column_count; ++c) {
      gains[c] = GainOf(parts.state->config, round, row, parts.seen[parts.columns[c]]);
    }
  }
  Assign({parts.gains, round.row_count, round.column_count, stride, parts.column_of, parts.row_of,
          parts.row_potential, parts.column_potential, parts.distance, parts.rank,
          parts.reached_from});
  for (uint32_t r = 0; r < round.row_count; ++r) {
    if (parts.column_of[r] == kNone) continue;
    Track* track = &parts.tracks[parts.rows[r]];
    Seen* seen = &parts.seen[parts.columns[parts.column_of[r]]];
    seen->taken = 1;
    if (IsOcSort(parts)) {
      Observe(seen->corners, track->seen_us, time_us, &track->observed, &track->motion);
    } else {
      Measure(seen->corners, &track->motion);
    }
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

bool WasNotFound(const Track& track) {
  return track.box == OCTET_TRACKS_NO_BOX;
}

void AssociateOcSort(const Parts& parts, uint32_t seen_count, uint64_t time_us) {
  const uint32_t least = parts.state->config.iou;
  Association round = {};
  round = {ListRows(parts, WasNotFound), ListColumns(parts, seen_count, true), least,
           Association::kIouAndDirection};
  Associate(parts, round, time_us);
  round = {ListRows(parts, WasNotFound), ListColumns(parts, seen_count, false), least,
           Association::kIou};
  Associate(parts, round, time_us);
  // A track that stopped or turned is near its last observation.
  round = {ListRows(parts, WasNotFound), ListColumns(parts, seen_count, true), least,
           Association::kIou};
  for (uint32_t r = 0; r < round.row_count; ++r) {
    parts.boxes[parts.rows[r]] = parts.tracks[parts.rows[r]].observed.last;
  }
  Associate(parts, round, time_us);
}

void AssociateByteTrack(const Parts& parts, uint32_t seen_count, uint64_t time_us) {
  const octet_tracks_config& config = parts.state->config;
  Association round = {};
  round = {ListRows(parts, [](const Track& t) { return t.state != kUnconfirmed; }),
           ListColumns(parts, seen_count, true), kOne - config.match, Association::kIouTimesScore};
  Associate(parts, round, time_us);
  round = {
      ListRows(parts, [](const Track& t) { return WasNotFound(t) && t.state == OCTET_TRACK_SEEN; }),
      ListColumns(parts, seen_count, false), kOne - config.second, Association::kIou};
  Associate(parts, round, time_us);
  round = {
      ListRows(parts, [](const Track& t) { return WasNotFound(t) && t.state == kUnconfirmed; }),
      ListColumns(parts, seen_count, true), kOne - config.unconfirmed, Association::kIouTimesScore};
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
    if (!WasNotFound(*track)) continue;
    // ByteTrack ends a track that was seen once, OC-SORT keeps it.
    const bool unconfirmed = track->state == kUnconfirmed;
    if ((unconfirmed && !IsOcSort(parts)) || time_us - track->seen_us > buffer_us) {
      parts.removed[i] = 1;
    } else if (!unconfirmed) {
      track->state = OCTET_TRACK_LOST;
    }
    if (IsOcSort(parts) && track->observed.missed++ == 0) track->observed.missed_us = time_us;
  }
  RemoveMarked(parts);
}

// Ends the `count` tracks that were unseen for longest, or all unseen ones if they are fewer.
void MakeRoom(const Parts& parts, uint32_t count) {
  memset(parts.removed, 0, parts.state->track_count);
  for (; count != 0; --count) {
    uint32_t oldest = UINT32_MAX;
    for (uint32_t i = 0; i < parts.state->track_count; ++i) {
      if (!WasNotFound(parts.tracks[i]) || parts.removed[i] != 0) continue;
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
        (!IsOcSort(parts) && seen.score < state->config.new_score)) {
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
    if (IsOcSort(parts)) BeginObserved(seen.corners, time_us, &track->observed);
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

Corners PlaceOf(const Track& track, const State& state) {
  if (state.config.method != OCTET_TRACKS_OC_SORT) return BoxOf(track.motion);
  // As ByteTrack has it: from the first frame in which the track is not seen, its height stays.
  const bool lost = track.observed.missed != 0;
  const uint64_t until_us = lost ? track.observed.missed_us : state.last_us;
  Motion motion = track.motion;
  Predict(StepsOf(until_us - track.seen_us), false, &motion);
  if (lost) Predict(StepsOf(state.last_us - until_us), true, &motion);
  return BoxOf(motion);
}

void Frame(const Parts& parts, uint64_t time_us, const octet_box* boxes, uint32_t box_count) {
  State* state = parts.state;
  if (time_us < state->last_us) time_us = state->last_us;
  const uint64_t gap_us = time_us - state->last_us;
  // A prediction then has at most 600 steps (filter.h).
  if (gap_us > uint64_t{state->config.buffer_ms} * 2000) state->track_count = 0;
  state->last_us = time_us;
  const uint32_t seen_count = Select(parts, boxes, box_count);
  PredictAll(parts, StepsOf(gap_us));
  if (IsOcSort(parts)) {
    AssociateOcSort(parts, seen_count, time_us);
  } else {
    AssociateByteTrack(parts, seen_count, time_us);
  }
  EndUnseen(parts, time_us);
  BeginTracks(parts, seen_count, time_us);
  if (!IsOcSort(parts)) EndDoubles(parts);
  ++state->frames;
  state->begins = 0;
}

}  // namespace track
}  // namespace octet
