// Readers of pictures, networks, what hubs publish, and requests.
#include <map>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/model/published/published_captioner.h"
#include "captioning/model/published/tokenizer_files.h"
#include "core/base/unicode.h"
#include "experiments/serve/request_rules.h"
#include "experiments/serve/requested_search.h"
#include "tests/campaign/readers.h"
#include "tests/campaign/texts.h"
#include "vision/encoders/onnx/read_onnx.h"
#include "vision/encoders/published_preprocessing.h"
#include "vision/encoders/weights_facts.h"
#include "vision/images/image.h"
#include "vision/images/image_header.h"

namespace saccade::campaign {

namespace fs = std::filesystem;

namespace {

const fs::path kGolden = fs::path(SACCADE_SOURCE) / "tests/golden";

std::vector<Bytes> file(const fs::path& path) { return {bytes_of_file(path)}; }

// The most pixels are few, so that a picture that says it is huge costs nothing.
constexpr Index kPixels = Index{1} << 20;

std::vector<Bytes> small_png() {
  Image picture(5, 7);
  for (std::size_t i = 0; i < picture.rgb.size(); ++i)
    picture.rgb[i] = static_cast<std::uint8_t>(i * 37 % 256);
  return {encode_png(picture)};
}

// All nodes of an ONNX file, and its network up to the last one that saccade has.
void read_network(Input bytes) {
  std::vector<NativeNode> nodes;
  read_all_steps(Bytes(bytes.begin(), bytes.end()), "input.onnx", nodes);
  if (nodes.empty()) throw DataError("no node is known");
  read_onnx(Bytes(bytes.begin(), bytes.end()), "input.onnx",
            std::vector<std::string>{nodes.back().name}, {});
}

std::vector<Bytes> networks() {
  std::vector<Bytes> all = file(kGolden / "efficientnet_lite.onnx");
  for (const char* one :
       {"mobile-dynamo18", "mobile-older17", "dinov2-timm-dynamo18", "swin-dynamo18"})
    all.push_back(bytes_of_file(kGolden / "onnx" / (std::string(one) + ".onnx")));
  return all;
}

// A captioner's folder whose file `name` is the input.
std::function<void(Input)> in_folder(const std::string& kind, const std::string& name) {
  return [kind, name](Input bytes) {
    const fs::path place = kind + "-" + name;
    fs::path folder;
    static std::map<fs::path, bool> copied;
    for (const auto& entry : fs::directory_iterator(kGolden / "published/captioners" / kind)) {
      const std::string other = entry.path().filename().string();
      if (other == name || other.starts_with("expected") || other.ends_with("cases.json") ||
          (name == "vocab.txt" && other == "tokenizer.json") ||
          (name == "merges.txt" && other == "tokenizer.json"))
        continue;
      if (!copied[place / other]) {
        scratch_file((place / other).string(), bytes_of_file(entry.path()));
        copied[place / other] = true;
      }
    }
    folder = scratch_file((place / name).string(), bytes).parent_path();
    if (!is_published_captioner(folder)) throw DataError("no captioner");
    read_published(folder);
  };
}

std::function<std::vector<Bytes>()> of_captioner(const std::string& kind, const std::string& name) {
  return [=] { return file(kGolden / "published/captioners" / kind / name); };
}

// "key=value&key=value", as in an address.
void read_parameters(Input bytes) {
  std::multimap<std::string, std::string> parameters;
  const std::string text = text_of(bytes);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('&', begin), text.size());
    const std::string one = text.substr(begin, end - begin);
    const std::size_t equals = std::min(one.find('='), one.size());
    parameters.emplace(one.substr(0, equals), equals < one.size() ? one.substr(equals + 1) : "");
    begin = end + 1;
  }
  with_search({}, requested_search(parameters));
}

// Lines: method, path, host, origin, length, transfer coding, content coding, type.
void read_head(Input bytes) {
  std::vector<std::string> lines(8);
  std::size_t at = 0;
  for (const std::uint8_t byte : bytes)
    if (byte == '\n')
      at = std::min(at + 1, lines.size() - 1);
    else
      lines[at].push_back(static_cast<char>(byte));
  for (const bool loopback : {true, false})
    refusal({.method = lines[0],
             .path = lines[1],
             .host = lines[2],
             .origin = lines[3],
             .length = lines[4],
             .transfer = lines[5],
             .encoding = lines[6],
             .type = lines[7]},
            {.loopback = loopback, .max_upload = 1000});
  is_loopback(without_brackets(lines[2]));
}

}  // namespace

