// A queue of pictures that many threads bring and one thread captions, in the order of arrival.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/real.h"
#include "experiments/serve/requested_search.h"

namespace saccade {

struct CaptionRequest {
  std::vector<std::uint8_t> picture{};  // the bytes of an image file
  RequestedSearch search{};
};

// Captions a picture and returns the answer. May throw.
using CaptionWork = std::function<std::string(const CaptionRequest&)>;

class CaptionQueue {
 public:
  // The queue holds at most `most` pictures, including the one that is being captioned.
  CaptionQueue(CaptionWork work, Index most) : work_(std::move(work)), most_(most) {}

  // What became of a picture: it was captioned, the queue was full, or the queue was closed before
  // its turn.
  enum class Fate { kDone, kFull, kClosed };
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

  std::optional<Job> next(const std::function<bool()>& stops);
  void close();

  CaptionWork work_;
  Index most_;
  mutable std::mutex mutex_;
  std::condition_variable brought_;
  std::list<Job> jobs_;
  Index count_ = 0;  // pictures that wait or are being captioned
  std::chrono::duration<double> last_{0};
  bool closed_ = false;
};

}  // namespace saccade
