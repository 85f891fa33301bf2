#include "core/parallel/processors.h"

#include <fstream>
#include <map>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

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
