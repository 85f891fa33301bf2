// The project keeps its rules, and the checker finds every kind of breach.
#include "tests/architecture/architecture.h"

#include <unistd.h>

#include "tests/support/catch.h"

namespace saccade::architecture {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLines = 450;
constexpr int kManyLines = 400;

std::string joined(const Findings& findings) {
  std::string text;
  for (const std::string& finding : findings) text += "\n  " + finding;
  return text;
}

void require_none(const Findings& findings) {
  INFO(joined(findings));
  REQUIRE(findings.empty());
}

const std::vector<SourceFile>& project() {
  static const std::vector<SourceFile> files = read_tree(SACCADE_SOURCE_DIR);
  return files;
}

// A small tree without a fault, into which a test puts one.
class SeededTree {
 public:
  SeededTree()
      : root_(fs::temp_directory_path() / ("saccade-architecture-" + std::to_string(getpid()))) {
    fs::remove_all(root_);
    write("core/CMakeLists.txt", "add_library(core base/a.cpp ops/b.cpp attention/*_score.cpp)\n");
    write("core/attention/new_score.cpp", "\n");
    write("core/base/a.h", "// What a is.\n#pragma once\n");
    write("captioning/install/public_headers.txt", "# Public\n\ncore/base/a.h\n");
    write("core/base/a.cpp", "#include \"core/base/a.h\"\n#include <vector>\n");
    write("core/ops/b.cpp", "#include \"core/base/a.h\"\n// #include <Eigen/Core>\n");
  }
  ~SeededTree() { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::vector<SourceFile> files() const { return read_tree(root_); }

 private:
  fs::path root_;
};

Findings check_all(const std::vector<SourceFile>& files) {
  Findings all;
  for (const Findings& part :
       {check_layers(files), check_third_party(files), check_cycles(files),
        check_sizes(files, kMostLines), check_headers(files), check_words(files),
        check_cmake(files), check_public_headers(files)}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

TEST_CASE("includes follow the layers") { require_none(check_layers(project())); }

TEST_CASE("third-party headers stay in the .cpp files that own them") {
  require_none(check_third_party(project()));
}

TEST_CASE("what is installed includes only what is installed") {
  require_none(check_public_headers(project()));
}

TEST_CASE("no include leads back to its file") { require_none(check_cycles(project())); }

TEST_CASE("no file has more lines than the limit") {
  const Findings many = check_sizes(project(), kManyLines);
  if (!many.empty()) WARN("near the limit:" << joined(many));
  require_none(check_sizes(project(), kMostLines));
}

TEST_CASE("every header starts with a comment that says what it is") {
  require_none(check_headers(project()));
}

TEST_CASE("no words that do not belong in the project") { require_none(check_words(project())); }

TEST_CASE("CMake builds every source file") {
  REQUIRE(project().size() > 20);  // so the tree was found
  require_none(check_cmake(project()));
}

TEST_CASE("a clean tree has no findings") { require_none(check_all(SeededTree().files())); }

TEST_CASE("the checker finds seeded breaches") {
  struct Breach {
    std::string path, text, finding;
    std::size_t findings = 1;
  };
  const std::string header = "// What it is.\n#pragma once\n";
  const std::vector<Breach> breaches = {
      {"core/base/a.cpp", "#include \"vision/images/image.h\"\n", "core may not include vision"},
      {"core/ops/b.cpp", "#include \"core/nn/c.h\"\n", "core/ops may not include core/nn"},
      {"captioning/model/m.h", header + "#include \"captioning/study/s.h\"\n",
       "captioning/model may not include captioning/study"},
      {"captioning/scoring/s.h", header + "#include \"core/io/i.h\"\n",
       "captioning/scoring may not include core/io"},
      {"vision/images/i.h", header + "#include \"vision/encoders/e.h\"\n",
       "vision/images may not include vision/encoders"},
      {"vision/encoders/e.h", header + "#include \"vision/drawing/d.h\"\n",
       "vision/encoders may not include vision/drawing"},
      {"vision/drawing/d.h", header + "#include \"vision/encoders/onnx/o.h\"\n",
       "vision/drawing may not include vision/encoders"},
      {"vision/loose.h", header + "#include \"vision/images/user.h\"\n",
       "vision may not include vision/images"},
      {"experiments/runs/r.h", header + "#include \"experiments/compare/c.h\"\n",
       "experiments/runs may not include experiments/compare"},
      {"experiments/commands/c.h", header + "#include \"experiments/cli.h\"\n",
       "experiments/commands may not include experiments"},
      {"experiments/benchmarks/b.h", header + "#include \"experiments/options/o.h\"\n",
       "experiments/benchmarks may not include experiments/options"},
      {"core/base/a.cpp", "#include \"a.h\"\n", "does not start with a layer"},
      {"core/base/a.cpp", "#include <Eigen/Core>\n", "belongs to core/kernels/"},
      {"core/base/a.cpp", "#include <foo/bar.h>\n", "has no owner yet"},
      {"core/base/a.cpp", "#include <opencv2/imgcodecs.hpp>\n", "belongs to tests/"},
      {"vision/images/y.h", header + "#include <opencv2/core.hpp>\n",
       "reaches vision/images/user.h"},
      {"core/base/a.h", header + "#include \"core/base/a.h\"\n", "include cycle"},
      {"core/kernels/k.h", header + "#include \"core/kernels/optimized/o.h\"\n",
       "folders that need each other"},
      {"captioning/scoring/t.h", header + "#include \"captioning/captioner.h\"\n",
       "captioning/scoring may not include captioning"},
      {"captioning/other/o.h", header + "#include \"captioning/model/m.h\"\n",
       "captioning/other may not include captioning/model"},
      {"core/base/a.h", header + "using namespace std;\n", "`using namespace`"},
      {"core/base/a.h", "#pragma once\n", "starts with a comment"},
      {"core/base/a.h", "// What it is.\n// #pragma once\n", "`#pragma once` is missing"},
      {"core/base/a.cpp", std::string(451, '\n'), "451 lines"},
      {"core/base/a.cpp", "const char* home = std::getenv(\"HOME\");\n", "environment"},
      {"core/base/a.cpp", "thread_local std::string text;\n", "parallel::PerThread"},
      {"core/base/a.cpp", "thread_local const Words words(1);\n", "parallel::PerThread"},
      {"core/base/a.cpp", "auto json = nlohmann::json::parse(text);\n", "shallow_json"},
      {"core/base/a.cpp",
       "// TO"
       "DO: later\n",
       "a note for later"},
      {"README.md",
       "see /wor"
       "k/here\n",
       "one workplace"},
      {"core/base/a.h", header + "#include \"core/base/b.h\"\n", "core/base/b.h reaches programs"},
      {"core/base/a.h", header + "#include <tbb/blocked_range.h>\n", "blocked_range.h", 2},
      {"captioning/install/public_headers.txt", "core/base/c.h\n", "no such header: core/base/c.h"},
      {"core/ops/new.cpp", "\n", "not built: add ops/new.cpp"},
      {"core/attention/other.cpp", "\n", "not built: add attention/other.cpp"},
  };
  for (const Breach& breach : breaches) {
    SeededTree tree;
    tree.write("vision/images/y.h", header);
    tree.write("vision/images/user.h", header + "#include \"vision/images/y.h\"\n");
    tree.write("core/kernels/optimized/o.h", header + "#include \"core/kernels/z.h\"\n");
    tree.write("core/kernels/z.h", header);
    tree.write(breach.path, breach.text);
    const Findings findings = check_all(tree.files());
    INFO("seeded: " << breach.path << " " << breach.finding << "; found:" << joined(findings));
    REQUIRE(findings.size() == breach.findings);
    REQUIRE(findings[0].find(breach.finding) != std::string::npos);
    REQUIRE(findings[0].find(breach.path.substr(0, breach.path.rfind('/'))) != std::string::npos);
  }
}

}  // namespace
}  // namespace saccade::architecture
