#include "captioning/decoding/later_maps.h"

#include <algorithm>
#include <numeric>

#include "captioning/search/search_batch.h"
#include "core/base/error.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// Gives the word the attention of `later`.
void take_attention(DecodedWord& word, DecodedWord later) {
  word.map = std::move(later.map);
  word.parts = std::move(later.parts);
  word.choices = std::move(later.choices);
}

// The captions of a batch as rows, with the same number of rows for every image. Rows without a
// caption have no words.
class ForcedRows {
 public:
  explicit ForcedRows(std::span<const std::vector<DecodedCaption*>> captions) {
    for (const auto& of_image : captions) {
      group_ = std::max(group_, of_image.size());
      for (const DecodedCaption* caption : of_image)
        longest_ = std::max(longest_, caption->words.size());
    }
    for (const auto& of_image : captions) {
      rows_.insert(rows_.end(), of_image.begin(), of_image.end());
      rows_.resize((rows_.size() + group_ - 1) / group_ * group_, nullptr);
      if (of_image.empty()) rows_.resize(rows_.size() + group_, nullptr);
    }
    for (const DecodedCaption* row : rows_)
      words_.push_back(row ? row->words : std::vector<DecodedWord>());
  }

  Index group() const { return static_cast<Index>(group_); }
  Index longest() const { return static_cast<Index>(longest_); }
  std::size_t count() const { return rows_.size(); }
  DecodedCaption* caption(std::size_t row) const { return rows_[row]; }
  // The word of a row at a step, with its own attention; null after its last word.
  const DecodedWord* word(std::size_t row, Index step) const {
    const std::vector<DecodedWord>& words = words_[row];
    return step < static_cast<Index>(words.size()) ? &words[static_cast<std::size_t>(step)]
                                                   : nullptr;
  }

 private:
  std::size_t group_ = 1, longest_ = 0;
  std::vector<DecodedCaption*> rows_;            // [images * group]; null where there is no caption
  std::vector<std::vector<DecodedWord>> words_;  // by row, with their own attention
};

}  // namespace

void read_later_maps(std::span<const SearchMember> members, const SpecialWords& special,
                     std::span<const std::vector<DecodedCaption*>> captions,
                     const SearchOptions& options, std::uint64_t first_image) {
  SACCADE_CHECK(!members.empty(), "[later maps] no model");
  const auto images = static_cast<std::size_t>(members[0].images.features.shape[0]);
  SACCADE_CHECK(captions.size() == images, "[later maps] captions of ", captions.size(),
                " images for ", images);
  if (options.map_step == 0 || images == 0) return;
  if (members.size() > 1 && options.regime == Regime::kSample)
    throw UsageError(
        "maps.step: the regions that several models drew (regime sample) are not kept, so that "
        "their captions cannot be decoded again; choose another regime, or maps.step 0");
  for (const auto& of_image : captions)
    for (DecodedCaption* caption : of_image) caption->map_step = options.map_step;
  const ForcedRows forced(captions);
  if (forced.longest() == 0) return;
  SearchOptions forcing = options;
  forcing.mode = SearchMode::kSample;  // a batch of this mode has `samples` rows per image
  forcing.samples = forced.group();
  forcing.recording.words = false;
  SearchBatch batch(members, forcing, first_image);
  std::vector<int> read(forced.count(), special.bos);
  std::vector<std::vector<int>> regions(forced.count());
  std::vector<Index> parents(forced.count());
  std::iota(parents.begin(), parents.end(), Index{0});
  for (Index t = 0; t < forced.longest() + options.map_step; ++t) {
    for (std::size_t row = 0; row < forced.count(); ++row) {
      const DecodedWord* word = forced.word(row, t);
      regions[row] = word ? chosen_cells(*word) : std::vector<int>();
    }
    if (members.size() == 1) batch.force_regions(regions);
    const MapRecord record = batch.step(read, forced.group());
    for (std::size_t row = 0; row < forced.count(); ++row) {
      DecodedCaption* caption = forced.caption(row);
      const DecodedWord* word = forced.word(row, t);
      read[row] = word ? word->id : special.eos;
      const Index own = t - options.map_step;
      const auto length = caption ? static_cast<Index>(caption->words.size()) : 0;
      if (!caption || own < 0 || own >= length) continue;
      take_attention(caption->words[static_cast<std::size_t>(own)],
                     record.of_row(static_cast<Index>(row)));
    }
    batch.advance(parents);
  }
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
