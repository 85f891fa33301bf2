// The threads that handle connections: a fixed number, with a bounded line of connections before
// them. Internal to experiments/serve.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace saccade {

class Connections {
 public:
  // Takes fewer threads where the system starts no more. Throws std::system_error where it starts
  // none.
  Connections(std::size_t threads, std::size_t line) : line_(line) {
    threads_.reserve(threads);
    try {
      for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
    }
  }
  ~Connections() { end(); }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  // Lets a thread handle a connection; false where the line is full.
  bool handle(std::function<void()> connection) {
    const std::lock_guard lock(mutex_);
    if (ending_ || waiting_.size() >= line_) return false;
    waiting_.push_back(std::move(connection));
    came_.notify_one();
    return true;
  }

  // Waits until all connections of the line are handled; no more are taken.
  void end() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    came_.notify_all();
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
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

  std::size_t line_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  bool ending_ = false;
};

}  // namespace saccade
