#include "captioning/study/inspection/picture_occlusion.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "captioning/model/decoding/forced_decoding.h"
#include "captioning/model/model.h"
#include "captioning/study/inspection/caption_occlusion.h"
#include "captioning/study/inspection/occlusion.h"
#include "core/base/error.h"

namespace saccade {

namespace {

// How many pictures are encoded together, the whole one not counted.
constexpr Index kTogether = 15;

// The part of an input of `pixels` that the picture fills, from `begin` to before `end`.
struct Stretch {
  Index begin = 0, end = 0;
};

Stretch stretch(double begin, double end, Index pixels) {
  const auto at = [&](double share) {
    return std::clamp<Index>(std::lround(share * static_cast<double>(pixels)), 0, pixels);
  };
  return {at(begin), at(end)};
}

using PixelColour = std::array<std::uint8_t, 3>;

PixelColour mean_colour(const Image& image, const Stretch& rows, const Stretch& columns) {
  std::array<double, 3> sums{};
  for (Index y = rows.begin; y < rows.end; ++y)
    for (Index x = columns.begin; x < columns.end; ++x)
      for (std::size_t c = 0; c < 3; ++c) sums[c] += static_cast<double>(image.pixel(y, x)[c]);
  const auto pixels = static_cast<double>((rows.end - rows.begin) * (columns.end - columns.begin));
  PixelColour out{};
  for (std::size_t c = 0; c < 3; ++c)
    out[c] = static_cast<std::uint8_t>(std::lround(pixels > 0 ? sums[c] / pixels : 128));
  return out;
}

Image painted(Image image, const GridSize& grid, Index cell, const PixelColour& colour) {
  const auto cut = [](Index place, Index cells, Index pixels) {
    const auto share = [&](Index k) { return static_cast<double>(k) / static_cast<double>(cells); };
    return stretch(share(place), share(place + 1), pixels);
  };
  const Stretch rows = cut(cell / grid.cols, grid.rows, image.height),
                columns = cut(cell % grid.cols, grid.cols, image.width);
  for (Index y = rows.begin; y < rows.end; ++y)
    for (Index x = columns.begin; x < columns.end; ++x)
      std::copy(colour.begin(), colour.end(), image.pixel(y, x));
  return image;
}

// log p of each id of the caption, for each input: [inputs][ids].
std::vector<std::vector<double>> log_probabilities(const CaptionModel& model,
                                                   const InputBatch& inputs,
                                                   const std::vector<int>& ids,
                                                   const SearchOptions& options) {
  Arena arena;
  Tape tape(arena);
  tape.set_recording(false);
  tape.set_parameters(model.parameters().views());
  const SearchMember member{.decoder = &model.decoder(),
                            .parameters = model.parameters().views(),
                            .images = model.encode(tape, inputs.view()).values()};
  const std::vector<std::vector<std::vector<int>>> captions(
      static_cast<std::size_t>(inputs.count()), std::vector<std::vector<int>>{ids});
  const SearchOptions forcing{.regime = options.regime, .seed = options.seed};
  std::vector<std::vector<double>> out;
  for (const auto& decoded : force_decode({&member, 1}, SpecialWords{}, captions, forcing, 0)) {
    out.emplace_back();
    for (const DecodedWord& word : decoded[0].words) out.back().push_back(word.log_prob);
  }
  return out;
}

}  // namespace

void add_picture_effects(const CaptionModel& model, const InputPipeline& pipeline,
                         const Image& picture, const SearchOptions& options,
                         DecodedCaption& caption) {
  if (pipeline.reads_text())
    throw UsageError("occlusion of the picture: the model reads texts; choose regions");
  if (options.regime == Regime::kSample) refuse_drawn_regions();
  const std::vector<int> ids = caption_ids(caption);
  const Prepared prepared = prepare(picture, pipeline.preparation());
  const PictureArea area = picture_area(prepared.geometry);
  const GridSize grid = model.grid();
  const PixelColour colour =
      mean_colour(prepared.image, stretch(area.top, area.bottom, prepared.image.height),
                  stretch(area.left, area.right, prepared.image.width));
  std::vector<std::uint8_t> mask;
  add_mask(area, grid, mask);
  std::vector<Index> cells;
  for (Index l = 0; l < grid.cells(); ++l)
    if (mask[static_cast<std::size_t>(l)] != 0) cells.push_back(l);
  Tensor effects({static_cast<Index>(ids.size()), grid.cells()});
  for (std::size_t begin = 0; begin < cells.size(); begin += kTogether) {
    const Index count = std::min<Index>(kTogether, std::ssize(cells) - static_cast<Index>(begin));
    // The whole picture is in every batch, so that all rows are computed in the same way.
    InputBatch inputs(model.input_shape(), count + 1);
    for (Index k = 0; k <= count; ++k) {
      inputs.set_area(k, area);
      pipeline.encode(k == 0 ? prepared.image
                             : painted(prepared.image, grid,
                                       cells[begin + static_cast<std::size_t>(k) - 1], colour),
                      area, inputs.values_of(k));
    }
    const auto log_probs = log_probabilities(model, inputs, ids, options);
    for (Index k = 1; k <= count; ++k)
      for (std::size_t t = 0; t < ids.size(); ++t)
        effects.view().row(static_cast<Index>(t))[cells[begin + static_cast<std::size_t>(k) - 1]] =
            static_cast<Real>(log_probs[0][t] - log_probs[static_cast<std::size_t>(k)][t]);
  }
  set_effects(caption, effects);
}

}  // namespace saccade
