#include "experiments/process/processor.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>

namespace saccade {

namespace {

// What the names of instructions begin with that kernels and libraries choose by.
constexpr std::array<const char*, 13> kVector = {"sse",  "ssse", "avx",   "fma",  "f16c",
                                                 "amx",  "bmi",  "asimd", "neon", "sve",
                                                 "bf16", "i8mm", "fphp"};

// "GenuineIntel 6/143, stepping 8": of x86, vendor, family and model; of ARM, implementer and part.
std::string model_of(std::map<std::string, std::string>& facts) {
  const auto join = [&](const char* maker, const char* family, const char* model,
                        const char* step) -> std::string {
    if (facts[maker].empty()) return "";
    std::string text = facts[maker] + " " + facts[family] + "/" + facts[model];
    return facts[step].empty() ? text : text + ", stepping " + facts[step];
  };
  const std::string x86 = join("vendor_id", "cpu family", "model", "stepping");
  return x86.empty() ? join("CPU implementer", "CPU architecture", "CPU part", "CPU revision")
                     : x86;
}

}  // namespace

Processor read_processor(std::istream& cpuinfo) {
  std::map<std::string, std::string> facts;
  for (std::string line; std::getline(cpuinfo, line) && !(line.empty() && !facts.empty());) {
    const std::size_t colon = line.find(':');
    const std::size_t end = line.find_last_not_of(" \t", colon - (colon > 0 ? 1 : 0));
    if (colon == std::string::npos || end == std::string::npos) continue;
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    facts[line.substr(0, end + 1)] = value == std::string::npos ? "" : line.substr(value);
  }
  Processor out{.name = facts["model name"], .model = model_of(facts), .features = {}};
  if (out.name.empty()) out.name = out.model.empty() ? "unknown" : out.model;
  std::istringstream all(facts["flags"].empty() ? facts["Features"] : facts["flags"]);
  for (std::string feature; all >> feature;)
    if (std::any_of(kVector.begin(), kVector.end(),
                    [&](const char* start) { return feature.starts_with(start); }))
      out.features.push_back(feature);
  std::sort(out.features.begin(), out.features.end());
  return out;
}

Processor this_processor() {
  std::ifstream in("/proc/cpuinfo");
  return read_processor(in);
}

}  // namespace saccade
