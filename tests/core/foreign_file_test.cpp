#include "core/base/foreign_file.h"

#include "core/io/checkpoint.h"
#include "core/io/safetensors.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade {

using Catch::Matchers::Contains;
using namespace std::string_literals;
using test::message_of;
using test::TempFolder;

namespace {

struct Case {
  std::string bytes, says;
};
// The beginnings of such files as programs write them.
const std::vector<Case> kCases{
    {"PK\x03\x04\0\0\x08\x08\0\0\0\0\0\0plain/data.pklFB"s, "it is a PyTorch file"},
    {"PK\x03\x04\x14\0\0\0\0\0archive/data.pkl"s, "it is a PyTorch file"},
    {"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03."s,
     "it is a PyTorch file"},
    {"\x80\x04\x95\x10\0\0\0\0\0\0\0}\x94"s, "it is a Python pickle"},
    {"PK\x03\x04\x14\0\0\0\0\0weights.npy"s, "it is a NumPy archive (.npz)"},
    {"PK\x03\x04\x14\0\0\0\0\0[Content_Types].xml"s, "it is a ZIP archive"},
    {"\x93NUMPY\x01\0v\0{'descr': '<f4'"s, "it is a NumPy array"},
    {"{\n  \"metadata\": {\"total_size\": 9},\n  \"weight_map\": {\"a\": \"model-00001-of-2\"}}",
     "it is the index of weights that are kept in several files"},
    {"{\"config\": 1}", "it is a JSON text"},
    {"version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 9\n", "run git lfs pull"},
    {"<!DOCTYPE html>\n<html lang=\"en\">", "it is a web page"},
    {"\n  <HTML><body>404", "it is a web page"},
    {"\xEF\xBB\xBF<html>", "it is a web page"},
    {"<?xml version=\"1.0\"?><Error><Code>AccessDenied", "it is an XML text"},
    {"\x1f\x8b\x08\0\0\0\0\0\0\x03"s, "it is compressed (gzip)"},
    {"\x28\xb5\x2f\xfd\x04"s, "it is compressed (zstd)"},
    {"\x08\x07\x12\x07pytorch\x1a\x05"s, "it is an ONNX model"},
    {"\x08\x0a:\x90\x01"s, "it is an ONNX model"},
    {"\x89HDF\r\n\x1a\n\0\0\0\0"s, "it is an HDF5 file of another program"},
    {"\x1c\0\0\0TFL3\x14\0"s, "it is a TensorFlow Lite model"},
    {"GGUF\x03\0\0\0"s, "it is a GGUF file"},
    {"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"s, "it is a PNG picture"},
    {"\xff\xd8\xff\xe0\0\x10JFIF"s, "it is a JPEG picture"},
    {"\0\0\0\x20"
     "ftypavif"s,
     "it is an AVIF picture"},
    {"RIFF\x24\0\0\0WEBPVP8 "s, "it is a WebP picture"},
};

}  // namespace

TEST_CASE("every reader of weights and models says what a file of another kind is") {
  const TempFolder folder("foreign");
  for (const Case& one : kCases) {
    INFO(one.says);
    const std::string path = folder.write("x.pth", one.bytes).string();
    CHECK_THAT(foreign_file(path), Catch::StartsWith("it is") && Contains(one.says));
    for (const std::string& error :
         {message_of<DataError>([&] { const SafetensorsFile file(path); }),
          message_of<CheckpointError>([&] { load_archive(path); })})
      CHECK_THAT(error, Catch::StartsWith(path) && Contains(one.says));
  }
  CHECK(foreign_file(folder.write("x", "# notes\nof somebody").string()).empty());
  CHECK(foreign_file(folder.write("x", "\x08").string()).empty());
  CHECK(foreign_file((folder / "none").string()).empty());
  CHECK(foreign_file(folder.path().string()).empty());
}

TEST_CASE("advice on a PyTorch file is a line of Python that makes what was wanted") {
  const TempFolder folder("foreign-advice");
  const std::string path = folder.write("my net.v2.pth", kCases[0].bytes).string();
  const std::string weights = foreign_file(path, WantedFile::kWeights);
  CHECK_THAT(weights, Contains("safetensors.torch.save_file(torch.load(\"my net.v2.pth\", "
                               "map_location=\"cpu\", weights_only=True), "
                               "\"my net.v2.safetensors\")"));
  CHECK(weights.find('\n') == std::string::npos);
  CHECK_THAT(foreign_file(path, WantedFile::kOnnx), Contains("torch.onnx.export("));
}

}  // namespace saccade
