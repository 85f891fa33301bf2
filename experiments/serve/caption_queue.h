// A queue of pictures that many threads bring and one thread captions, in the order of arrival.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/real.h"
#include "experiments/serve/requested_search.h"

namespace saccade {

struct CaptionRequest {
  std::vector<std::uint8_t> picture{};   // the bytes of an image file
  std::vector<std::uint8_t> features{};  // those of a file with its features; empty: it has none
  RequestedSearch search{};
  std::string client{};  // the address that it came from
};

// Captions a picture and returns the answer. May throw.
using CaptionWork = std::function<std::string(const CaptionRequest&)>;

class CaptionQueue {
 public:
  // The queue holds at most `most` pictures, including the one that is being captioned, and of one
  // client at most `per_client`.
  CaptionQueue(CaptionWork work, Index most, Index per_client)
      : work_(std::move(work)), most_(most), per_client_(per_client) {}

  // What became of a picture: it was captioned, the queue was full, it held as many pictures of its
  // client as it may, or it was closed before its turn.
  enum class Fate { kDone, kFull, kClientFull, kClosed };
  struct Answer {
    Fate fate = Fate::kDone;
    std::string json;
  };

  // Waits for the picture's turn and returns its answer; called from any thread. Throws what the
  // work threw.
  Answer caption(CaptionRequest request);

  // Captions the pictures on this thread until `stops` is true, which is asked between pictures;
  // then closes the queue.
  void work(const std::function<bool()>& stops);

  bool full() const;
  Index count() const;
  // How long the pictures in the queue will take, estimated from the time of the last one.
  std::chrono::seconds wait() const;

 private:
  struct Job {
    CaptionRequest request;
    std::promise<Answer> answer;
  };

  void leave(const std::string& client);  // with the mutex
  std::optional<Job> next(const std::function<bool()>& stops);
  void close();

  CaptionWork work_;
  Index most_, per_client_;
  mutable std::mutex mutex_;
  std::condition_variable brought_;
  std::list<Job> jobs_;
  Index count_ = 0;                         // pictures that wait or are being captioned
  std::map<std::string, Index> of_client_;  // how many of them are of each client
  std::chrono::duration<double> last_{0};
  bool closed_ = false;
};

}  // namespace saccade
