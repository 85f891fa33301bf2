// METEOR's search for an alignment against a plain version. tests/golden/captions/pairs.json has
// what it finds.
#include <cstdlib>
#include <random>
#include <tuple>

#include "captioning/scoring/metrics/meteor/aligner.h"
#include "captioning/scoring/metrics/meteor/matches.h"
#include "captioning/scoring/words/tokenizer.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace saccade::meteor {
namespace {

const Synonyms& synonyms() {
  static const Synonyms table;
  return table;
}

std::vector<std::uint32_t> numbers(WordTable& words, const std::string& text) {
  std::vector<std::uint32_t> out;
  for (const std::string& word : split_words(text)) out.push_back(words.id(word));
  return out;
}

MatchLists matches(const std::string& hypothesis, const std::string& reference,
                   const Modules& modules) {
  WordTable words(&synonyms());
  MatchLists lists;
  lists.find(numbers(words, hypothesis), numbers(words, reference), words, modules);
  return lists;
}

// The places of an alignment: reference word, hypothesis word.
using Places = std::vector<std::pair<std::size_t, std::size_t>>;
Places places(const Alignment& alignment) {
  Places out;
  for (const auto& [start, match] : alignment.matches) out.emplace_back(start, match.start);
  return out;
}

// The search as METEOR describes it: whole paths are copied and sorted, and nothing is dropped
// early.
Alignment plain_search(const MatchLists& lists) {
  struct Path {
    std::vector<AlignedMatch> matches;
    std::vector<bool> ours, theirs;  // words that are used
    std::int64_t hypothesis = 0, reference = 0, chunks = 0, distance = 0, last_end = -1;
  };
  const auto use = [](Path& path, std::size_t at, const Match& match) {
    for (std::size_t k = 0; k < match.length; ++k) path.theirs[match.start + k] = true;
    for (std::size_t k = 0; k < match.reference_length; ++k) path.ours[at + k] = true;
  };
  const auto is_free = [](const Path& path, std::size_t at, const Match& match) {
    for (std::size_t k = 0; k < match.length; ++k) {
      if (path.theirs[match.start + k]) return false;
    }
    for (std::size_t k = 0; k < match.reference_length; ++k) {
      if (path.ours[at + k]) return false;
    }
    return true;
  };
  const auto apply = [&](Path& path, std::size_t at, const Match& match) {
    const double weight = match.module == Module::kExact ? 1.0 : 0.5;
    path.hypothesis = static_cast<std::int64_t>(static_cast<double>(path.hypothesis) +
                                                weight * static_cast<double>(match.length));
    path.reference = static_cast<std::int64_t>(
        static_cast<double>(path.reference) + weight * static_cast<double>(match.reference_length));
    if (path.last_end != -1 && match.start != path.last_end) ++path.chunks;
    path.last_end = match.start + match.length;
    path.matches.push_back({static_cast<std::uint32_t>(at), match});
    use(path, at, match);
  };
  const auto distance = [](std::size_t at, const Match& match) {
    return std::abs(static_cast<std::int64_t>(at) - std::int64_t{match.start});
  };
  const auto skip = [](Path& path) {
    if (path.last_end != -1) ++path.chunks;
    path.last_end = -1;
  };
  const auto sort = [](std::vector<Path>& paths) {
    std::stable_sort(paths.begin(), paths.end(), [](const Path& a, const Path& b) {
      const auto key = [](const Path& p) {
        return std::make_tuple(-p.hypothesis - p.reference, p.chunks, p.distance);
      };
      return key(a) < key(b);
    });
    if (paths.size() > 40) paths.erase(paths.begin() + 40, paths.end());
  };

  Path first;
  first.ours.resize(lists.reference_length());
  first.theirs.resize(lists.hypothesis_length());
  for (std::size_t at = 0; at < lists.reference_length(); ++at) {
    if (lists.is_certain(at)) use(first, at, lists.at(at).front());
  }
  std::vector<Path> paths = {first};
  for (std::size_t at = 0; at < lists.reference_length(); ++at) {
    sort(paths);
    std::vector<Path> next;
    for (Path& path : paths) {
      const bool inside =
          !path.matches.empty() &&
          at < path.matches.back().reference_start + path.matches.back().match.reference_length;
      if (inside) {
        next.push_back(path);
      } else if (path.ours[at]) {
        const Match& certain = lists.at(at).front();
        apply(path, at, certain);
        path.distance += distance(at, certain);
        next.push_back(path);
      } else {
        for (const Match& match : lists.at(at)) {
          if (!is_free(path, at, match)) continue;
          next.push_back(path);
          apply(next.back(), at, match);
          path.distance += distance(at, match);
        }
        skip(path);
        next.push_back(path);
      }
    }
    paths = next;
  }
  sort(paths);
  for (Path& path : paths) skip(path);
  sort(paths);
  Alignment out;
  out.matches = paths[0].matches;
  out.chunks = paths[0].chunks;
  return out;
}

// Words drawn from a few, among them synonyms and words with a common stem.
std::string random_sentence(std::mt19937& random, std::size_t length) {
  static const std::vector<std::string> kFew = {"a",    "the",     "kite", "kites", "run",
                                                "runs", "running", "auto", "car",   "machine"};
  std::string out;
  for (std::size_t i = 0; i < length; ++i) out += kFew[random() % kFew.size()] + " ";
  return out;
}

}  // namespace

TEST_CASE("the search equals its plain version") {
  std::mt19937 random(7);
  const test::TempFolder folder("meteor-aligner");
  std::string table;
  for (int i = 0; i < 150; ++i) {
    table += "0.5\n" + random_sentence(random, 1 + random() % 3) + "\n" +
             random_sentence(random, 1 + random() % 4) + "\n";
  }
  const auto paraphrases = Paraphrases::open(folder.write("table.txt", table));
  Aligner aligner;  // one for all sentences, because nothing may stay behind
  for (int round = 0; round < 400; ++round) {
    // Long sentences have far more choices than the beam holds, and more words than a 64-bit word
    // has bits.
    const std::size_t longest = round % 40 < 2 ? 150 : 14;
    const std::string hypothesis = random_sentence(random, random() % longest);
    const std::string reference = random_sentence(random, random() % longest);
    const MatchLists lists = matches(
        hypothesis, reference,
        {.stem = true, .synonym = true, .paraphrases = round % 2 ? paraphrases.get() : nullptr});
    const Alignment ours = aligner.align(lists), plain = plain_search(lists);
    INFO(hypothesis << "/ " << reference);
    REQUIRE(ours.chunks == plain.chunks);
    REQUIRE(places(ours) == places(plain));
    for (std::size_t i = 0; i < ours.matches.size(); ++i) {
      REQUIRE(ours.matches[i].match.module == plain.matches[i].match.module);
    }
  }
}

}  // namespace saccade::meteor
