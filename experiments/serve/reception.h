// Where connections wait for what needs no thread of their own: for the head of a request, and,
// once it is answered, for the other side to close. However many clients are slow in this, the
// threads that answer stay free. Internal to experiments/serve.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>

#include "experiments/serve/request_rules.h"

namespace saccade {

class Reception {
 public:
  using Clock = std::chrono::steady_clock;
  // A connection whose head has arrived, or of which no more will come: the begin of what it sent,
  // and the time by which the whole request must have arrived. Owns the socket from now on.
  struct Arrival {
    int socket = -1;
    std::string_view begin;
    Clock::time_point read_by;
  };
  // The most bytes of a head that are awaited here: those after which it is refused.
  static constexpr std::size_t kAwaited = kMostHead + 1;
  // Of more connections, those are closed that have waited longest.
  static constexpr std::size_t kMostWaiting = 256;

  // `arrived` is called on the thread of this object. It must not wait. Throws std::system_error
  // where there is no thread or no descriptor.
  Reception(std::chrono::seconds timeout, std::function<void(const Arrival&)> arrived);
  // Closes the connections whose heads are awaited, and waits for those that linger.
  ~Reception();
  Reception(const Reception&) = delete;
  Reception& operator=(const Reception&) = delete;

  // Waits for the head of a request. Owns the socket from now on. A head that is not there within
  // the timeout is answered with status 408.
  void receive(int socket);
  // Waits a moment for the other side to close, and reads what it still sends. Otherwise an answer
  // that was sent could be lost. Owns the socket from now on.
  void linger(int socket);

 private:
  struct Guest {
    Clock::time_point until;
    bool leaves = false;  // its answer was sent
  };

  void admit(int socket, Guest guest);
  void work();
  void look_at(int socket, bool last);
  void look_at_clock();
  void forget(int socket);
  void dismiss(int socket);
  bool done();

  std::chrono::seconds timeout_;
  std::function<void(const Arrival&)> arrived_;
  int epoll_ = -1, wake_ = -1;
  std::mutex mutex_;
  std::map<int, Guest> guests_;  // by their sockets
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace saccade
