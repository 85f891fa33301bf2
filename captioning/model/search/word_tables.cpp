#include "captioning/model/search/word_tables.h"

#include <algorithm>

#include "core/base/error.h"

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

}  // namespace

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

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
