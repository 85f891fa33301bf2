#include "captioning/model/search/search.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>
#include <vector>

#include "captioning/model/search/search_batch.h"
#include "captioning/model/search/strategies.h"
#include "core/base/error.h"
#include "core/tensor/tensor.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// The table with more words.
Tensor with_words(ConstView table, bool by_columns, std::span<const NewWord> words) {
  const bool vector = table.shape.rank() == 1;
  const Index known = by_columns ? table.shape[1] : table.shape[0];
  const Index width = vector ? 1 : by_columns ? table.shape[0] : table.shape[1];
  const Index all = known + std::ssize(words);
  Tensor out(vector ? Shape({all}) : by_columns ? Shape({width, all}) : Shape({all, width}));
  const auto old_place = [&](Index word, Index i) {
    return by_columns ? i * known + word : word * width + i;
  };
  const auto place = [&](Index word, Index i) {
    return by_columns ? i * all + word : word * width + i;
  };
  for (Index i = 0; i < (by_columns ? width : 1); ++i)
    std::copy_n(table.data + i * known, by_columns ? known : known * width,
                out.data() + (by_columns ? i * all : 0));
  for (std::size_t w = 0; w < words.size(); ++w)
    for (Index i = 0; i < width; ++i) {
      double sum = 0;
      for (const auto& [word, weight] : words[w].like)
        sum += weight * static_cast<double>(table.data[old_place(word, i)]);
      out.data()[place(known + static_cast<Index>(w), i)] = static_cast<Real>(sum);
    }
  return out;
}

// The members of a search with rows for words that their vocabulary lacks.
//
// Copies the embedding [V, E], the matrix [in, V] and the bias [V] of each member, with one more
// row, column and number for each new word: the weighted means of those of the known words that it
// is like. Anderson et al. (2017, section 3.3) add words to tables that are GloVe vectors
// themselves; the tables of other models are spaces of their own, in which a word of a like meaning
// has the nearest row. Without new words nothing is copied.
class WordTables {
 public:
  // Both must outlive it. Throws ShapeError where a word is like one that is not known.
  WordTables(std::span<const SearchMember> members, const MustSay& must);
  std::span<const SearchMember> members() const { return members_; }

 private:
  void extend(SearchMember& member, const MustSay& must);

  std::vector<SearchMember> members_;
  std::deque<std::vector<ConstView>> parameters_;
  std::deque<Tensor> tables_;
};

WordTables::WordTables(std::span<const SearchMember> members, const MustSay& must)
    : members_(members.begin(), members.end()) {
  if (must.new_words.empty()) return;
  for (const NewWord& word : must.new_words) {
    SACCADE_CHECK(!word.like.empty(), "[search] the new word '", word.text, "' is like no word");
    for (const auto& [id, weight] : word.like)
      SACCADE_CHECK(id >= 0 && id < must.known_words, "[search] the new word '", word.text,
                    "' is like word ", id, " of ", must.known_words);
  }
  for (SearchMember& member : members_) extend(member, must);
}

void WordTables::extend(SearchMember& member, const MustSay& must) {
  std::vector<ConstView>& parameters = parameters_.emplace_back(
      std::vector<ConstView>(member.parameters.begin(), member.parameters.end()));
  const WordParameters words = member.decoder->word_parameters();
  const auto replace = [&](int parameter, bool by_columns) {
    if (parameter < 0) return;
    ConstView& view = parameters[static_cast<std::size_t>(parameter)];
    view = tables_.emplace_back(with_words(view, by_columns, must.new_words)).view();
  };
  replace(words.embedding, false);
  replace(words.matrix, true);
  replace(words.bias, false);
  member.parameters = parameters;
}

void check(const SearchOptions& options, std::span<const SearchMember> members) {
  SACCADE_CHECK(!members.empty(), "[search] no model");
  for (const SearchMember& member : members)
    SACCADE_CHECK(member.images.features.shape.rank() == 3, "[search] features are [M, L, D]; got ",
                  member.images.features.shape);
  SACCADE_CHECK(options.groups >= 1 && options.beam % options.groups == 0, "[search] ",
                options.groups, " groups of a beam of ", options.beam);
  const bool beam = options.mode == SearchMode::kBeam;
  SACCADE_CHECK(options.alternatives >= 1 && (options.alternatives == 1 || beam),
                "[search] only beam search has alternatives");
  if (options.beam < 1) throw UsageError(str("search.beam must be at least 1; got ", options.beam));
  if (options.alternatives > options.beam)
    throw UsageError(str(options.alternatives, " alternatives of a beam of ", options.beam,
                         ": a hypothesis that ends leaves its place; widen the beam"));
  if (options.max_length < 1)
    throw UsageError(str("search.max_length must be at least 1; got ", options.max_length));
  SACCADE_CHECK(options.samples >= 1, "[search] samples must be at least 1; got ", options.samples);
  if (!(options.temperature > 0))
    throw UsageError(str("search.temperature must be above 0; got ", options.temperature));
  if (!(options.top_p > 0 && options.top_p <= 1))
    throw UsageError(str("search.top_p must be above 0 and at most 1; got ", options.top_p));
  if (options.rules.min_length > options.max_length)
    throw UsageError(str("search.min_length ", options.rules.min_length,
                         " is more than search.max_length ", options.max_length));
  const MustSay& must = options.must;
  SACCADE_CHECK(!must.any() || !beam || options.groups == 1,
                "[search] constraints need a beam of one group; got ", options.groups);
  SACCADE_CHECK(
      must.of_images.empty() || std::ssize(must.of_images) == members[0].images.features.shape[0],
      "[search] constraints of ", must.of_images.size(), " images for ",
      members[0].images.features.shape[0]);
  if (!(options.length_normalization >= 0) || std::isinf(options.length_normalization))
    throw UsageError(str("search.length_normalization must be a number from 0; got ",
                         options.length_normalization));
}

}  // namespace

std::vector<DecodedCaption> search(const Decoder& decoder, std::span<const ConstView> parameters,
                                   const EncodedValues& images, const SpecialWords& special,
                                   const SearchOptions& options, std::uint64_t first_image) {
  const SearchMember alone{.decoder = &decoder, .parameters = parameters, .images = images};
  return search({&alone, 1}, special, options, first_image);
}

std::vector<DecodedCaption> search(std::span<const SearchMember> members,
                                   const SpecialWords& special, const SearchOptions& options,
                                   std::uint64_t first_image) {
  check(options, members);
  if (members[0].images.features.shape[0] == 0) return {};
  const WordTables tables(members, options.mode == SearchMode::kBeam ? options.must : MustSay());
  SearchBatch batch(tables.members(), options, first_image);
  switch (options.mode) {
    case SearchMode::kBeam:
      return beam_search(batch, special, options);
    case SearchMode::kGreedy:
      return greedy_search(batch, special, options);
    case SearchMode::kSample:
      return sample_search(batch, special, options);
  }
  throw InternalError("unknown search");
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
