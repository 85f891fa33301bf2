// Pictures that many threads bring and one captions, in the order in which they come.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// The answer to the bytes of an image file. May throw.
using CaptionWork = std::function<std::string(std::span<const std::uint8_t>)>;

class CaptionQueue {
 public:
  // `most` pictures are in it at once, the one that is captioned among them.
  CaptionQueue(CaptionWork work, Index most) : work_(std::move(work)), most_(most) {}

  // How a picture fared: captioned, or the queue had no place, or it was closed before its turn.
  enum class Fate { kDone, kFull, kClosed };
  struct Answer {
    Fate fate = Fate::kDone;
    std::string json;
  };

  // Waits for the picture's turn; called from any thread. Throws what the work threw.
  Answer caption(std::vector<std::uint8_t> picture);

  // Captions on this thread what is brought until `stop` is not 0, finishes the picture it is at,
  // and closes the queue.
  void work(const std::atomic<int>& stop);

  bool full() const;
  Index count() const;
  // How long the pictures that are in it will take, by the one before.
  std::chrono::seconds wait() const;

 private:
  struct Job {
    std::vector<std::uint8_t> picture;
    std::promise<Answer> answer;
  };

  std::optional<Job> next(const std::atomic<int>& stop);
  void close();

  CaptionWork work_;
  Index most_;
  mutable std::mutex mutex_;
  std::condition_variable brought_;
  std::list<Job> jobs_;
  Index count_ = 0;  // waiting or captioned
  std::chrono::duration<double> last_{0};
  bool closed_ = false;
};

}  // namespace saccade
