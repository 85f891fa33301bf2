// The threads that handle connections: a fixed number, with a bounded queue of connections before
// them. Internal to experiments/serve.
#pragma once

#include <httplib.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace saccade {

class Connections : public httplib::TaskQueue {
 public:
  Connections(std::size_t threads, std::size_t line) : line_(line) {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }

  // Whether the connection that this thread handles came when the queue was full. Such a connection
  // is turned away at once, on the thread that accepts connections.
  static bool turned_away() { return turned_away_; }

  void enqueue(std::function<void()> connection) override {
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.size() < line_) {
        waiting_.push_back(std::move(connection));
        came_.notify_one();
        return;
      }
    }
    turned_away_ = true;
    connection();
    turned_away_ = false;
  }

  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    came_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void work() {
    while (true) {
      std::function<void()> connection;
      {
        std::unique_lock lock(mutex_);
        came_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        connection = std::move(waiting_.front());
        waiting_.pop_front();
      }
      connection();
    }
  }

  static inline thread_local bool turned_away_ = false;

  std::size_t line_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  bool ending_ = false;
};

}  // namespace saccade
