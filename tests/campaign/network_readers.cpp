// Readers of pictures, networks and what hubs publish.
#include <map>

#include "captioning/model/published/published_captioner.h"
#include "captioning/model/published/tokenizer_files.h"
#include "core/base/unicode.h"
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
          ((name == "merges.txt" || name == "vocab.json" || name == "tokenizer_config.json") &&
           other == "tokenizer.json"))
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

// Cuts a text with a captioner's tokens and puts it together again.
std::function<void(Input)> tokens_of(const std::string& kind) {
  return [kind](Input bytes) {
    static std::map<std::string, PublishedTokens> known;
    auto found = known.find(kind);
    if (found == known.end())
      found = known
                  .emplace(kind, read_tokens(kGolden / "published/captioners" / kind,
                                             {.count = kind == "vit-gpt2" ? 297 : 75}))
                  .first;
    const std::string text = text_of(bytes);
    if (unicode::invalid_utf8(text) == std::string::npos)
      found->second.decode(found->second.encode(text));
  };
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
      {.name = "hub_config",
       .read =
           [](Input bytes) {
             static const Bytes weights =
                 bytes_of_file(kGolden / "published/captioners/blip/model.safetensors");
             scratch_file("described/config.json", bytes);
             network_facts(scratch_file("described/model.safetensors", weights).string(), 0);
           },
       .seeds = of_captioner("blip", "config.json"),
       .words = kJson},
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
      {.name = "git_config",
       .read = in_folder("git", "config.json"),
       .seeds = of_captioner("git", "config.json"),
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
      {.name = "pair_vocabulary",
       .read = in_folder("vit-gpt2", "vocab.json"),
       .seeds = of_captioner("vit-gpt2", "vocab.json"),
       .words = kJson},
      {.name = "tokenizer_config",
       .read = in_folder("vit-gpt2", "tokenizer_config.json"),
       .seeds = of_captioner("vit-gpt2", "tokenizer_config.json"),
       .words = kJson},
      {.name = "word_pieces",
       .read = in_folder("blip", "vocab.txt"),
       .seeds = of_captioner("blip", "vocab.txt"),
       .words = {"\n", "##", "[UNK]", "[CLS]", "\xff"}},
      {.name = "byte_pairs",
       .read = tokens_of("vit-gpt2"),
       .seeds = [] { return std::vector<Bytes>{bytes_of("A dog's ball, 3.50 \xf0\x9f\x90\xb6")}; },
       .words = {"'s", "  ", "\n", "\xc2\xa0", "\xcc\x81", "12345", "<|endoftext|>"}},
      {.name = "word_piece_texts",
       .read = tokens_of("blip"),
       .seeds =
           [] {
             return std::vector<Bytes>{bytes_of("A dog's ball, 3.50 \xe5\x9b\xbd Caf\xc3\xa9")};
           },
       .words = {"##", "[UNK]", "[SEP]", "\xe4\xb8\xad", "e\xcc\x81", "\xc2\xad", "..."}}};
}

}  // namespace saccade::campaign
