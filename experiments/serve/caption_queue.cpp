#include "experiments/serve/caption_queue.h"

#include <algorithm>
#include <cmath>

namespace saccade {

namespace {

constexpr std::chrono::milliseconds kGlance{50};  // how often an empty queue asks `stops`

}  // namespace

CaptionQueue::Answer CaptionQueue::caption(CaptionRequest request) {
  std::future<Answer> answer;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return {.fate = Fate::kClosed, .json = {}};
    if (count_ >= most_) return {.fate = Fate::kFull, .json = {}};
    Index& of_client = of_client_[request.client];
    if (of_client >= per_client_) return {.fate = Fate::kClientFull, .json = {}};
    ++of_client, ++count_;
    jobs_.push_back({.request = std::move(request), .answer = {}});
    answer = jobs_.back().answer.get_future();
  }
  brought_.notify_one();
  return answer.get();
}

void CaptionQueue::leave(const std::string& client) {
  --count_;
  const auto found = of_client_.find(client);
  if (--found->second == 0) of_client_.erase(found);
}

std::optional<CaptionQueue::Job> CaptionQueue::next(const std::function<bool()>& stops) {
  std::unique_lock lock(mutex_);
  while (!stops()) {
    if (!jobs_.empty()) {
      Job job = std::move(jobs_.front());
      jobs_.pop_front();
      return job;
    }
    brought_.wait_for(lock, kGlance);
  }
  return {};
}

void CaptionQueue::work(const std::function<bool()>& stops) {
  while (std::optional<Job> job = next(stops)) {
    const auto start = std::chrono::steady_clock::now();
    Answer answer;
    std::exception_ptr error;
    try {
      answer.json = work_(job->request);
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      leave(job->request.client);
      last_ = std::chrono::steady_clock::now() - start;
    }
    if (error)
      job->answer.set_exception(error);
    else
      job->answer.set_value(std::move(answer));
  }
  close();
}

void CaptionQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (Job& job : jobs_) {
    job.answer.set_value({.fate = Fate::kClosed, .json = {}});
    leave(job.request.client);
  }
  jobs_.clear();
}

bool CaptionQueue::full() const {
  const std::lock_guard lock(mutex_);
  return count_ >= most_;
}

Index CaptionQueue::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

std::chrono::seconds CaptionQueue::wait() const {
  const std::lock_guard lock(mutex_);
  const double seconds = std::ceil(last_.count() * static_cast<double>(count_));
  return std::chrono::seconds(std::max<Index>(1, static_cast<Index>(seconds)));
}

}  // namespace saccade
