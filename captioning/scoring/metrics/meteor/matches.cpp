#include "captioning/scoring/metrics/meteor/matches.h"

#include <algorithm>

namespace saccade::meteor {

namespace {

// The words of a sentence as the table of paraphrases numbers them.
std::vector<std::uint32_t> phrase_words(Sentence sentence, const WordTable& words) {
  std::vector<std::uint32_t> out;
  out.reserve(sentence.size());
  for (const std::uint32_t word : sentence) out.push_back(words[word].phrase_word);
  return out;
}

struct Phrase {
  std::uint32_t number, start, length;  // number: in the table; start and length: in a sentence
};

// The table's phrases in a sentence, by start, then by length.
std::vector<Phrase> phrases_in(std::span<const std::uint32_t> sentence, const Paraphrases& table) {
  std::vector<Phrase> out;
  for (std::size_t start = 0; start < sentence.size(); ++start) {
    const std::size_t longest = std::min(table.longest(), sentence.size() - start);
    for (std::size_t length = 1; length <= longest; ++length) {
      if (sentence[start + length - 1] == kNoWord) break;
      if (const auto number = table.find(sentence.subspan(start, length))) {
        out.push_back(
            {*number, static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(length)});
      }
    }
  }
  return out;
}

// Calls use(a, b) for every phrase a of `from` and every occurrence b of one of its paraphrases,
// the paraphrases in the table's order. `sorted` is by number, then by start.
template <class Use>
void each_paraphrase(const std::vector<Phrase>& from, const std::vector<Phrase>& sorted,
                     const Paraphrases& table, Use use) {
  for (const Phrase& a : from) {
    for (const std::uint32_t number : table.of(a.number)) {
      auto b = std::lower_bound(sorted.begin(), sorted.end(), number,
                                [](const Phrase& x, std::uint32_t n) { return x.number < n; });
      for (; b != sorted.end() && b->number == number; ++b) use(a, *b);
    }
  }
}

std::vector<Phrase> by_number(std::vector<Phrase> phrases) {
  std::stable_sort(phrases.begin(), phrases.end(),
                   [](const Phrase& a, const Phrase& b) { return a.number < b.number; });
  return phrases;
}

}  // namespace

void MatchLists::find(Sentence hypothesis, Sentence reference, const WordTable& words,
                      const Modules& modules) {
  const bool equal = std::ranges::equal(
      hypothesis, reference, {}, [&](std::uint32_t w) { return words[w].hash; },
      [&](std::uint32_t w) { return words[w].hash; });
  const Modules active = equal ? Modules{.stem = false, .synonym = false} : modules;
  find_words(hypothesis, reference, words, active);
  if (active.paraphrases != nullptr) {
    find_phrases(hypothesis, reference, words, *active.paraphrases);
  }
  hypothesis_cover_.assign(hypothesis.size(), 0);
  count_cover();
}

void MatchLists::find_words(Sentence hypothesis, Sentence reference, const WordTable& words,
                            const Modules& modules) {
  matches_.clear();
  lists_.clear();
  for (std::size_t at = 0; at < reference.size(); ++at) {
    // A word that appeared before has the same matches. Memory stays small even if one word fills
    // both sentences.
    const auto before = std::find(reference.begin(), reference.end(), reference[at]);
    const auto first = static_cast<std::size_t>(before - reference.begin());
    if (first < at) {
      lists_.push_back(lists_[first]);
      continue;
    }
    const Word& ours = words[reference[at]];
    const std::size_t begin = matches_.size();
    const auto add = [&](Module module, const auto& matches) {
      for (std::uint32_t start = 0; start < hypothesis.size(); ++start) {
        if (matches(words[hypothesis[start]])) {
          matches_.push_back({.start = start, .module = module});
        }
      }
    };
    add(Module::kExact, [&](const Word& w) { return w.hash == ours.hash; });
    if (modules.stem) {
      add(Module::kStem, [&](const Word& w) { return w.stem == ours.stem && w.hash != ours.hash; });
    }
    if (modules.synonym) {
      add(Module::kSynonym,
          [&](const Word& w) { return share_synset(w, ours) && w.hash != ours.hash; });
    }
    lists_.push_back({begin, matches_.size()});
  }
}

void MatchLists::find_phrases(Sentence hypothesis, Sentence reference, const WordTable& words,
                              const Paraphrases& table) {
  struct Placed {
    std::uint32_t reference_start;
    Match match;
  };
  std::vector<Placed> placed;
  const auto place = [&](const Phrase& theirs, const Phrase& ours) {
    placed.push_back({ours.start,
                      {.start = theirs.start,
                       .length = theirs.length,
                       .reference_length = ours.length,
                       .module = Module::kParaphrase}});
  };
  const auto theirs = phrases_in(phrase_words(hypothesis, words), table);
  const auto ours = phrases_in(phrase_words(reference, words), table);
  each_paraphrase(ours, by_number(theirs), table,
                  [&](const Phrase& a, const Phrase& b) { place(b, a); });
  each_paraphrase(theirs, by_number(ours), table,
                  [&](const Phrase& a, const Phrase& b) { place(a, b); });
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return a.reference_start < b.reference_start;
  });
  for (auto next = placed.begin(); next != placed.end();) {
    Range& list = lists_[next->reference_start];
    const std::size_t begin = matches_.size();
    for (std::size_t i = list.begin; i < list.end; ++i) matches_.push_back(Match(matches_[i]));
    const std::uint32_t start = next->reference_start;
    for (; next != placed.end() && next->reference_start == start; ++next) {
      matches_.push_back(next->match);
    }
    list = {begin, matches_.size()};
  }
}

void MatchLists::count_cover() {
  reference_cover_.assign(lists_.size(), 0);
  for (std::size_t at = 0; at < lists_.size(); ++at) {
    for (const Match& match : this->at(at)) {
      for (std::uint32_t k = 0; k < match.length; ++k) ++hypothesis_cover_[match.start + k];
      for (std::uint32_t k = 0; k < match.reference_length; ++k) ++reference_cover_[at + k];
    }
  }
}

bool MatchLists::is_certain(std::size_t reference_start) const {
  const auto list = at(reference_start);
  if (list.size() != 1) return false;
  const Match& match = list.front();
  const auto once = [](const std::vector<std::uint32_t>& cover, std::size_t start,
                       std::size_t length) {
    const auto first = cover.begin() + static_cast<std::ptrdiff_t>(start);
    return std::all_of(first, first + static_cast<std::ptrdiff_t>(length),
                       [](std::uint32_t count) { return count == 1; });
  };
  return once(hypothesis_cover_, match.start, match.length) &&
         once(reference_cover_, reference_start, match.reference_length);
}

}  // namespace saccade::meteor