std::vector<Reader> network_readers() {
  const std::vector<std::string> chunks = {"IHDR",     "IDAT", "tRNS",    "eXIf", "\xff\xd8\xff",
                                           "\xff\xe1", "Exif", "II*",     "MM",   "RIFF",
                                           "WEBPVP8X", "BM",   "\xff\xd9"};
  return {
      {.name = "picture",
       .read = [](Input bytes) { decode_image(bytes, "input", {}, kPixels); },
       .seeds = small_png,
       .words = chunks},
      {.name = "picture_header",
       .read =
           [](Input bytes) {
             begins_as_image(bytes);
             text_damage(bytes);
             foreign_kind(bytes);
             read_image_header(bytes);
           },
       .seeds = small_png,
       .words = chunks},
      {.name = "onnx",
       .read = read_network,
       .seeds = networks,
       .words = {"Conv", "Add", "Clip", "kernel_shape", "strides", "pads", "group", "Gemm",
                 "Reshape"}},
      {.name = "hub_weights",
       .read =
           [](Input bytes) {
             const fs::path path = scratch_file("hub/model.safetensors", bytes);
             scratch_file("hub/config.json",
                          bytes_of_file(kGolden / "published/captioners/blip/config.json"));
             network_facts(path.string(), 0);
           },
       .seeds = of_captioner("blip", "model.safetensors"),
       .words = {"data_offsets", "shape", "F16", "vision_model.", "weight", "[1,1]"}},
      {.name = "preprocessing",
       .read =
           [](Input bytes) {
             const fs::path path = scratch_file("pixels/preprocessor_config.json", bytes);
             published_pixels(path.parent_path() / "model.safetensors");
           },
       .seeds = of_captioner("blip", "preprocessor_config.json"),
       .words = kJson},
      {.name = "blip_config",
       .read = in_folder("blip", "config.json"),
       .seeds = of_captioner("blip", "config.json"),
       .words = kJson},
      {.name = "gpt2_config",
       .read = in_folder("vit-gpt2", "config.json"),
       .seeds = of_captioner("vit-gpt2", "config.json"),
       .words = kJson},
      {.name = "generation",
       .read = in_folder("vit-gpt2", "generation_config.json"),
       .seeds = of_captioner("vit-gpt2", "generation_config.json"),
       .words = kJson},
      {.name = "tokenizer",
       .read = in_folder("vit-gpt2", "tokenizer.json"),
       .seeds = of_captioner("vit-gpt2", "tokenizer.json"),
       .words = kJson},
      {.name = "merges",
       .read = in_folder("vit-gpt2", "merges.txt"),
       .seeds = of_captioner("vit-gpt2", "merges.txt"),
       .words = {" ", "\n", "\xc4\xa0", "#version: 0.2\n", "\xff"}},
      {.name = "word_pieces",
       .read = in_folder("blip", "vocab.txt"),
       .seeds = of_captioner("blip", "vocab.txt"),
       .words = {"\n", "##", "[UNK]", "[CLS]", "\xff"}},
      {.name = "byte_pairs",
       .read =
           [](Input bytes) {
             static const PublishedTokens tokens =
                 read_tokens(kGolden / "published/captioners/vit-gpt2", {.count = 1000});
             const std::string text = text_of(bytes);
             if (unicode::invalid_utf8(text) == std::string::npos)
               tokens.decode(tokens.encode(text));
           },
       .seeds = [] { return std::vector<Bytes>{bytes_of("A dog's ball, 3.50 \xf0\x9f\x90\xb6")}; },
       .words = {"'s", "  ", "\n", "\xc2\xa0", "\xcc\x81", "12345", "<|endoftext|>"}},
      {.name = "request_parameters",
       .read = read_parameters,
       .seeds =
           [] {
             return std::vector<Bytes>{bytes_of("mode=beam&beam=3"),
                                       bytes_of("temperature=0.5&seed=1")};
           },
       .words = {"&", "=", "beam", "mode", "sample", "greedy", "occlusion", "nan", "1e400", "-1"}},
      {.name = "request_head",
       .read = read_head,
       .seeds =
           [] {
             return std::vector<Bytes>{bytes_of(
                 "POST\n/caption\nlocalhost:8080\nhttp://localhost:8080\n12\n\n\nimage/png")};
           },
       .words = {"[::1]", "127.0.0.1", "null", "chunked", "gzip", "99999999999999999999", "..",
                 "%2e"}}};
}

}  // namespace saccade::campaign
