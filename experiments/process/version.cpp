#include "experiments/process/version.h"

#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/digest.h"

// SACCADE_VERSION and the versions of the libraries, as CMake found them, come from the command
// line of the compiler: the headers of the libraries belong to other folders.
namespace saccade {

namespace {

constexpr std::array<std::pair<const char*, const char*>, 9> kLibraries = {{
    {"oneDNN", SACCADE_ONEDNN_VERSION},
    {"Eigen", SACCADE_EIGEN_VERSION},
    {"oneTBB", SACCADE_TBB_VERSION},
    {"OpenCV", SACCADE_OPENCV_VERSION},
    {"HDF5", SACCADE_HDF5_VERSION},
    {"yaml-cpp", SACCADE_YAML_VERSION},
    {"CLI11", SACCADE_CLI11_VERSION},
    {"spdlog", SACCADE_SPDLOG_VERSION},
    {"nlohmann-json", SACCADE_JSON_VERSION},
}};

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

}  // namespace

std::string version_number() { return SACCADE_VERSION; }

std::string simd_level() {
#if defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#elif defined(__AVX__)
  return "AVX";
#elif defined(__SSE4_2__)
  return "SSE4.2";
#elif defined(__SSE2__)
  return "SSE2";
#elif defined(__ARM_NEON)
  return "NEON";
#else
  return "none";
#endif
}

std::string program_digest() {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (bytes.empty()) return "";
  Digest digest;
  digest.add(bytes);
  return digest.hex();
}

std::string version_text() {
  const SourceState source = source_state();
  std::string text = "saccade " + version_number() +
                     (source.commit.empty() ? "" : "\ncommit: " + source.commit) +
                     (source.changed ? ", with changes" : "") + "\ncompiler: " + compiler() +
                     "\nSIMD: " + simd_level() + " (-march=" SACCADE_MARCH ")\nlibraries:";
  for (const auto& [name, version] : kLibraries) text += std::string(" ") + name + " " + version;
  return text;
}

std::string version_json() {
  nlohmann::ordered_json libraries;
  for (const auto& [name, version] : kLibraries) libraries[name] = version;
  const nlohmann::ordered_json json = {{"saccade", version_number()},
                                       {"compiler", compiler()},
                                       {"simd", simd_level()},
                                       {"march", SACCADE_MARCH},
                                       {"libraries", libraries}};
  return json.dump();
}

}  // namespace saccade
