// A connection's bytes with deadlines for the whole of a request and of its answer, so that nobody
// holds a thread by sending or taking a byte now and then. Internal to experiments/serve.
#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>

namespace saccade {

class SocketStream : public httplib::Stream {
 public:
  // Reading ends `timeout` from now, or when `closing` becomes true while no byte has come yet or
  // more are missing; writing ends `timeout` after each call.
  SocketStream(socket_t socket, std::chrono::seconds timeout, const std::atomic<bool>& closing);

  // Whether a first byte comes in time.
  bool wait() { return fill(); }
  bool late() const { return late_; }
  // After the answer: waits a moment for the other side to close, and reads what it still sends, or
  // the answer would be lost with it.
  void linger();

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* out, size_t size) override;
  ssize_t write(const char* from, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;

  // Reads ahead where nothing is left; false at the end or too late.
  bool fill();
  bool ready(short events, Clock::time_point until) const;

  socket_t socket_;
  std::chrono::seconds timeout_;
  const std::atomic<bool>& closing_;
  Clock::time_point read_by_;
  bool late_ = false;
  char buffer_[1 << 14];
  size_t begin_ = 0, end_ = 0;
};

}  // namespace saccade
