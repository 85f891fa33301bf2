// Rules for includes: layers, owners of third-party libraries, cycles.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "tests/architecture/architecture.h"

namespace saccade::architecture {
namespace {

struct Include {
  std::string target;
  bool quoted = false;
  int line = 0;
};

std::vector<Include> includes_of(const SourceFile& file) {
  std::vector<Include> found;
  if (!file.header() && !file.path.ends_with(".cpp")) return found;
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const std::string& line = file.code[i];
    const auto hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    const auto word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) continue;
    const auto open = line.find_first_of("<\"", word);
    if (open == std::string::npos) continue;
    const auto close = line.find_first_of(">\"", open + 1);
    found.push_back(
        {line.substr(open + 1, close - open - 1), line[open] == '"', static_cast<int>(i + 1)});
  }
  return found;
}

std::string at(const SourceFile& file, int line) {
  return file.path + ":" + std::to_string(line) + ": ";
}

bool below(const std::string& path, const std::string& prefix) { return path.starts_with(prefix); }

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// The folders of core from the bottom up. Each may include itself and the folders before it.
const std::vector<std::string> kCoreChain = {"base",     "tensor", "memory", "parallel", "kernels",
                                             "autograd", "ops",    "nn",     "attention"};
// The folders beside the chain, and what a folder may include in addition to its place in the
// chain.
const std::map<std::string, std::set<std::string>> kCoreBeside = {
    {"config", {"base"}},
    {"attention", {"config"}},
    {"optim", {"base", "tensor", "memory", "parallel", "kernels", "autograd", "nn", "config"}},
    {"io", {"base", "tensor", "memory", "parallel", "nn", "optim", "config"}},
};

// In vision, encoders and drawing know images and not each other.
const std::map<std::string, std::set<std::string>> kVisionBeside = {{"encoders", {"images"}},
                                                                    {"drawing", {"images"}}};

// The folders of the program, as those of core; "" stands for files without a folder.
const std::vector<std::string> kExperimentsChain = {
    "process", "pictures", "options", "runs", "compare", "report", "serve", "commands", ""};
const std::map<std::string, std::set<std::string>> kExperimentsBeside = {
    {"benchmarks", {"process"}}};

// The parts of captioning; at the end the library's own headers.
const std::vector<std::string> kCaptioningChain = {"scoring",  "data",     "model", "study",
                                                   "learning", "explorer", "",      "python"};

// What scores captions links neither OpenCV, oneDNN nor HDF5, so that it includes only this of the
// layers below.
const std::string kScoring = "captioning/scoring/";
const std::vector<std::string> kBelowScoring = {kScoring, "core/base/", "core/parallel/",
                                                "captioning/python/errors.h"};
// Its Python module includes the same, and the errors of all Python modules.
const std::string kMetricsModule = "captioning/python/metrics/";

// A folder includes nothing of its layer that is not allowed here.
struct Folders {
  std::vector<std::string> chain;
  std::map<std::string, std::set<std::string>> beside;
};
const std::map<std::string, Folders> kFolders = {
    {"core", {kCoreChain, kCoreBeside}},
    {"vision", {{}, kVisionBeside}},
    {"captioning", {kCaptioningChain, {}}},
    {"experiments", {kExperimentsChain, kExperimentsBeside}}};

// Folders that need what they stand in and are needed by it: the choices on an axis and what makes
// one of them, formats and their reader, what kernels share. Each counts as one with the folder
// around it; all others obey the rule for circles.
const std::set<std::string> kOneWithParent = {
    "core/attention/mechanisms", "core/attention/scopes",     "core/attention/scores",
    "core/kernels/internal",     "vision/encoders/onnx",      "vision/encoders/backbones",
    "captioning/data/scenes",    "captioning/data/sequences", "captioning/scoring/words/ptb"};

std::string room_of(const std::string& path) {
  const std::string folder = folder_of(path);
  return kOneWithParent.count(folder) > 0 ? folder_of(folder) : folder;
}

// The place of a folder in a chain; its size where the folder is not in it.
std::ptrdiff_t place_in(const std::vector<std::string>& chain, const std::string& folder) {
  return std::find(chain.begin(), chain.end(), folder) - chain.begin();
}

// Whether folder `from` of a layer may include folder `to` of the same layer.
bool allows(const Folders& folders, const std::string& from, const std::string& to) {
  if (from == to) return true;
  const auto beside = folders.beside.find(from);
  if (beside != folders.beside.end() && beside->second.count(to) > 0) return true;
  return place_in(folders.chain, from) < std::ssize(folders.chain) &&
         place_in(folders.chain, to) < place_in(folders.chain, from);
}

std::string second_part(const std::string& path) {
  const auto first = path.find('/');
  const auto second = path.find('/', first + 1);
  return second == std::string::npos ? "" : path.substr(first + 1, second - first - 1);
}

