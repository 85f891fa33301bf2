#include "experiments/serve/reception.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

namespace saccade {

namespace {

constexpr std::chrono::seconds kLinger{2};
constexpr int kPause = 100;  // milliseconds between two looks at the clock
constexpr const char* kLate =
    "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

bool ends_head(std::string_view bytes) {
  return bytes.find("\n\r\n") != std::string_view::npos ||
         bytes.find("\n\n") != std::string_view::npos;
}

[[noreturn]] void fail_with_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

Reception::Reception(std::chrono::seconds timeout, std::function<void(const Arrival&)> arrived)
    : timeout_(timeout), arrived_(std::move(arrived)) {
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{.events = EPOLLIN, .data = {.fd = wake_}};
  try {
    if (epoll_ < 0 || wake_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event) != 0)
      fail_with_errno("epoll");
    thread_ = std::thread([this] { work(); });
  } catch (...) {
    ::close(epoll_);
    ::close(wake_);
    throw;
  }
}

Reception::~Reception() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (auto guest = guests_.begin(); guest != guests_.end();) {
      const auto one = guest++;
      if (!one->second.leaves) dismiss(one->first);
    }
  }
  const std::uint64_t one = 1;
  while (::write(wake_, &one, sizeof one) < 0 && errno == EINTR) {
  }
  thread_.join();
  ::close(epoll_);
  ::close(wake_);
}

void Reception::receive(int socket) { admit(socket, {.until = Clock::now() + timeout_}); }

void Reception::linger(int socket) {
  ::shutdown(socket, SHUT_WR);
  admit(socket, {.until = Clock::now() + kLinger, .leaves = true});
}

void Reception::admit(int socket, Guest guest) {
  const std::lock_guard lock(mutex_);
  if (guests_.size() >= kMostWaiting) {
    const auto oldest = std::min_element(
        guests_.begin(), guests_.end(),
        [](const auto& a, const auto& b) { return a.second.until < b.second.until; });
    dismiss(oldest->first);
  }
  guests_[socket] = guest;
  epoll_event event{.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data = {.fd = socket}};
  if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) == 0) return;
  dismiss(socket);
}

// Takes a socket out of those that wait; the lock must be held.
void Reception::forget(int socket) {
  ::epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
  guests_.erase(socket);
}

void Reception::dismiss(int socket) {
  forget(socket);
  ::close(socket);
}

void Reception::work() {
  std::array<epoll_event, 64> events{};
  while (!done()) {
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), kPause);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.fd != wake_)
        look_at(event.data.fd, (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0);
    }
    look_at_clock();
  }
}

bool Reception::done() {
  const std::lock_guard lock(mutex_);
  return ending_ && guests_.empty();
}

// `last`: the other side will send no more.
void Reception::look_at(int socket, bool last) {
  std::array<char, kAwaited> bytes{};
  Arrival arrival;
  {
    const std::lock_guard lock(mutex_);
    const auto guest = guests_.find(socket);
    if (guest == guests_.end()) return;
    const bool leaves = guest->second.leaves;
    const int how = leaves ? MSG_DONTWAIT : MSG_PEEK | MSG_DONTWAIT;
    ssize_t count = 0;
    do {
      count = ::recv(socket, bytes.data(), bytes.size(), how);
    } while ((count > 0 && leaves) || (count < 0 && errno == EINTR));
    if (count < 0 && errno == EAGAIN && !last) return;
    const std::string_view begin(bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    if (leaves || begin.empty()) return dismiss(socket);
    if (!last && begin.size() < kAwaited && !ends_head(begin)) return;
    arrival = {.socket = socket, .begin = begin, .read_by = guest->second.until};
    forget(socket);
  }
  try {
    arrived_(arrival);
  } catch (const std::exception&) {  // memory ran out
    ::close(socket);
  }
}

void Reception::look_at_clock() {
  const Clock::time_point now = Clock::now();
  const std::lock_guard lock(mutex_);
  std::vector<int> late;
  for (const auto& [socket, guest] : guests_)
    if (guest.until <= now) late.push_back(socket);
  for (const int socket : late) {
    char byte = 0;
    if (!guests_[socket].leaves && ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
      ::send(socket, kLate, std::strlen(kLate), MSG_NOSIGNAL | MSG_DONTWAIT);
    dismiss(socket);
  }
}

}  // namespace saccade
