// The bytes of a connection, with deadlines for a whole request and for its answer, so that nobody
// can hold a thread by sending or reading one byte now and then; and with a bound for the head that
// the library keeps, so that nobody can fill the memory. Internal to experiments/serve.
#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>

#include "experiments/serve/request_rules.h"

namespace saccade {

// The address of the other side, as text; "" where it is not known any more.
std::string address_of_client(int socket);

class SocketStream : public httplib::Stream {
 public:
  using Clock = std::chrono::steady_clock;

  // Reading ends at `read_by`, when `closing` becomes true while bytes are awaited, and after
  // `most_body` bytes of a body and what frames it. Writing ends `timeout` after the beginning of
  // each call. Both end a second after `closing` became true.
  SocketStream(socket_t socket, Clock::time_point read_by, std::chrono::seconds timeout,
               std::size_t most_body, const std::atomic<bool>& closing);

  bool late() const { return late_; }
  // Whether a head, or a line of a body, was longer than kMostHead; then no more is read.
  bool endless() const { return endless_; }
  // Whether more of a body came than may come.
  bool flooded() const { return flooded_; }
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
  mutable Clock::time_point closes_ = Clock::time_point::max();
  bool late_ = false, endless_ = false, flooded_ = false, in_head_ = true;
  std::size_t body_left_;       // bytes that may still come after the head
  std::size_t line_bytes_ = 0;  // of the head, or of a line after it
  char buffer_[1 << 14];
  size_t begin_ = 0, end_ = 0;
};

}  // namespace saccade
