#include "experiments/serve/socket_stream.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

namespace saccade {

namespace {

constexpr std::chrono::milliseconds kGlance{100};  // how often `closing` is read while waiting
constexpr std::chrono::seconds kHurry{1};          // what is left to a request when it is true

}  // namespace

std::string address_of_client(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char text[INET6_ADDRSTRLEN] = "";
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  if (address.ss_family == AF_INET)
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text,
                sizeof text);
  if (address.ss_family == AF_INET6)
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, text,
                sizeof text);
  return text;
}

SocketStream::SocketStream(socket_t socket, Clock::time_point read_by, std::chrono::seconds timeout,
                           std::size_t most_body, const std::atomic<bool>& closing)
    : socket_(socket),
      timeout_(timeout),
      closing_(closing),
      read_by_(read_by),
      body_left_(most_body) {}

bool SocketStream::ready(short events, Clock::time_point until) const {
  while (true) {
    const Clock::time_point now = Clock::now();
    if (closing_) closes_ = std::min(closes_, now + kHurry);
    if (now >= std::min(until, closes_)) return false;
    pollfd waiting{.fd = socket_, .events = events, .revents = 0};
    const int found = ::poll(&waiting, 1, static_cast<int>(kGlance.count()));
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) return false;
    if (events == POLLIN && closing_) return false;
  }
}

bool SocketStream::fill() {
  if (begin_ < end_) return true;
  if (!ready(POLLIN, read_by_)) {
    late_ = true;
    return false;
  }
  const ssize_t count = ::recv(socket_, buffer_, sizeof buffer_, 0);
  begin_ = 0;
  end_ = count > 0 ? static_cast<size_t>(count) : 0;
  return count > 0;
}

bool SocketStream::count_byte(char byte) {
  if (!in_head_ && byte == '\n') line_bytes_ = 0;
  endless_ = ++line_bytes_ > kMostHead;
  return !endless_;
}

ssize_t SocketStream::read(char* out, size_t size) {
  if (endless_ || !fill()) return -1;
  if (size == 1 && !count_byte(buffer_[begin_])) return -1;
  size_t count = std::min(size, end_ - begin_);
  if (!in_head_) {
    flooded_ = body_left_ == 0;
    if (flooded_) return -1;
    count = std::min(count, body_left_);
    body_left_ -= count;
  }
  std::memcpy(out, buffer_ + begin_, count);
  begin_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t SocketStream::write(const char* from, size_t size) {
  const Clock::time_point until = Clock::now() + timeout_;
  for (size_t sent = 0; sent < size;) {
    if (!ready(POLLOUT, until)) return -1;
    const ssize_t count = ::send(socket_, from + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) sent += static_cast<size_t>(count);
    if (count < 0 && errno != EAGAIN && errno != EINTR) return -1;
  }
  return static_cast<ssize_t>(size);
}

void SocketStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip = address_of_client(socket_);
  port = 0;
}

// The library asks for its own address for its logs, which this server does not keep.
void SocketStream::get_local_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

}  // namespace saccade
