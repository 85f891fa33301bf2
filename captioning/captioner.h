// Captioner: captions pictures with the model of a checkpoint, and gives the attention map of each
// word. A public header of the library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/attention/map.h"
#include "core/base/messages.h"
#include "core/base/real.h"
#include "vision/drawing/overlay_options.h"
#include "vision/images/image.h"

namespace saccade {

inline namespace SACCADE_NUMERIC {
struct AttentionRegistry;  // core/attention/attention_registry.h
}  // namespace SACCADE_NUMERIC

// A picture in the caller's memory: bytes of red, green and blue, row by row from the top left.
struct PixelView {
  const std::uint8_t* rgb = nullptr;  // the red byte of the first pixel
  Index height = 0;                   // pixels
  Index width = 0;                    // pixels
  Index row_bytes = 0;                // from the beginning of a row to that of the next; 0: 3 width

  PixelView() = default;  // no picture
  // A picture of h rows and w columns; `stride` is row_bytes.
  PixelView(const std::uint8_t* bytes, Index h, Index w, Index stride = 0)
      : rgb(bytes), height(h), width(w), row_bytes(stride) {}
  // A picture of the library. It must outlive the view.
  PixelView(const Image& image)  // NOLINT(google-explicit-constructor)
      : rgb(image.rgb.data()), height(image.height), width(image.width) {}
};

// A word of a caption.
struct CaptionWord {
  std::string text;            // in lower case, as the vocabulary has it
  double log_probability = 0;  // nats, of this word given the words before
  // The mean over the heads of the last layer that attends; without attention a map without cells.
  // The weights of a map sum to 1 (with the sentinel's, where there is one), unless the mechanism
  // promises something else. The map of one of several heads lacks what its sentinel has.
  AttentionMap map{};
  std::vector<AttentionMap> heads{};  // of that layer; empty where there is one head
  // With CaptionerOptions::all_maps the map of every layer and head, by layer, then by head; a map
  // says in its `layer` and `head` which it is. Empty without it, and without attention.
  std::vector<AttentionMap> all_maps{};
};

// What a model says of a picture.
struct Caption {
  std::string text;                  // the words with one space between them
  std::vector<CaptionWord> words{};  // in order, without the end
  double log_probability = 0;        // nats, of the whole caption, with its end if it is finished
  bool finished = false;             // false: it was cut at the greatest length
  std::vector<std::string> unmet{};  // what search.must asks for and the caption lacks
  Index height = 0;                  // of the picture, in pixels
  Index width = 0;                   // of the picture, in pixels
};

// How a model is loaded and how it searches for captions.
struct CaptionerOptions {
  std::optional<Index> beam{};  // hypotheses of beam search; empty: the value of the model's config
  std::optional<Index> max_length{};  // words, or pieces of words; empty: the config's value
  int threads = 0;                    // at most so many; 0: one for each core
  // Other values of the model's config that do not change what it is made of, such as
  // "search.mode=greedy" or "encoder.model=/new/place.onnx".
  std::vector<std::string> set{};
  // Folders in which models are found by their names, before those of the installed library.
  std::vector<std::filesystem::path> models{};
  // The registry with the model's attention, if that is not built in.
  std::shared_ptr<const AttentionRegistry> attention{};
  // Receives messages beside results and errors, such as the warning that a picture was captioned
  // although its file is damaged; from the thread that calls the captioner.
  MessageListener listener{};
  bool all_maps = false;  // whether words also have the maps of every layer and head
};

// A model that captions pictures. It changes nothing of the process, prints nothing,
// and may be used by many threads at once.
// The caption of a picture does not depend on the number of threads. All functions throw errors of
// the type Error (core/base/error.h).
class Captioner {
 public:
  // Loads a checkpoint: a file; the directory of a run, of which the best checkpoint is taken; or,
  // where there is no such path, the model of that name, which needs no other file.
  // Throws CheckpointError where it is missing, damaged or made by an attention that
  // `options.attention` lacks, and where `options.set` changes what the model is made of;
  // UsageError where the options are not valid or do not fit the model; DataError where the file of
  // a frozen encoder is missing.
  explicit Captioner(const std::filesystem::path& checkpoint, const CaptionerOptions& options = {});
  ~Captioner();
  // Takes over the model of another captioner, which must then only be assigned to.
  Captioner(Captioner&&) noexcept;
  // Takes over the model of another captioner, as the constructor does.
  Captioner& operator=(Captioner&&) noexcept;

  // Captions a JPEG, PNG, BMP, WebP or TIFF file. Throws DataError where it cannot be read. A file
  // that is damaged, but can be decoded, is captioned with one warning.
  Caption caption(const std::filesystem::path& picture) const;
  // Captions pixels. Throws ShapeError where their extents are not positive, a row is shorter than
  // its pixels, or there are more of them than the config's data.max_megapixels.
  Caption caption(const PixelView& picture) const;
  // Captions many files, several at once, in order. Throws DataError for the first that cannot be
  // read.
  std::vector<Caption> captions(std::span<const std::filesystem::path> pictures) const;

  // False for a model whose words choose no regions: its captions have no maps.
  bool has_attention() const;
  // The model's config, as YAML.
  std::string config() const;

  // Draws a caption of this captioner on its picture: the picture, and one panel for each word with
  // its map. Throws UsageError where the model has no attention or an option is out of range,
  // ShapeError where the caption is not one of this model, the pixels are not valid (caption()) or
  // the picture has other extents than the captioned one (which part of it a cell shows depends on
  // them), and DataError where the font cannot be read or lacks a letter, or the sheet would be too
  // large.
  Image draw(const Caption& caption, const PixelView& picture,
             const OverlayOptions& options = {}) const;
  // The panel of word number `word` (from 0) alone, at the size of the picture. Throws as draw().
  Image draw_word(const Caption& caption, Index word, const PixelView& picture,
                  const OverlayOptions& options = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade
