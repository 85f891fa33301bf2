#include "core/base/foreign_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace saccade {

namespace {

using Text = std::string_view;
using namespace std::string_view_literals;

// A kind of file that always has the same bytes at the same place.
struct Magic {
  std::size_t at;
  Text bytes;
  const char* what;
};

constexpr Magic kMagic[] = {
    {0, "\x93NUMPY"sv, "it is a NumPy array (.npy)"},
    {0, "\x89saccade"sv, "it is a checkpoint of saccade"},
    {0, "\x89HDF\r\n\x1a\n"sv, "it is an HDF5 file of another program, such as Keras"},
    {0, "GGUF"sv, "it is a GGUF file of weights, which only language models have"},
    {4, "TFL3"sv, "it is a TensorFlow Lite model"},
    {0, "version https://git-lfs"sv,
     "it is a Git LFS pointer and not the file itself; run git lfs pull where it came from"},
    {0, "\x1f\x8b"sv, "it is compressed (gzip); unpack it with gunzip"},
    {0,
     "\xfd"
     "7zXZ"sv,
     "it is compressed (xz); unpack it with unxz"},
    {0, "\x28\xb5\x2f\xfd"sv, "it is compressed (zstd); unpack it with unzstd"},
    {0, "BZh"sv, "it is compressed (bzip2); unpack it with bunzip2"},
    {257, "ustar"sv, "it is a tar archive; unpack it with tar xf"},
    {0, "%PDF"sv, "it is a PDF document"},
    {0, "\xff\xd8\xff"sv, "it is a JPEG picture"},
    {0, "\x89PNG\r\n\x1a\n"sv, "it is a PNG picture"},
    {0, "GIF8"sv, "it is a GIF picture"},
    {0, "II*\0"sv, "it is a TIFF picture"},
    {0, "MM\0*"sv, "it is a TIFF picture"},
    {4, "ftypavif"sv, "it is an AVIF picture"},
    {4, "ftypavis"sv, "it is an AVIF picture"},
    {4, "ftyphei"sv, "it is a HEIC picture"},
    {4, "ftypmif1"sv, "it is a HEIC picture"},
};

bool has(Text head, std::size_t at, Text bytes) {
  return head.size() >= at && head.substr(at).starts_with(bytes);
}

bool contains(Text head, Text part) { return head.find(part) != Text::npos; }

// PyTorch's files hold a pickle: within a ZIP archive, or, until version 1.6, behind a number.
bool is_pytorch(Text head) {
  return (has(head, 0, "PK\x03\x04"sv) && contains(head, "data.pkl"sv)) ||
         has(head, 0, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv);
}

// A model in protobuf: its first field is the version of the format, a small number, and another
// field of the model follows.
bool is_onnx(Text head) {
  if (head.size() < 3 || head[0] != '\x08' || head[1] < 1 || head[1] > 30) return false;
  constexpr Text kNext = "\x12\x1a\x22\x28\x32\x3a\x42";
  return kNext.find(head[2]) != Text::npos;
}

// A length of eight bytes, and a header in JSON.
bool is_safetensors(Text head) {
  return has(head, 8, "{\""sv) && has(head, 4, "\0\0\0\0"sv) && head[0] != '{';
}

std::string pytorch(const std::string& name, WantedFile wanted) {
  const std::string what = "it is a PyTorch file";
  if (wanted == WantedFile::kConfig || wanted == WantedFile::kText) return what;
  if (wanted == WantedFile::kOnnx)
    return what +
           "; export its network in Python: torch.onnx.export(model, image, \"network.onnx\")";
  const std::filesystem::path path = name.empty() ? "weights.pth" : name;
  std::filesystem::path to = path.filename();
  to.replace_extension(".safetensors");
  return str(what, "; convert its weights in Python: import torch, safetensors.torch; ",
             "safetensors.torch.save_file(torch.load(\"", path.filename().string(),
             "\", map_location=\"cpu\", weights_only=True), \"", to.string(),
             "\") (where they lie deeper, take [\"state_dict\"] or [\"model\"])");
}

std::string text_kind(Text head, WantedFile wanted) {
  if (constexpr Text kByteOrderMark = "\xef\xbb\xbf"; head.starts_with(kByteOrderMark))
    head.remove_prefix(kByteOrderMark.size());
  while (!head.empty() && std::isspace(static_cast<unsigned char>(head.front())) != 0)
    head.remove_prefix(1);
  std::string lower(head.substr(0, 512));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower.starts_with("<!doctype html") || lower.starts_with("<html") ||
      lower.starts_with("<head"))
    return "it is a web page, as after a download that failed or needs a login";
  if (lower.starts_with("<?xml") || lower.starts_with("<!doctype"))
    return "it is an XML text, as after a download that failed";
  if (wanted == WantedFile::kConfig || wanted == WantedFile::kText) return "";
  if (lower.starts_with("{") && contains(head, "\"weight_map\""sv))
    return "it is the index of weights that are kept in several files; name one of these files, or "
           "save them as one";
  if (lower.starts_with("{") || lower.starts_with("[")) return "it is a JSON text";
  return "";
}

}  // namespace

std::string foreign_file(std::span<const std::byte> bytes, const std::string& name,
                         WantedFile wanted) {
  const Text head(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (head.empty()) return "it is empty; copy it again";
  if (is_pytorch(head)) return pytorch(name, wanted);
  for (const Magic& magic : kMagic)
    if (has(head, magic.at, magic.bytes)) return magic.what;
  if (has(head, 0, "PK\x03\x04"sv))
    return contains(head, ".npy"sv) ? "it is a NumPy archive (.npz)" : "it is a ZIP archive";
  if (has(head, 0, "RIFF"sv) && has(head, 8, "WEBP"sv)) return "it is a WebP picture";
  if (is_safetensors(head)) return "it is a safetensors file";
  if (head[0] == '\x80' && head.size() > 1 && head[1] >= 2 && head[1] <= 5)
    return wanted == WantedFile::kConfig || wanted == WantedFile::kText
               ? "it is a Python pickle"
               : "it is a Python pickle; save its arrays as safetensors";
  if (is_onnx(head)) return "it is an ONNX model";
  return text_kind(head, wanted);
}

std::string foreign_file(const std::string& path, WantedFile wanted) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  std::ifstream in(path, std::ios::binary);
  std::vector<char> head(kForeignHead);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (in.bad() || (!in.eof() && in.fail())) return "";
  const auto count = static_cast<std::size_t>(in.gcount());
  return foreign_file(std::as_bytes(std::span(head).first(count)), path, wanted);
}

}  // namespace saccade
