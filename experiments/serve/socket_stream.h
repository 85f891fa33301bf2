// The bytes of a connection, with deadlines for a whole request and for its answer, so that nobody
// can hold a thread by sending or reading one byte now and then; and with a bound for the head that
// the library keeps, so that nobody can fill the memory. Internal to experiments/serve.
#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>

namespace saccade {

class SocketStream : public httplib::Stream {
 public:
  // The most bytes of a request's line and headers together, and of a line between the chunks of a
  // body.
  static constexpr std::size_t kMostHead = 1 << 16;

  using Clock = std::chrono::steady_clock;

  // Reading ends at `read_by`, or when `closing` becomes true while bytes are awaited. Writing ends
  // `timeout` after the beginning of each call.
  SocketStream(socket_t socket, Clock::time_point read_by, std::chrono::seconds timeout,
               const std::atomic<bool>& closing);

  bool late() const { return late_; }
  // Whether a head, or a line of a body, was longer than kMostHead; then no more is read.
  bool endless() const { return endless_; }
  // To be called when the head has been read; the lines that follow are those of a body.
  void end_head() {
    in_head_ = false;
    line_bytes_ = 0;
  }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* out, size_t size) override;
  ssize_t write(const char* from, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  // Reads more bytes where none are left; false at the end of the stream or after the deadline.
  bool fill();
  bool ready(short events, Clock::time_point until) const;
  // Counts a byte of a line, which the library reads one by one; false beyond the bound.
  bool count_byte(char byte);

  socket_t socket_;
  std::chrono::seconds timeout_;
  const std::atomic<bool>& closing_;
  Clock::time_point read_by_;
  bool late_ = false, endless_ = false, in_head_ = true;
  std::size_t line_bytes_ = 0;  // of the head, or of a line after it
  char buffer_[1 << 14];
  size_t begin_ = 0, end_ = 0;
};

}  // namespace saccade
