// The only file that uses oneTBB. Its loops give the same bits for any number of threads: work is
// cut by size, never by thread count, and results are combined in index order.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/real.h"

namespace saccade::parallel {

// Sets the number of threads (at least 1) for the whole process. It may be called before the first
// loop or between loops. The threads flush denormals to zero and keep library calls
// single-threaded.
void set_threads(int count);
int threads();

struct Pool;

// Threads for one piece of work, so that a library needs none of the process. Several may exist,
// and many threads may work with one at once.
class ThreadPool {
 public:
  // At most so many threads, and no more than the machine has cores; 0: as many as it has.
  explicit ThreadPool(int count);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

 private:
  friend class WorkOn;
  std::unique_ptr<Pool> pool_;
};

// While it lives, the calling thread computes as the threads of a pool do: denormals are flushed to
// zero, and library calls are single-threaded. In the end the thread is as it was before.
class PreparedThread {
 public:
  PreparedThread();
  ~PreparedThread();
  PreparedThread(const PreparedThread&) = delete;
  PreparedThread& operator=(const PreparedThread&) = delete;

 private:
  unsigned control_ = 0;  // the floating-point unit's
  int library_threads_;
};

// While it lives, the loops of the calling thread run on `pool`, and the thread itself is
// prepared.
class WorkOn {
 public:
  explicit WorkOn(const ThreadPool& pool);
  ~WorkOn();
  WorkOn(const WorkOn&) = delete;
  WorkOn& operator=(const WorkOn&) = delete;

 private:
  PreparedThread prepared_;
  Pool* outer_;
};

// True inside a task of a loop below. Nested loops run serially in index order.
bool inside_task();

// A reference to a callable that outlives the call it is passed to; it allocates nothing.
template <class Signature>
class FunctionRef;
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
      FunctionRef(F&& f)  // NOLINT: implicit on purpose
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}
  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

// Calls body(i) for i in [0, count), each in a task of its own and in any order. If bodies throw,
// the exception of the lowest index is rethrown here.
void for_each(Index count, FunctionRef<void(Index)> body);

// The same, and while the calling thread waits for the others, it takes up no tasks but these. It
// may then hold what other tasks on its thread would overwrite.
void for_each_alone(Index count, FunctionRef<void(Index)> body);

// Calls body(begin, end) for consecutive blocks of `block` indices (the last may be shorter).
void for_blocks(Index count, Index block, FunctionRef<void(Index, Index)> body);

// Calls map(begin, end) for every block and folds the results with combine, in block order, from
// `init`.
template <class T, class Map, class Combine>
T reduce(Index count, Index block, T init, Map map, Combine combine) {
  std::vector<T> parts(static_cast<std::size_t>((count + block - 1) / block), init);
  for_blocks(count, block, [&](Index begin, Index end) {
    parts[static_cast<std::size_t>(begin / block)] = map(begin, end);
  });
  for (const T& part : parts) init = combine(init, part);
  return init;
}

// Produces items on the pool ahead of their consumer: produce(i) for i = 0, 1, ... runs in
// parallel, at most `depth` items ahead of the one being consumed, and next() returns the items in
// order and rethrows what produce threw, after which there are no more. The destructor waits for
// calls that are still running.
template <class T>
class Prefetcher {
 public:
  Prefetcher(Index count, Index depth, std::function<T(Index)> produce);
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;
  bool done() const { return consumed_ == count_; }
  T next();  // throws InternalError when done, and after a call that threw

 private:
  struct Slot;
  Index count_, consumed_ = 0, started_ = 0;
  bool failed_ = false;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::function<T(Index)> produce_;
  void start_more();
};

// The tasks behind Prefetcher: run() starts a task on the pool; wait() helps the pool until the
// task is done.
class Task {
 public:
  Task();
  ~Task();  // waits
  void run(std::function<void()> body);
  void wait();  // rethrows what the body threw

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

template <class T>
struct Prefetcher<T>::Slot {
  T value{};
  Task task;  // declared after value, so that it is destroyed, and waited for, first
};

template <class T>
Prefetcher<T>::Prefetcher(Index count, Index depth, std::function<T(Index)> produce)
    : count_(count), produce_(std::move(produce)) {
  for (Index i = 0; i < depth; ++i) slots_.push_back(std::make_unique<Slot>());
  start_more();
}

// Tasks that are still running call produce_: they must finish before any member is destroyed.
template <class T>
Prefetcher<T>::~Prefetcher() {
  slots_.clear();
}

template <class T>
void Prefetcher<T>::start_more() {
  const Index depth = static_cast<Index>(slots_.size());
  while (started_ < count_ && started_ < consumed_ + depth) {
    const Index i = started_++;
    Slot* slot = slots_[static_cast<std::size_t>(i % depth)].get();
    slot->task.run([this, slot, i] { slot->value = produce_(i); });
  }
}

template <class T>
T Prefetcher<T>::next() {
  SACCADE_ASSERT(!done() && !failed_, "a prefetcher of ", count_, " items has no more after ",
                 consumed_);
  Slot& slot = *slots_[static_cast<std::size_t>(consumed_ % static_cast<Index>(slots_.size()))];
  failed_ = true;
  slot.task.wait();
  failed_ = false;
  T value = std::move(slot.value);
  ++consumed_;
  start_more();
  return value;
}

}  // namespace saccade::parallel
