#include "core/parallel/ranks/ranks.h"

#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "core/optim/gradient_step.h"
#include "core/parallel/parallel.h"
#include "core/parallel/ranks/groups.h"
#include "tests/core/gradient_shards.h"
#include "tests/support/catch.h"
#include "tests/support/thread_ranks.h"

using namespace saccade;
using namespace saccade::test;

TEST_CASE("ranks give the bits of one process, whatever groups have nothing") {
  parallel::set_threads(2);
  // Some shards leave nothing for some parameters, and some ranks have no shard.
  for (const std::size_t shards : {1, 3, 8})
    for (const Clipping& clipping : {Clipping{}, Clipping{.norm = 5, .value = 0.1}}) {
      INFO(shards << " shards, clip_norm " << clipping.norm);
      struct Trained {
        std::vector<Real> weights, moments, norms;
      };
      const auto train_over_ranks = [&] {
        Model model;
        const auto optimizer = make_optimizer({.weight_decay = 0.01}, model.store);
        GradientStep step(model.store, *optimizer, clipping, 8);
        parallel::Ranks* const ranks = parallel::ranks();
        const auto all = static_cast<Index>(shards);
        const auto own = ranks ? parallel::shards_of(ranks->rank(), ranks->count(), all)
                               : parallel::ShardRange{.begin = 0, .end = all};
        Trained out;
        for (std::uint64_t t = 0; t < 3; ++t) {
          std::deque<Shard> made;
          std::vector<Tape*> tapes;
          for (Index s = own.begin; s < own.end; ++s)
            tapes.push_back(
                &made.emplace_back(model, 10 * t + static_cast<std::uint64_t>(s), Real{1}).tape());
          const StepReport report = step.apply(tapes, 0.01, all);
          out.norms.push_back(static_cast<Real>(report.grad_norm));
        }
        step.gather_moments();
        const auto flat = std::as_const(model.store).flat().span();
        out.weights.assign(flat.begin(), flat.end());
        for (const Optimizer::Moment& moment : optimizer->moments())
          out.moments.insert(out.moments.end(), moment.values.span().begin(),
                             moment.values.span().end());
        return out;
      };
      const Trained one = train_over_ranks();
      for (const int count : {2, 4, 8}) {
        std::vector<Trained> of_ranks(static_cast<std::size_t>(count));
        test::for_ranks(count, [&](int rank) {
          of_ranks[static_cast<std::size_t>(rank)] = train_over_ranks();
        });
        for (const Trained& trained : of_ranks) {
          const bool same = std::memcmp(trained.weights.data(), one.weights.data(),
                                        one.weights.size() * sizeof(Real)) == 0;
          CHECK(same);
          const bool same_moments = trained.moments == one.moments;
          CHECK(same_moments);
          CHECK(trained.norms == one.norms);
        }
      }
    }
}

TEST_CASE("a gradient that is not finite ends every rank with the same message") {
  test::for_ranks(2, [&](int rank) {
    Model model;
    const auto optimizer = make_optimizer({}, model.store);
    GradientStep step(model.store, *optimizer, {.norm = 5}, 2);
    Shard shard(model, 1, rank == 1 ? std::numeric_limits<Real>::infinity() : Real{1});
    const std::array<Tape*, 1> tapes{&shard.tape()};
    std::string said;
    try {
      step.apply(tapes, 0.01, 2);
    } catch (const DivergedError& error) {
      said = error.what();
    }
    const bool names_it = said.find("the gradient of long_bias") != std::string::npos;
    const std::string all = parallel::of_first_rank(said);
    if (!names_it || all != said) throw std::logic_error("rank without the message: " + said);
  });
}

TEST_CASE("figures are added up in the order of ranks, and the first error ends all") {
  const auto part = [](int number) {
    return std::vector<double>{1.0 / (number + 3), number == 2 ? 1e17 : 1};
  };
  std::vector<std::vector<double>> all;
  for (int number = 0; number < 6; ++number) all.push_back(part(number));
  all[4].push_back(7);
  const std::vector<double> sum = parallel::add_up(all, "");
  REQUIRE(sum.size() == 3);
  std::vector<std::vector<double>> of_ranks(2);
  std::vector<std::string> errors(2);
  test::for_ranks(2, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const std::vector<std::vector<double>> mine(all.begin() + (rank == 0 ? 0 : 4),
                                                rank == 0 ? all.begin() + 4 : all.end());
    of_ranks[r] = parallel::add_up(mine, "");
    try {
      parallel::add_up(mine, rank == 1 ? "of rank 1" : "");
    } catch (const DivergedError& error) {
      errors[r] = error.what();
    }
  });
  CHECK(of_ranks == std::vector<std::vector<double>>{sum, sum});
  CHECK(errors == std::vector<std::string>{"of rank 1", "of rank 1"});
  CHECK_THROWS_AS(parallel::add_up(all, "alone"), DivergedError);
}

TEST_CASE("groups of neighbours tell each other what ranks would, and nothing to other groups") {
  for (const int size : {1, 2, 4}) {
    std::array<std::vector<std::string>, 4> gathered;
    std::array<int, 4> received{};
    for_ranks(4, [&](int rank) {
      const auto group = parallel::neighbours(*parallel::ranks(), size);
      if ((group == nullptr) != (size == 1)) return;  // leaves nothing gathered
      const parallel::OverRanks over(group.get());
      // Ranks tell texts of different lengths, one of them empty.
      const auto at = static_cast<std::size_t>(rank);
      gathered[at] = parallel::join_texts({std::string(at * 1000, static_cast<char>('a' + rank))});
      if (!group) return;
      const int other = group->rank() ^ 1;
      group->exchange(other, {reinterpret_cast<const char*>(&rank), sizeof rank},
                      {reinterpret_cast<char*>(&received[at]), sizeof rank});
    });
    for (int rank = 0; rank < 4; ++rank) {
      INFO("groups of " << size << ", rank " << rank);
      std::vector<std::string> expected;
      for (int other = rank / size * size; other < rank / size * size + size; ++other)
        expected.emplace_back(static_cast<std::size_t>(other) * 1000,
                              static_cast<char>('a' + other));
      CHECK(gathered[static_cast<std::size_t>(rank)] == expected);
      if (size > 1) CHECK(received[static_cast<std::size_t>(rank)] == (rank ^ 1));
    }
  }
}
