#include "core/parallel/parallel.h"

#include <atomic>
#include <stdexcept>
#include <thread>

#include "core/base/random.h"
#include "core/parallel/per_thread.h"
#include "core/parallel/processors.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace saccade {

TEST_CASE("reduce gives the same bits for 1, 2 and 4 threads") {
  std::vector<float> values(100000);
  Random random({1, Stream::kTest, 0, 0});
  for (float& v : values) v = static_cast<float>(random.normal() * std::exp(4 * random.normal()));
  std::set<float> sums;
  for (const int threads : {1, 2, 4})
    for (int repeat = 0; repeat < 20; ++repeat) {
      parallel::set_threads(threads);
      sums.insert(parallel::reduce(
          static_cast<Index>(values.size()), 1000, 0.0f,
          [&](Index begin, Index end) {
            float sum = 0;
            for (Index i = begin; i < end; ++i) sum += values[static_cast<std::size_t>(i)];
            return sum;
          },
          [](float a, float b) { return a + b; }));
    }
  CHECK(sums.size() == 1);
}

TEST_CASE("every index is visited once, nested loops are serial, and the first error is thrown") {
  parallel::set_threads(4);
  std::vector<std::atomic<int>> visits(1000);
  std::atomic<int> strays = 0;
  parallel::for_blocks(1000, 7, [&](Index begin, Index end) {
    if (!parallel::inside_task()) ++strays;
    for (Index i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
  });
  for (const auto& v : visits) CHECK(v == 1);
  CHECK(strays == 0);
  CHECK_FALSE(parallel::inside_task());
  CHECK_THROWS_WITH(parallel::for_each(100,
                                       [](Index i) {
                                         if (i % 10 == 3)
                                           throw std::runtime_error("item " + std::to_string(i));
                                       }),
                    "item 3");
}

TEST_CASE("every thread has an object of its own, made once, until the thread ends") {
  static std::atomic<int> alive = 0, refusals = 3;
  struct Counted {
    explicit Counted(int first) : value(first) {
      if (refusals-- > 0) throw std::bad_alloc();
      ++alive;
    }
    ~Counted() { --alive; }
    int value;
  };
  static parallel::PerThread<Counted> objects;
  std::atomic<int> own = 0;
  for (int i = 0; i < 3; ++i) CHECK_THROWS_AS(objects.get(1), std::bad_alloc);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&own, t] {
      for (int i = 0; i < 10; ++i) ++objects.get(100 * t).value;
      own += objects.get(0).value == 100 * t + 10;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(own == 4);
  CHECK(alive == 0);
  CHECK(objects.get(7).value == 7);
  CHECK(alive == 1);
}

TEST_CASE("a prefetcher hands out items in order and passes errors on") {
  for (const int threads : {1, 2, 4}) {
    parallel::set_threads(threads);
    parallel::Prefetcher<int> items(20, 3, [](Index i) -> int {
      if (i == 13) throw std::runtime_error("unlucky");
      return static_cast<int>(i * i);
    });
    for (int i = 0; i < 13; ++i) CHECK(items.next() == i * i);
    CHECK_THROWS_WITH(items.next(), "unlucky");
    CHECK_THROWS_AS(items.next(), InternalError);
  }
}

TEST_CASE("a prefetcher without more items says so instead of giving one") {
  for (const int threads : {1, 2})
    for (const Index count : {0, 1, 5}) {
      parallel::set_threads(threads);
      parallel::Prefetcher<std::vector<int>> items(
          count, 3, [](Index i) { return std::vector<int>(static_cast<std::size_t>(i + 1)); });
      for (Index i = 0; i < count; ++i) CHECK(std::ssize(items.next()) == i + 1);
      CHECK(items.done());
      CHECK_THROWS_AS(items.next(), InternalError);
      CHECK_THROWS_AS(items.next(), InternalError);
    }
}

TEST_CASE("a prefetcher that is left early finishes the item that it is making") {
  for (const int threads : {1, 2, 4}) {
    parallel::set_threads(threads);
    std::atomic<int> made = 0;
    {
      auto count = std::make_shared<std::atomic<int>*>(
          &made);  // lives only as long as the function that holds it
      parallel::Prefetcher<int> items(20, 5, [count](Index i) {
        ++**count;
        return static_cast<int>(i);
      });
      CHECK(items.next() == 0);
    }
    CHECK(made >= 1);
    CHECK(made <= 6);
  }
}

#if defined(__SSE__)
TEST_CASE("tasks flush denormals, also where the thread that made the pool did not") {
  const unsigned before = _mm_getcsr();
  for (const int threads : {1, 2, 4}) {
    _mm_setcsr(before & ~0x8040u);
    parallel::set_threads(threads);
    std::atomic<int> flushing = 0;
    parallel::for_each(50, [&](Index) { flushing += (_mm_getcsr() & 0x8040u) == 0x8040u; });
    CHECK(flushing == 50);
  }
  _mm_setcsr(before);
}

TEST_CASE("a pool of one's own has its own threads, and leaves the calling thread as it was") {
  parallel::set_threads(2);
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before & ~0x8040u);  // as in a program that never called us
  for (const int threads : {1, 4}) {
    const parallel::ThreadPool pool(threads);
    std::atomic<int> flushing = 0;
    {
      const parallel::WorkOn here(pool);
      CHECK(parallel::threads() <= threads);
      CHECK((_mm_getcsr() & 0x8040u) == 0x8040u);
      parallel::for_each(50, [&](Index) { flushing += (_mm_getcsr() & 0x8040u) == 0x8040u; });
      CHECK_THROWS_WITH(parallel::for_each(9, [](Index) { throw std::runtime_error("bad"); }),
                        "bad");
    }
    CHECK(flushing == 50);
    CHECK((_mm_getcsr() & 0x8040u) == 0);
    CHECK(parallel::threads() == 2);
  }
  _mm_setcsr(before);
}
#endif