struct Owner {
  const char* library;               // the beginning of the header's name
  std::vector<const char*> allowed;  // beginnings of the paths of .cpp files that may include it
};
const std::vector<Owner> kOwners = {
    {"Eigen/", {"core/kernels/", "core/io/half.cpp", "captioning/scoring/metrics/eigenvalues.cpp"}},
    {"unsupported/Eigen/", {"core/kernels/"}},
    {"dnnl", {"core/kernels/"}},
    {"oneapi/dnnl", {"core/kernels/"}},
    {"oneapi/tbb", {"core/parallel/"}},
    {"tbb/", {"core/parallel/"}},
    {"sanitizer/", {"core/parallel/"}},
    {"mpi.h", {"core/parallel/ranks/"}},
    {"omp.h", {"core/parallel/", "core/kernels/optimized/"}},
    {"yaml-cpp/", {"core/config/"}},
    {"hdf5", {"core/io/"}},
    {"H5", {"core/io/"}},
    {"xxhash.h", {"core/", "tests/captioning/"}},
    {"spdlog/", {"experiments/process/log.cpp"}},
    {"opencv2/", {"vision/"}},
    {"opencv2/imgcodecs", {"tests/"}},  // it loads 120 libraries, at every start of a program
    {"opencv2/dnn", {"tests/"}},
    {"jpeglib.h", {"vision/images/jpeg_codec.cpp"}},
    {"jerror.h", {"vision/images/jpeg_codec.cpp"}},
    {"tiffio.h", {"vision/images/decode_tiff.cpp"}},
    {"webp/", {"vision/images/decode_webp.cpp"}},
    {"png.h", {"vision/images/png_codec.cpp"}},
    {"cairo", {"vision/drawing/pdf_canvas.cpp"}},
    {"hb", {"vision/drawing/pdf_canvas.cpp", "vision/drawing/font_coverage.cpp"}},
    {"onnx/", {"vision/encoders/onnx/"}},
    {"google/protobuf/", {"vision/encoders/onnx/"}},
    {"libstemmer.h", {"captioning/scoring/metrics/"}},
    {"zlib.h",
     {"core/io/packing.cpp", "vision/images/png_codec.cpp", "captioning/scoring/metrics/"}},
    {"expat.h", {"captioning/study/grounding/"}},
    {"csv.h", {"captioning/scoring/files/"}},
    {"utf8proc.h", {"core/base/"}},
    {"pybind11/", {"captioning/python/"}},
    {"Python.h", {"captioning/python/"}},
    {"nlohmann/", {"core/base/", "core/io/", "vision/", "captioning/", "experiments/"}},
    {"boost/math/", {"captioning/scoring/statistics/"}},
    {"boost/crc.hpp", {"core/io/"}},
    {"httplib.h", {"experiments/serve/"}},
    {"saccade/", {"experiments/examples/"}},
    {"CLI/", {"experiments/cli.cpp", "experiments/options/options.cpp", "experiments/benchmarks/"}},
};

// Headers of the C library, POSIX and the compiler, beside those of C++ (which have no suffix).
const std::set<std::string> kSystem = {
    "fcntl.h",       "glob.h",      "execinfo.h",  "immintrin.h",   "pthread.h",
    "signal.h",      "unistd.h",    "sys/file.h",  "sys/mman.h",    "sys/resource.h",
    "sys/stat.h",    "sys/types.h", "sys/wait.h",  "sys/statvfs.h", "sys/ioctl.h",
    "sys/utsname.h", "xmmintrin.h", "pmmintrin.h", "malloc.h",      "poll.h",
    "sched.h",       "cpuid.h",     "sys/time.h",  "sys/uio.h",     "sys/socket.h",
    "arpa/inet.h",   "sys/prctl.h", "sys/epoll.h", "sys/eventfd.h", "sys/syscall.h",
    "dirent.h",      "dlfcn.h",     "spawn.h",     "netinet/in.h"};

using Graph = std::map<std::string, std::set<std::string>>;

// A cycle as "a -> b -> a", if there is one.
std::optional<std::string> find_cycle(const Graph& graph) {
  std::map<std::string, int> state;  // 1: on the path, 2: done
  std::vector<std::string> path;
  std::optional<std::string> cycle;
  const std::function<void(const std::string&)> visit = [&](const std::string& node) {
    state[node] = 1;
    path.push_back(node);
    if (const auto edges = graph.find(node); edges != graph.end()) {
      for (const std::string& next : edges->second) {
        if (cycle) return;
        if (state[next] == 0) {
          visit(next);
        } else if (state[next] == 1) {
          std::string text;
          bool inside = false;
          for (const std::string& step : path) {
            inside = inside || step == next;
            if (inside) text += step + " -> ";
          }
          cycle = text + next;
        }
      }
    }
    path.pop_back();
    state[node] = 2;
  };
  for (const auto& [node, edges] : graph) {
    if (!cycle && state[node] == 0) visit(node);
  }
  return cycle;
}

}  // namespace

