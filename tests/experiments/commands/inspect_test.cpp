// inspect on files that are no checkpoints.
#include <array>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "experiments/cli.h"
#include "tests/support/catch.h"
#include "tests/support/onnx_file.h"
#include "tests/support/temp_folder.h"

namespace saccade::test {
namespace {

TEST_CASE("the layers of an ONNX file are one JSON object, like every other output") {
  const TempFolder folder("inspect-onnx");
  const std::string file = (folder / "small.onnx").string();
  save_small_onnx(file);
  const std::array<const char*, 6> arguments{"saccade", "inspect",      file.c_str(),
                                             "--json",  "--image-size", "32"};
  std::ostringstream out;
  std::streambuf* before = std::cout.rdbuf(out.rdbuf());
  const int code = run_program(static_cast<int>(arguments.size()), arguments.data(), {});
  std::cout.rdbuf(before);
  REQUIRE(code == 0);
  const nlohmann::json json = nlohmann::json::parse(out.str());
  REQUIRE(json.is_object());
  CHECK(json.at("schema_version") == 1);
  CHECK(json.at("file") == file);
  REQUIRE(json.at("layers").is_array());
  bool last = false;
  for (const nlohmann::json& layer : json.at("layers")) {
    CHECK(layer.contains("type"));
    CHECK(layer.at("encoder_types") == nlohmann::json{"onnx", "onnx_native"});
    if (layer.at("name") == "last") {
      last = true;
      CHECK(layer.at("shape").size() == 4);
    }
  }
  CHECK(last);
}

}  // namespace
}  // namespace saccade::test
