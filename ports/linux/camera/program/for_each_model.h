// What works for one model after another, and the totals over all of them.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_FOR_EACH_MODEL_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_FOR_EACH_MODEL_H_

#include <optional>
#include <utility>

namespace octet::port {

// T has Totals, with Add, and totals().
template <typename T>
class ForEachModel {
 public:
  // A model was bound.
  template <typename... Arguments>
  void Begin(Arguments&&... arguments) {
    now_.emplace(std::forward<Arguments>(arguments)...);
  }
  // It goes.
  void End() {
    before_ = totals();
    now_.reset();
  }

  bool is_on() const { return now_.has_value(); }
  T* operator->() { return &*now_; }
  const T* operator->() const { return &*now_; }
  typename T::Totals totals() const {
    typename T::Totals all = before_;
    if (now_) all.Add(now_->totals());
    return all;
  }

 private:
  std::optional<T> now_;
  typename T::Totals before_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_FOR_EACH_MODEL_H_
