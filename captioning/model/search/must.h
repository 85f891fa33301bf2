// What captions have to say: lexical constraints for beam search, and the automaton that follows
// them word by word (Anderson, Fernando, Johnson, Gould 2017).
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/real.h"

namespace saccade {

// Something that a caption has to say: at least one of some phrases.
struct LexicalConstraint {
  std::string text{};                       // as messages name it
  std::vector<std::vector<int>> phrases{};  // ids, at least one each; their order does not matter
};

// A word that the vocabulary lacks. The rows of embedding and output that it has in a search are
// weighted means of those of known words.
struct NewWord {
  std::string text{};
  std::vector<std::pair<int, double>> like{};  // known ids, the nearest first; weights sum to 1
  int not_after = -1;  // the known id of a word that never stands before it, as "a" before "owl"
};

// The constraints of a call of search().
struct MustSay {
  std::vector<LexicalConstraint> all{};                     // of every image
  std::vector<std::vector<LexicalConstraint>> of_images{};  // more, of image m of the call; or none
  // Their ids are those behind the vocabulary, known_words + 0, 1, ... A caption has one only to
  // meet a constraint.
  std::vector<NewWord> new_words{};
  Index known_words = 0;  // V; read only where there are new ones
  // By id, whether it begins a word; null where every id is a word. A phrase of pieces is said when
  // a new word, or the end, follows it.
  std::shared_ptr<const std::vector<char>> begins_word{};

  bool any() const { return !all.empty() || !of_images.empty(); }
  // Those of image m of the call.
  std::vector<LexicalConstraint> of(Index image) const;
};

// Constraints of one image may not be more, because a beam is kept for each set of them.
inline constexpr std::size_t kMostConstraints = 8;

// Whether a caption, as ids, meets a constraint.
bool meets(std::span<const int> caption, const LexicalConstraint& constraint,
           const std::shared_ptr<const std::vector<char>>& begins_word);

// Follows a caption: which constraints it meets, and which phrases it has begun. Phrases are one
// tree with failure links (Aho and Corasick 1975).
class MustAutomaton {
 public:
  struct State {
    std::uint32_t met = 0;  // a bit for each constraint
    int node = 0;           // of the longest phrase of an unmet constraint that is begun
    auto operator<=>(const State&) const = default;
  };

  MustAutomaton(std::vector<LexicalConstraint> constraints,
                std::shared_ptr<const std::vector<char>> begins_word);

  const std::vector<LexicalConstraint>& constraints() const { return constraints_; }
  // The state behind a word.
  State next(State state, int word) const;
  // The constraints that a caption meets which ends here.
  std::uint32_t met_at_end(State state) const;
  std::uint32_t all_met() const { return (std::uint32_t{1} << constraints_.size()) - 1; }
  // The words that begin or continue a phrase of an unmet constraint.
  std::vector<int> leading(State state) const;
  // Whether all other words lead to one state. They do not where a phrase of pieces is complete if
  // a new word follows.
  bool others_agree(State state) const { return (pending(state) & ~state.met) == 0; }

 private:
  struct Node {
    std::map<int, int> children{};
    int failure = 0;
    std::uint32_t ends = 0;    // constraints of which a phrase ends here, or behind a failure link
    std::uint32_t passes = 0;  // constraints of which a phrase goes on from here
  };
  const Node& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  std::uint32_t pending(State state) const { return begins_word_ ? at(state.node).ends : 0; }
  void add(const std::vector<int>& phrase, std::uint32_t constraint);
  void link();
  int follow(int node, int word) const;

  std::vector<LexicalConstraint> constraints_;
  std::shared_ptr<const std::vector<char>> begins_word_;
  std::vector<Node> nodes_{1};
};

}  // namespace saccade
