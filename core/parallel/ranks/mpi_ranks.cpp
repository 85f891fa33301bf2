// The module libsaccade-ranks.so: Ranks by MPI.
#include <mpi.h>

#include <algorithm>

#include "core/parallel/ranks/ranks.h"

namespace saccade::parallel {

namespace {

// MPI counts bytes in an int.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

// An error of MPI ends all ranks, because that is what MPI does by itself: they could not go on.
class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
  }

  int rank() const override { return rank_; }
  int count() const override { return count_; }

  void exchange(int other, std::span<const char> out, std::span<char> in) override {
    for (std::size_t begin = 0; begin < std::max(out.size(), in.size()); begin += kMostBytes) {
      const auto part = [&](auto bytes) {
        return bytes.subspan(std::min(begin, bytes.size()),
                             std::min(kMostBytes, bytes.size() - std::min(begin, bytes.size())));
      };
      const auto sent = part(out);
      const auto received = part(in);
      MPI_Sendrecv(sent.data(), static_cast<int>(sent.size()), MPI_BYTE, other, 0, received.data(),
                   static_cast<int>(received.size()), MPI_BYTE, other, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    }
  }

  std::vector<std::string> gather(const std::string& mine) override {
    const auto count = static_cast<std::size_t>(count_);
    std::vector<unsigned long> sizes(count);
    const unsigned long size = mine.size();
    MPI_Allgather(&size, 1, MPI_UNSIGNED_LONG, sizes.data(), 1, MPI_UNSIGNED_LONG, MPI_COMM_WORLD);
    std::vector<std::string> out;
    for (std::size_t r = 0; r < count; ++r) {
      std::string& one = out.emplace_back();
      if (static_cast<int>(r) == rank_)
        one = mine;
      else
        one.resize(sizes[r]);
      for (std::size_t begin = 0; begin < one.size(); begin += kMostBytes)
        MPI_Bcast(one.data() + begin, static_cast<int>(std::min(kMostBytes, one.size() - begin)),
                  MPI_BYTE, static_cast<int>(r), MPI_COMM_WORLD);
    }
    return out;
  }

  void end_all(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }
  void finish() override { MPI_Finalize(); }

 private:
  int rank_ = 0, count_ = 1;
};

}  // namespace

}  // namespace saccade::parallel

extern "C" __attribute__((visibility("default"))) saccade::parallel::Ranks* saccade_open_ranks() {
  return new saccade::parallel::MpiRanks;
}
