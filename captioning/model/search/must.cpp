#include "captioning/model/search/must.h"

#include <deque>
#include <set>

#include "core/base/error.h"

namespace saccade {

std::vector<LexicalConstraint> MustSay::of(Index image) const {
  std::vector<LexicalConstraint> out = all;
  if (of_images.empty()) return out;
  const std::vector<LexicalConstraint>& more = of_images[static_cast<std::size_t>(image)];
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

MustAutomaton::MustAutomaton(std::vector<LexicalConstraint> constraints,
                             std::shared_ptr<const std::vector<char>> begins_word)
    : constraints_(std::move(constraints)), begins_word_(std::move(begins_word)) {
  SACCADE_CHECK(constraints_.size() <= kMostConstraints, "[search] ", constraints_.size(),
                " constraints of a caption; at most ", kMostConstraints);
  for (std::size_t c = 0; c < constraints_.size(); ++c) {
    SACCADE_CHECK(!constraints_[c].phrases.empty(), "[search] a constraint without a phrase");
    for (const std::vector<int>& phrase : constraints_[c].phrases)
      add(phrase, std::uint32_t{1} << c);
  }
  link();
}

void MustAutomaton::add(const std::vector<int>& phrase, std::uint32_t constraint) {
  SACCADE_CHECK(!phrase.empty(), "[search] a constraint with an empty phrase");
  int node = 0;
  for (const int word : phrase) {
    nodes_[static_cast<std::size_t>(node)].passes |= constraint;
    const auto [child, fresh] = nodes_[static_cast<std::size_t>(node)].children.try_emplace(
        word, static_cast<int>(nodes_.size()));
    node = child->second;
    if (fresh) nodes_.emplace_back();
  }
  nodes_[static_cast<std::size_t>(node)].ends |= constraint;
}

// Failure links, breadth first: the longest other phrase that is begun when this one is.
void MustAutomaton::link() {
  std::deque<int> open;
  for (const auto& [word, child] : nodes_[0].children) open.push_back(child);
  while (!open.empty()) {
    const int node = open.front();
    open.pop_front();
    for (const auto& [word, child] : at(node).children) {
      Node& to = nodes_[static_cast<std::size_t>(child)];
      to.failure = follow(at(node).failure, word);
      to.ends |= at(to.failure).ends;
      open.push_back(child);
    }
  }
}

int MustAutomaton::follow(int node, int word) const {
  for (;; node = at(node).failure) {
    const auto child = at(node).children.find(word);
    if (child != at(node).children.end()) return child->second;
    if (node == 0) return 0;
  }
}

MustAutomaton::State MustAutomaton::next(State state, int word) const {
  const bool begins = !begins_word_ || (*begins_word_)[static_cast<std::size_t>(word)] != 0;
  if (begins) state.met |= pending(state);
  state.node = follow(state.node, word);
  if (!begins_word_) state.met |= at(state.node).ends;
  // What is begun of constraints that are met needs no state of its own.
  while (state.node != 0 && ((at(state.node).passes | pending(state)) & ~state.met) == 0)
    state.node = at(state.node).failure;
  return state;
}

std::uint32_t MustAutomaton::met_at_end(State state) const { return state.met | pending(state); }

std::vector<int> MustAutomaton::leading(State state) const {
  std::set<int> words;
  for (int node = state.node;; node = at(node).failure) {
    for (const auto& [word, child] : at(node).children)
      if (((at(child).passes | at(child).ends) & ~state.met) != 0) words.insert(word);
    if (node == 0) break;
  }
  return {words.begin(), words.end()};
}

bool meets(std::span<const int> caption, const LexicalConstraint& constraint,
           const std::shared_ptr<const std::vector<char>>& begins_word) {
  const MustAutomaton automaton({constraint}, begins_word);
  MustAutomaton::State state;
  for (const int word : caption) state = automaton.next(state, word);
  return automaton.met_at_end(state) == automaton.all_met();
}

}  // namespace saccade
