// Tensors in the containers that hubs have: safetensors in one file or several, and what torch.save
// wrote. The files of PyTorch come from tests/golden/make_published.py.
#include "core/io/tensor_files.h"

#include <fstream>

#include "core/io/tensor_pickle.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace saccade;
using Catch::Contains;
using test::message_of;
using test::TempFolder;

namespace {

const std::string kFolder = SACCADE_CONTAINERS "/";

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string error_of(const std::filesystem::path& path) {
  return message_of<DataError>([&] { open_tensors(path); });
}

void save(const std::filesystem::path& path, const std::string& name, std::vector<float> values) {
  save_safetensors(
      path, {{name, "F32", {static_cast<Index>(values.size())}, std::as_bytes(std::span(values))}});
}

std::vector<float> numbers(const TensorFile& file, const std::string& name) {
  REQUIRE(file.find(name));
  return file.floats(*file.find(name));
}

}  // namespace

TEST_CASE("what torch.save wrote is read, whatever the strides, in both of its forms") {
  for (const auto& [file, start] : {std::pair("views.pth", ""),
                                    {"views-legacy.pth", ""},
                                    {"nested.pth", "state_dict.module."}}) {
    INFO(file);
    const auto tensors = open_tensors(kFolder + file);
    const auto named = [&](const char* name) { return start + std::string(name); };
    CHECK(tensors->entries().size() == 10);
    CHECK(numbers(*tensors, named("whole")).size() == 24);
    const std::vector<float> turned = numbers(*tensors, named("transposed"));
    CHECK(tensors->find(named("transposed"))->shape == std::vector<Index>{6, 4});
    CHECK((turned[1] == 6 && turned[4] == 1 && turned[23] == 23));
    CHECK(numbers(*tensors, named("part")) == std::vector<float>{6, 8, 10, 12, 14, 16});
    CHECK(numbers(*tensors, named("scalar")) == std::vector<float>{2.5F});
    CHECK(tensors->find(named("scalar"))->shape.empty());
    CHECK(numbers(*tensors, named("empty")).empty());
    CHECK(numbers(*tensors, named("half")) == std::vector<float>{0, 1, 2, 3, 4, 5});
    CHECK(numbers(*tensors, named("brain")) == std::vector<float>{6, 7, 8, 9, 10, 11});
    CHECK(tensors->doubles(*tensors->find(named("double"))).back() == 17);
    CHECK(numbers(*tensors, named("parameter")).size() == 12);
    CHECK_THAT(message_of<DataError>([&] { numbers(*tensors, named("count")); }),
               Contains("is of type I64"));
  }
}

TEST_CASE("a pickle that asks for anything but tensors is refused by its name, and never run") {
  for (const auto& [file, says] : {std::pair("trap.pth", "'posix system'"),
                                   {"trap-builtin.pth", "getattr"},
                                   {"trap-legacy.pth", "'posix system'"},
                                   {"complex.pth", "Complex"},
                                   {"repeated.pth", "repeats numbers"}}) {
    INFO(file);
    CHECK_THAT(error_of(kFolder + file), Contains(says) && Contains("nothing of it was run"));
  }
  CHECK_FALSE(std::filesystem::exists("THIS-MUST-NOT-RUN"));
  // Operations that tensors do not need, and pickles that are broken.
  const auto says = [](const std::string& text) {
    return message_of<DataError>([&] { read_tensor_pickle(text, "x"); });
  };
  for (const char code : {'\x93', 'i', 'o', '\x81', '\x82', '\x83', '\x84', 'P', 'B', 'C', 'V'})
    CHECK_THAT(says(std::string("\x80\x02") + code + "os\nsystem\n."), Contains("asks for"));
  for (const std::string& text :
       {std::string("."), std::string("\x80"), std::string("t."), std::string("h\x01."),
        std::string("K"), std::string("}s."), std::string("]K\x01s."),
        std::string("X\xff\xff\xff\xff."), std::string("csomething"), std::string("(K\x01K\x02u."),
        std::string("q\x01."), std::string("NQ."), std::string("]a.")})
    CHECK_FALSE(says(text).empty());
}

TEST_CASE("a file of PyTorch that was cut anywhere is refused") {
  const TempFolder folder("torch-damage");
  for (const char* name : {"views.pth", "views-legacy.pth"}) {
    const std::string whole = bytes_of(kFolder + name);
    for (std::size_t length = 0; length < whole.size(); length += 97)
      CHECK_FALSE(error_of(folder.write("cut.pth", whole.substr(0, length))).empty());
  }
}

TEST_CASE("weights in several files are one, and an index that does not fit is refused") {
  const TempFolder folder("shards");
  save(folder / "a.safetensors", "first", {1, 2});
  save(folder / "b.safetensors", "second", {3});
  const auto index = [&](const std::string& map) {
    return folder.write("model.safetensors.index.json", R"({"weight_map": {)" + map + "}}");
  };
  const std::string good = R"("first": "a.safetensors", "second": "b.safetensors")";
  for (const std::filesystem::path& path : {index(good), folder.path()}) {
    const auto tensors = open_tensors(path);
    CHECK(tensors->entries().size() == 2);
    CHECK(numbers(*tensors, "first") == std::vector<float>{1, 2});
    CHECK(numbers(*tensors, "second") == std::vector<float>{3});
  }
  for (const auto& [map, says] :
       {std::pair(R"("first": "a.safetensors", "second": "c.safetensors")", "no such file"),
        {R"("first": "b.safetensors", "second": "b.safetensors")", "it is not"},
        {R"("first": "a.safetensors", "first": "a.safetensors")", "twice"},
        {R"("first": "../a.safetensors")", "not beside it"},
        {R"("first": "a.safetensors", "third": "b.safetensors")", "it is not"},
        {R"("first": 3)", "no index"},
        {"", "no index"}}) {
    INFO(map);
    CHECK_THAT(error_of(index(map)), Contains(says));
  }
  // A part holds more than the index says.
  CHECK_THAT(error_of(index(R"("first": "a.safetensors")")), !Contains("holds"));
  save(folder / "a.safetensors", "other", {1});
  CHECK_FALSE(error_of(index(good)).empty());
}

TEST_CASE("a folder has one file of weights, or says what it lacks") {
  const TempFolder folder("weights-folder");
  CHECK_THAT(error_of(folder.path()), Contains("no weights are in this folder"));
  save(folder / "one.safetensors", "x", {1});
  CHECK(open_tensors(folder.path())->source() == (folder / "one.safetensors").string());
  save(folder / "two.safetensors", "x", {1});
  CHECK_THAT(error_of(folder.path()), Contains("several files of weights"));
  save(folder / "model.safetensors", "x", {1});
  CHECK(open_tensors(folder.path())->source() == (folder / "model.safetensors").string());
  CHECK_THAT(error_of(folder.write("x.bin", "PK\x03\x04 and no more of it")),
             Contains("zip archive"));
}
