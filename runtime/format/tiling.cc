#include "runtime/format/tiling.h"

namespace octet {

uint64_t Lattice::ReachFrom(uint32_t first) const {
  uint64_t reach = 0;
  for (uint32_t d = first; d < rank; ++d) reach += (size[d] - 1) * step[d];
  return reach;
}

bool Lattice::OfStrides(uint64_t new_base, const uint32_t (&dims)[4],
                        const uint32_t (&strides)[4]) {
  base = new_base;
  rank = 0;
  for (uint32_t d = 0; d < 4; ++d) {
    if (dims[d] == 1) continue;
    uint32_t place = rank++;
    for (; place > 0 && step[place - 1] < strides[d]; --place) {
      size[place] = size[place - 1];
      step[place] = step[place - 1];
    }
    size[place] = dims[d];
    step[place] = strides[d];
  }
  for (uint32_t d = rank; d-- > 0;) {
    if (step[d] <= ReachFrom(d + 1)) return false;
    if (d + 1 == rank || step[d] != size[d + 1] * step[d + 1]) continue;
    size[d] *= size[d + 1];
    step[d] = step[d + 1];
    for (uint32_t k = d + 1; k + 1 < rank; ++k) {
      size[k] = size[k + 1];
      step[k] = step[k + 1];
    }
    --rank;
  }
  return true;
}

namespace {

// A place is in both where a sum over all steps of coefficient * step, of a's positive and b's
// negative ones, is the distance of the two bases. The steps of each lattice outgrow what the
// smaller ones reach, so that few coefficients are left for each, the largest step first.
class Meeting {
 public:
  Meeting(const Lattice& a, const Lattice& b) {
    Add(a, b, false);
    Add(b, a, true);
    for (uint32_t i = count_; i-- > 0;) {
      const int64_t next_low = i + 1 == count_ ? 0 : terms_[i + 1].rest_low;
      const int64_t next_high = i + 1 == count_ ? 0 : terms_[i + 1].rest_high;
      terms_[i].rest_low = next_low + terms_[i].low * terms_[i].step;
      terms_[i].rest_high = next_high + terms_[i].high * terms_[i].step;
    }
  }

  // May it be `distance`? True where too much would have to be tried.
  bool MayBe(int64_t distance) { return From(0, distance); }

 private:
  struct Term {
    int64_t step, low, high;      // of the coefficient
    int64_t rest_low, rest_high;  // of the sum from this term on
  };

  // A dimension of `own` that spans rows of the other becomes two: rows, and what lies in one. With
  // a row too many where it ends within one, which can only show too little to be apart.
  void Add(const Lattice& own, const Lattice& other, bool negative) {
    for (uint32_t d = 0; d < own.rank; ++d) {
      uint64_t size = own.size[d];
      const uint64_t step = own.step[d];
      for (uint32_t k = 0; k < other.rank; ++k) {
        const uint64_t row = other.step[k];
        if (row <= step || row % step != 0 || size <= row / step) continue;
        AddTerm(row, (size + row / step - 1) / (row / step), negative);
        size = row / step;
      }
      AddTerm(step, size, negative);
    }
  }

  void AddTerm(uint64_t step, uint64_t size, bool negative) {
    const int64_t low = negative ? 1 - (int64_t)size : 0, high = negative ? 0 : (int64_t)size - 1;
    uint32_t place = 0;
    while (place < count_ && terms_[place].step > (int64_t)step) ++place;
    if (place < count_ && terms_[place].step == (int64_t)step) {
      terms_[place].low += low;
      terms_[place].high += high;
      return;
    }
    for (uint32_t k = count_++; k > place; --k) terms_[k] = terms_[k - 1];
    terms_[place] = Term{(int64_t)step, low, high, 0, 0};
  }

  bool From(uint32_t i, int64_t distance) {
    if (i == count_) return distance == 0;
    const Term& term = terms_[i];
    if (distance < term.rest_low || distance > term.rest_high) return false;
    for (int64_t c = term.low; c <= term.high; ++c) {
      // What the terms behind this one can be; the coefficients that leave them too much go by in
      // one step.
      const int64_t left = distance - c * term.step;
      const int64_t most = i + 1 == count_ ? 0 : terms_[i + 1].rest_high;
      const int64_t least = i + 1 == count_ ? 0 : terms_[i + 1].rest_low;
      if (left > most) {
        c += (left - most - 1) / term.step;
        continue;
      }
      if (left < least) return false;
      if (tried_++ == kMostTries || From(i + 1, left)) return true;
    }
    return false;
  }

  // A pair of FORMAT.md takes a few; a thousand parts with that many each a fraction of a second.
  static constexpr uint32_t kMostTries = 64;
  static constexpr uint32_t kMostTerms = 2 * 4;  // their steps are those of the two
  Term terms_[kMostTerms];
  uint32_t count_ = 0, tried_ = 0;
};

}  // namespace

bool AreApart(const Lattice& a, const Lattice& b) {
  if (a.base + a.ReachFrom(0) < b.base || b.base + b.ReachFrom(0) < a.base) return true;
  return !Meeting(a, b).MayBe((int64_t)b.base - (int64_t)a.base);
}

}  // namespace octet
