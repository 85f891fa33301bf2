#include "core/parallel/parallel.h"

#include <omp.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include <algorithm>
#include <exception>
#include <latch>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/parallel/processors.h"
#if defined(__SSE__)
#include <xmmintrin.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace saccade::parallel {

namespace {

thread_local int task_depth = 0;

struct TaskScope {
  TaskScope() { ++task_depth; }
  ~TaskScope() { --task_depth; }
};

// Work passes from one thread to others and back. ThreadSanitizer has to be told, because it does
// not see what happens inside oneTBB's library.
class Handover {
 public:
#if defined(__SANITIZE_THREAD__)
  void give() { __tsan_release(&place_); }
  void take() { __tsan_acquire(&place_); }

 private:
  char place_ = 0;
#else
  void give() {}
  void take() {}
#endif
};

// Settings that every thread needs before it computes: library calls use one thread, and denormals
// are flushed to zero.
void prepare_thread() {
  omp_set_num_threads(1);
#if defined(__SSE__)
  _mm_setcsr(_mm_getcsr() | 0x8040);  // flush to zero, denormals are zero
#endif
}

class Preparer : public tbb::task_scheduler_observer {
 public:
  explicit Preparer(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) { observe(true); }
  void on_scheduler_entry(bool) override { prepare_thread(); }
};

// oneTBB starts its threads when there is work for them, on any thread, where a failure ends the
// process. So as many are started here once, and end again; the system keeps their stacks.
void require_threads(int count) {
  std::vector<std::thread> started;
  std::latch all_started(1);
  const auto end_all = [&] {
    all_started.count_down();
    for (std::thread& thread : started) thread.join();
  };
  try {
    started.reserve(static_cast<std::size_t>(count));
    while (static_cast<int>(started.size()) + 1 < count)
      started.emplace_back([&] { all_started.wait(); });
  } catch (const std::system_error&) {
    const auto most = started.size() + 1;
    end_all();
    throw Error(ExitCode::kMemory,
                str("the system starts no more than ", most, " of ", count,
                    " threads: there is no memory for them, or a limit forbids them (ulimit "
                    "-v, ulimit -u); ask for fewer with --threads 1"));
  }
  end_all();
}

}  // namespace

// Whose threads loops run on. The thread that makes a pool has to be prepared: oneTBB gives its
// floating-point settings to all tasks of the arena.
struct Pool {
  explicit Pool(int n) : count(n), arena(n), preparer(arena) { require_threads(n); }
  // The pool of the process. It may have more threads than there are cores, and the thread that
  // makes it belongs to it.
  struct OfProcess {};
  Pool(int n, OfProcess)
      : count(n),
        control(std::in_place, tbb::global_control::max_allowed_parallelism,
                static_cast<std::size_t>(n)),
        arena(n),
        preparer(arena) {
    require_threads(n);
  }
  ~Pool() { preparer.observe(false); }
  int count;
  std::optional<tbb::global_control> control;
  tbb::task_arena arena;
  Preparer preparer;
};

namespace {

thread_local Pool* pool_of_thread = nullptr;  // that of WorkOn

int cores() {
  static const int count = usable_processors();
  return count;
}

struct ProcessPoolSlot {
  std::mutex mutex;
  std::unique_ptr<Pool> pool;
};

ProcessPoolSlot& process_pool() {
  static ProcessPoolSlot slot;
  return slot;
}

Pool& pool() {
  if (pool_of_thread) return *pool_of_thread;
  ProcessPoolSlot& slot = process_pool();
  const std::lock_guard lock(slot.mutex);
  if (!slot.pool) {
    prepare_thread();
    slot.pool = std::make_unique<Pool>(cores(), Pool::OfProcess{});
  }
  return *slot.pool;
}

}  // namespace

void set_threads(int count) {
  ProcessPoolSlot& slot = process_pool();
  const std::lock_guard lock(slot.mutex);
  slot.pool.reset();
  prepare_thread();
  slot.pool = std::make_unique<Pool>(std::max(1, count), Pool::OfProcess{});
}

int threads() { return pool().count; }

ThreadPool::ThreadPool(int count) {
  const PreparedThread here;
  pool_ = std::make_unique<Pool>(count <= 0 ? cores() : std::min(count, cores()));
}

ThreadPool::~ThreadPool() = default;

PreparedThread::PreparedThread() : library_threads_(omp_get_max_threads()) {
#if defined(__SSE__)
  control_ = _mm_getcsr();
#endif
  prepare_thread();
}

PreparedThread::~PreparedThread() {
#if defined(__SSE__)
  _mm_setcsr(control_);
#endif
  omp_set_num_threads(library_threads_);
}

WorkOn::WorkOn(const ThreadPool& pool) : outer_(std::exchange(pool_of_thread, pool.pool_.get())) {}

WorkOn::~WorkOn() { pool_of_thread = outer_; }

bool inside_task() { return task_depth > 0; }

namespace {

enum class Waiting { kHelpsOthers, kAlone };

void run_tasks(Index count, Waiting waiting, FunctionRef<void(Index)> body) {
  if (count <= 0) return;
  if (count == 1) {  // no task is started: kernels below may still split their own loops
    if (!inside_task()) pool();
    return body(0);
  }
  if (inside_task() || pool().count == 1) {
    TaskScope scope;
    for (Index i = 0; i < count; ++i) body(i);
    return;
  }
  std::mutex mutex;
  std::exception_ptr error;
  Index error_index = count;
  Handover to_tasks, to_caller;
  to_tasks.give();
  const auto loop = [&] {
    tbb::parallel_for(
        Index{0}, count,
        [&](Index i) {
          to_tasks.take();
          TaskScope scope;
          try {
            body(i);
          } catch (...) {
            const std::lock_guard lock(mutex);
            if (i < error_index) {
              error_index = i;
              error = std::current_exception();
            }
          }
          to_caller.give();
        },
        tbb::simple_partitioner{});
  };
  pool().arena.execute([&] {
    if (waiting == Waiting::kAlone)
      tbb::this_task_arena::isolate(loop);
    else
      loop();
  });
  to_caller.take();
  if (error) std::rethrow_exception(error);
}

}  // namespace

void for_each(Index count, FunctionRef<void(Index)> body) {
  run_tasks(count, Waiting::kHelpsOthers, body);
}

void for_each_alone(Index count, FunctionRef<void(Index)> body) {
  run_tasks(count, Waiting::kAlone, body);
}

void for_blocks(Index count, Index block, FunctionRef<void(Index, Index)> body) {
  for_each((count + block - 1) / block,
           [&](Index i) { body(i * block, std::min(count, (i + 1) * block)); });
}

struct Task::Impl {
  tbb::task_group group;
  std::function<void()> body;
  std::exception_ptr error;
  Handover to_task, to_caller;
};

Task::Task() : impl_(std::make_unique<Impl>()) {}

Task::~Task() {
  try {
    wait();
  } catch (...) {  // a destructor cannot report it
  }
}

void Task::run(std::function<void()> body) {
  impl_->body = std::move(body);
  impl_->to_task.give();
  pool().arena.execute([&] {
    impl_->group.run([impl = impl_.get()] {
      impl->to_task.take();
      TaskScope scope;
      try {
        impl->body();
      } catch (...) {
        impl->error = std::current_exception();
      }
      impl->to_caller.give();
    });
  });
}

void Task::wait() {
  pool().arena.execute([&] { impl_->group.wait(); });
  impl_->to_caller.take();
  if (impl_->error) std::rethrow_exception(std::exchange(impl_->error, nullptr));
}

}  // namespace saccade::parallel
