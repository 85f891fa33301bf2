// The processor that this program runs on.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace saccade {

struct Processor {
  std::string name;   // "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz"; "unknown" where it is
  std::string model;  // what tells processors of one name apart: "GenuineIntel 6/143, stepping 8"
  std::vector<std::string> features;  // the vector instructions that it has: "avx2", "fma", ...
};

// Reads the first processor of a text in the form of Linux's /proc/cpuinfo, of x86 or of ARM.
Processor read_processor(std::istream& cpuinfo);

// The processor of this machine.
Processor this_processor();

}  // namespace saccade
