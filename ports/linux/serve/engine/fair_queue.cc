#include "ports/linux/serve/engine/fair_queue.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ports/linux/model.h"

namespace octet::port::serve {

const char* TextOf(Refusal why) {
  switch (why) {
    case Refusal::kFull:
      return "too many requests are waiting; try again later, or start octet-serve with more "
             "--threads";
    case Refusal::kLate:
      return "the request waited too long for a worker; send fewer requests at a time";
    case Refusal::kEnding:
      return "octet-serve is ending; try again later";
  }
  return "";
}

// The newest request of the client that has most, where that is more than the `own` of the one that
// comes; none: there is no such client.
std::unique_ptr<Job> FairQueue::MakeRoom(size_t own) {
  const auto most = std::max_element(
      ring_.begin(), ring_.end(),
      [](const Client& a, const Client& b) { return a.entries.size() < b.entries.size(); });
  if (most == ring_.end() || most->entries.size() <= own + 1) return nullptr;
  std::unique_ptr<Job> job = std::move(most->entries.back().job);
  most->entries.pop_back();
  --count_;
  return job;
}

void FairQueue::Put(uint64_t client, std::unique_ptr<Job> job) {
  std::unique_ptr<Job> refused;
  Refusal why = Refusal::kFull;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = clients_.find(client);
    if (closed_) {
      refused = std::move(job);
      why = Refusal::kEnding;
    } else if (count_ >= most_) {
      refused = MakeRoom(known == clients_.end() ? 0 : known->second->entries.size());
      if (refused == nullptr) refused = std::move(job);
    }
    if (job != nullptr) {
      auto at = known == clients_.end() ? ring_.end() : known->second;
      if (at == ring_.end()) {
        at = ring_.insert(ring_.end(), Client{client, {}});
        clients_.emplace(client, at);
      }
      at->entries.push_back({std::move(job), NowNs()});
      ++count_;
      changed_.notify_one();
    }
  }
  if (refused != nullptr) refused->Refuse(why);
}

std::unique_ptr<Job> FairQueue::Take() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || count_ != 0; });
  if (count_ == 0) return nullptr;
  const auto front = ring_.begin();
  std::unique_ptr<Job> job = std::move(front->entries.front().job);
  front->entries.pop_front();
  --count_;
  if (front->entries.empty()) {
    clients_.erase(front->id);
    ring_.erase(front);
  } else {
    ring_.splice(ring_.end(), ring_, front);
  }
  return job;
}

void FairQueue::Sweep(uint64_t now_ns) {
  std::vector<std::unique_ptr<Job>> late;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto client = ring_.begin(); client != ring_.end();) {
      std::deque<Entry>& entries = client->entries;
      while (!entries.empty() && now_ns > entries.front().put_ns + patience_ns_) {
        late.push_back(std::move(entries.front().job));
        entries.pop_front();
        --count_;
      }
      if (entries.empty()) clients_.erase(client->id);
      client = entries.empty() ? ring_.erase(client) : std::next(client);
    }
  }
  for (const std::unique_ptr<Job>& job : late) job->Refuse(Refusal::kLate);
}

void FairQueue::Close() {
  Ring left;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    left.swap(ring_);
    clients_.clear();
    count_ = 0;
    changed_.notify_all();
  }
  for (Client& client : left) {
    for (Entry& entry : client.entries) entry.job->Refuse(Refusal::kEnding);
  }
}

size_t FairQueue::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return count_;
}

}  // namespace octet::port::serve