TEST_CASE("several threads use pools of their own, or one together, at once") {
  const parallel::ThreadPool shared(2);
  std::atomic<Index> visits = 0;
  std::vector<std::thread> users;
  for (int user = 0; user < 4; ++user)
    users.emplace_back([&, user] {
      const parallel::ThreadPool own(2);
      const parallel::WorkOn here(user % 2 == 0 ? own : shared);
      for (int repeat = 0; repeat < 20; ++repeat) parallel::for_each(50, [&](Index) { ++visits; });
    });
  for (std::thread& user : users) user.join();
  CHECK(visits == 4 * 20 * 50);
}

}  // namespace saccade

namespace saccade {
namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

int quota_with(const Files& files) {
  const test::TempFolder root("quota");
  for (const auto& [name, text] : files) {
    const fs::path file = root.path() / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  return parallel::quota_processors(root.path());
}

const std::string kMountInfo = "proc/self/mountinfo", kGroup = "proc/self/cgroup";
const std::string kSecond = "41 31 0:38 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw",
                  kFirst =
                      "32 31 0:29 / /sys/fs/cgroup/cpu\\054cpuacct rw - cgroup cgroup "
                      "rw,cpuacct,cpu";

// Version 2 with the group /a/b and these quotas of /, /a and /a/b.
Files nested(const std::string& top, const std::string& outer, const std::string& inner) {
  return {{kMountInfo, kSecond},
          {kGroup, "1:cpuset:/x\n0::/a/b"},
          {"sys/fs/cgroup/cpu.max", top},
          {"sys/fs/cgroup/a/cpu.max", outer},
          {"sys/fs/cgroup/a/b/cpu.max", inner}};
}

// Version 1 with the group /a, whose quota is in microseconds of a period of 100 ms.
Files first_version(const std::string& quota) {
  return {{kMountInfo, "30 1 0:27 / /sys rw - sysfs sysfs rw\n" + kFirst},
          {kGroup, "5:memory:/m\n4:cpu,cpuacct:/a"},
          {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1"},
          {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000"},
          {"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", quota},
          {"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000"}};
}

}  // namespace

TEST_CASE(
    "the quota of a control group is read in both versions, and the smallest around it counts") {
  CHECK(quota_with(nested("max 100000", "max 100000", "200000 100000")) == 2);
  CHECK(quota_with(nested("max 100000", "max 100000", "150000 100000")) == 2);
  CHECK(quota_with(nested("max 100000", "max 100000", "10000 100000")) == 1);
  CHECK(quota_with(nested("max 100000", "300000 100000", "max 100000")) == 3);
  CHECK(quota_with(nested("400000 100000", "300000 100000", "800000 100000")) == 3);
  CHECK(quota_with(nested("max 100000", "max 100000", "max 100000")) == 0);
  CHECK(quota_with(first_version("250000")) == 3);
  CHECK(quota_with(first_version("-1")) == 0);
  CHECK(quota_with(first_version("0")) == 0);
}

TEST_CASE("inside a container what is mounted is the group itself") {
  Files files = nested("500000 100000", "max 100000", "max 100000");
  files[kGroup] = "0::/";  // with a namespace of control groups
  CHECK(quota_with(files) == 5);
  files[kGroup] = "0::/docker/5f";  // without one: a path of the machine outside
  CHECK(quota_with(files) == 5);
  files[kMountInfo] = "41 31 0:38 /docker/5f /sys/fs/cgroup rw - cgroup2 cgroup2 rw";
  CHECK(quota_with(files) == 5);
  files[kMountInfo] = "41 31 0:38 /docker /sys/fs/cgroup rw - cgroup2 cgroup2 rw";
  files["sys/fs/cgroup/5f/cpu.max"] = "400000 100000";
  CHECK(quota_with(files) == 4);
  files[kGroup] = "0::/../else";
  CHECK(quota_with(files) == 5);
}

TEST_CASE("what cannot be read is no quota, and there is always a processor") {
  CHECK(quota_with({}) == 0);
  CHECK(quota_with({{kMountInfo, "nothing\n\n1 2 3 - cgroup2"}, {kGroup, "x\n:\n0:"}}) == 0);
  CHECK(quota_with(nested("", "nonsense", "100000 0")) == 0);
  CHECK(quota_with(nested("max 100000", "-5 100000", "1e300 1")) == 0);
  CHECK(parallel::usable_processors() >= 1);
}

}  // namespace saccade
