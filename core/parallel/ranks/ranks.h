// Ranks: the processes that mpirun or srun started to work on one run, and what they tell each
// other. Only mpi_ranks.cpp uses MPI; it is a module of its own, which is loaded where there are
// several ranks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace saccade::parallel {

// All ranks make the same calls in the same order, each from one thread. Where a rank ends without
// finish(), MPI ends the others.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;   // of this process, from 0
  virtual int count() const = 0;  // at least 2
  // Sends `out` to another rank, which calls this, too, and receives what it sends: so many bytes
  // as `in` has.
  virtual void exchange(int other, std::span<const char> out, std::span<char> in) = 0;
  // The bytes that every rank gave, in the order of the ranks.
  virtual std::vector<std::string> gather(const std::string& mine) = 0;
  // Ends all processes with this exit code, and does not return.
  virtual void end_all(int code) = 0;
  // Waits for all ranks; nothing may be called afterwards.
  virtual void finish() = 0;
};

// The ranks of this process, where mpirun or srun started so many processes; null where it is one.
// Throws UsageError where the program was built without MPI, and where the processes do not find
// each other.
std::unique_ptr<Ranks> open_ranks(int processes);

// The ranks of the group of `count` neighbours that this rank is in, as ranks of their own, which
// must not outlive `all`. All of the group call this. The number of ranks is a multiple of `count`;
// null for groups of one.
std::unique_ptr<Ranks> neighbours(Ranks& all, int count);

// While it lives, what the calling thread does outside of tasks is spread over ranks: updates,
// decoding, features. All ranks then do the same and get the same results.
class OverRanks {
 public:
  explicit OverRanks(Ranks* ranks);  // null: over none
  ~OverRanks();
  OverRanks(const OverRanks&) = delete;
  OverRanks& operator=(const OverRanks&) = delete;

 private:
  Ranks* outer_;
};
// Those of the innermost OverRanks of the calling thread, or null: always inside of tasks.
Ranks* ranks();
// Whether this process writes the files of a run: a process without other ranks, or rank 0.
inline bool is_first_rank() { return ranks() == nullptr || ranks()->rank() == 0; }
// What rank 0 gives, on all ranks; without ranks `mine`.
std::string of_first_rank(const std::string& mine);

// Adds up figures [n] of all parts of all ranks, in the order of ranks and parts; a part with fewer
// figures than others has zeros there. Throws DivergedError on every rank where one gives an error:
// the first.
std::vector<double> add_up(std::span<const std::vector<double>> parts, const std::string& error);
// The numbers or texts of all ranks, one after the other.
std::vector<double> join_numbers(const std::vector<double>& mine);
std::vector<std::string> join_texts(const std::vector<std::string>& mine);

}  // namespace saccade::parallel