Findings check_layers(const std::vector<SourceFile>& files) {
  const std::vector<std::string> layers = {"core", "vision", "captioning", "experiments", "tests"};
  const auto rank = [&](const std::string& top) {
    return std::find(layers.begin(), layers.end(), top) - layers.begin();
  };
  Findings findings;
  for (const SourceFile& file : files) {
    const auto folders = kFolders.find(file.top);
    for (const Include& include : includes_of(file)) {
      if (!include.quoted) continue;
      const std::string target_top = include.target.substr(0, include.target.find('/'));
      if (rank(target_top) == static_cast<std::ptrdiff_t>(layers.size())) {
        findings.push_back(at(file, include.line) + "\"" + include.target +
                           "\" does not start with a layer; write paths from the project's root");
      } else if (rank(target_top) > rank(file.top)) {
        findings.push_back(at(file, include.line) + file.top + " may not include " + target_top +
                           " (core <- vision <- captioning <- experiments)");
      } else if (folders != kFolders.end() && target_top == file.top &&
                 !allows(folders->second, second_part(file.path), second_part(include.target))) {
        findings.push_back(at(file, include.line) + folder_of(file.path) + " may not include " +
                           folder_of(include.target) + "; see the layers in CONTRIBUTING.md");
      } else if ((below(file.path, kScoring) || below(file.path, kMetricsModule)) &&
                 std::none_of(
                     kBelowScoring.begin(), kBelowScoring.end(),
                     [&](const std::string& place) { return below(include.target, place); })) {
        findings.push_back(at(file, include.line) + folder_of(file.path) + " may not include " +
                           folder_of(include.target) +
                           "; scoring needs core/base and core/parallel alone");
      }
    }
  }
  return findings;
}

Findings check_third_party(const std::vector<SourceFile>& files) {
  std::map<std::string, std::vector<const SourceFile*>> users;  // of our headers
  for (const SourceFile& file : files) {
    for (const Include& include : includes_of(file)) {
      if (include.quoted) users[include.target].push_back(&file);
    }
  }
  Findings findings;
  for (const SourceFile& file : files) {
    for (const Include& include : includes_of(file)) {
      const std::string& name = include.target;
      const bool standard =
          name.find('.') == std::string::npos && name.find('/') == std::string::npos;
      if (include.quoted || standard || kSystem.count(name) > 0) continue;
      if (file.path == "tests/support/catch.h" && name.starts_with("catch2/")) continue;
      const Owner* owner = nullptr;
      for (const Owner& candidate : kOwners) {
        if (below(name, candidate.library)) owner = &candidate;
      }
      if (owner == nullptr) {
        findings.push_back(at(file, include.line) + "<" + name +
                           "> has no owner yet; name one in tests/architecture/includes.cpp");
        continue;
      }
      const auto owns = [&](const SourceFile& user) {
        if (user.top == "tests") return true;
        return std::any_of(owner->allowed.begin(), owner->allowed.end(),
                           [&](const char* place) { return below(user.path, place); });
      };
      if (!owns(file)) {
        findings.push_back(at(file, include.line) + "<" + name + "> belongs to " +
                           owner->allowed.front() + "; call what that folder offers");
        continue;
      }
      // A header that includes a library is private to the .cpp files of the library's owner.
      for (const SourceFile* user : users[file.path]) {
        if (!file.header() || (!user->header() && owns(*user))) continue;
        findings.push_back(at(file, include.line) + "<" + name + "> reaches " + user->path +
                           " through this header; hide it in a .cpp file");
      }
    }
  }
  return findings;
}

Findings check_public_headers(const std::vector<SourceFile>& files) {
  std::map<std::string, const SourceFile*> by_path;
  for (const SourceFile& file : files) by_path[file.path] = &file;
  const auto list = by_path.find("captioning/install/public_headers.txt");
  if (list == by_path.end()) return {"captioning/install/public_headers.txt: is missing"};
  std::set<std::string> open;
  for (const std::string& line : list->second->lines)
    if (!line.empty() && line[0] != '#') open.insert(line);
  Findings findings;
  for (const std::string& path : open) {
    const auto header = by_path.find(path);
    if (header == by_path.end()) {
      findings.push_back(list->first + ": there is no such header: " + path);
      continue;
    }
    for (const Include& include : includes_of(*header->second)) {
      const bool standard = include.target.find_first_of("./") == std::string::npos;
      if (include.quoted ? open.count(include.target) == 0 : !standard)
        findings.push_back(at(*header->second, include.line) + include.target +
                           " reaches programs that use the library through this public header; "
                           "list it in " +
                           list->first + " or hide it in a .cpp file");
    }
  }
  return findings;
}

Findings check_cycles(const std::vector<SourceFile>& files) {
  Graph headers, folders;
  for (const SourceFile& file : files) {
    for (const Include& include : includes_of(file)) {
      if (!include.quoted) continue;
      headers[file.path].insert(include.target);
      const std::string from = room_of(file.path), to = room_of(include.target);
      if (file.top != "tests" && from != to) folders[from].insert(to);
    }
  }
  Findings findings;
  if (const auto cycle = find_cycle(headers)) findings.push_back("include cycle: " + *cycle);
  if (const auto cycle = find_cycle(folders)) {
    findings.push_back("folders that need each other: " + *cycle);
  }
  return findings;
}

}  // namespace saccade::architecture
