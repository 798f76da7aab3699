// The words of tasks, for people and JSON.
#ifndef OCTET_FORMAT_TASKS_H_
#define OCTET_FORMAT_TASKS_H_

#include "runtime/format/blob.h"

namespace octet {

struct TaskName {
  blob::Task task;
  const char* word;
};
constexpr TaskName kTaskNames[] = {
#define OCTET_TASK(number, Name, NAME, word) {blob::Task::k##Name, word},
#include "runtime/format/tasks.inc"
#undef OCTET_TASK
};

// As --task spells it. Of a task that this program does not know: "none".
constexpr const char* TaskWord(blob::Task task) {
  for (const TaskName& name : kTaskNames) {
    if (name.task == task) return name.word;
  }
  return kTaskNames[0].word;
}

}  // namespace octet

#endif  // OCTET_FORMAT_TASKS_H_
