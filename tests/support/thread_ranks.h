// Ranks that are threads of the test, so that what is spread over ranks is tested without MPI.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "core/parallel/ranks/ranks.h"

namespace saccade::test {

// Where the ranks leave their messages.
class Board {
 public:
  explicit Board(int ranks) : ranks_(ranks) {}
  int ranks() const { return ranks_; }
  // The messages from one rank to another are received in the order in which they are sent.
  void send(int from, int to, std::string bytes) {
    const std::lock_guard lock(mutex_);
    messages_[{from, to}].push_back(std::move(bytes));
    changed_.notify_all();
  }
  std::string receive(int from, int to) {
    std::unique_lock lock(mutex_);
    auto& queue = messages_[{from, to}];
    changed_.wait(lock, [&] { return !queue.empty(); });
    std::string bytes = std::move(queue.front());
    queue.erase(queue.begin());
    return bytes;
  }

 private:
  int ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::vector<std::string>> messages_;
};

class ThreadRank : public parallel::Ranks {
 public:
  ThreadRank(Board& board, int rank) : board_(&board), rank_(rank) {}
  int rank() const override { return rank_; }
  int count() const override { return board_->ranks(); }
  void exchange(int other, std::span<const char> out, std::span<char> in) override {
    board_->send(rank_, other, {out.begin(), out.end()});
    const std::string bytes = board_->receive(other, rank_);
    std::copy_n(bytes.begin(), in.size(), in.begin());
  }
  std::vector<std::string> gather(const std::string& mine) override {
    std::vector<std::string> out;
    for (int other = 0; other < count(); ++other) board_->send(rank_, other, mine);
    for (int other = 0; other < count(); ++other) out.push_back(board_->receive(other, rank_));
    return out;
  }
  void end_all(int) override {}
  void finish() override {}

 private:
  Board* board_;
  int rank_;
};

// Calls body(rank) for so many ranks at the same time, each of which works over the others.
inline void for_ranks(int count, const std::function<void(int)>& body) {
  Board board(count);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      ThreadRank own(board, rank);
      const parallel::OverRanks over(&own);
      body(rank);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace saccade::test
