// A connection's bytes with deadlines for the whole of a request and of its answer, so that nobody
// holds a thread by sending or taking a byte now and then, and with a bound for what the library
// keeps of a head, so that nobody holds memory. Internal to experiments/serve.
#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>

namespace saccade {

class SocketStream : public httplib::Stream {
 public:
  // Bytes of a request's line and headers together; of a line between the pieces of a body.
  static constexpr std::size_t kMostHead = 1 << 16;

  // Reading ends `timeout` from now, or when `closing` becomes true while no byte has come yet or
  // more are missing; writing ends `timeout` after each call.
  SocketStream(socket_t socket, std::chrono::seconds timeout, const std::atomic<bool>& closing);

  // Whether a first byte comes in time.
  bool wait() { return fill(); }
  bool late() const { return late_; }
  // Whether a head, or a line of a body, went on beyond kMostHead; no more is read.
  bool endless() const { return endless_; }
  // The head has been read; the lines that follow are a body's.
  void end_head() {
    in_head_ = false;
    line_bytes_ = 0;
  }
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
  // Counts a byte of a line, which the library asks for one by one; false beyond the bound.
  bool count_byte(char byte);

  socket_t socket_;
  std::chrono::seconds timeout_;
  const std::atomic<bool>& closing_;
  Clock::time_point read_by_;
  bool late_ = false, endless_ = false, in_head_ = true;
  std::size_t line_bytes_ = 0;  // of the head, or of a line behind it
  char buffer_[1 << 14];
  size_t begin_ = 0, end_ = 0;
};

}  // namespace saccade
