#include "captioning/text/ptb/automaton.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "core/base/error.h"

namespace saccade::ptb {

namespace {

using Positions = std::vector<std::uint16_t>;  // ascending

// How a pattern begins and ends.
struct Piece {
  bool empty = true;  // may match nothing
  Positions first{}, last{};
};

void unite(Positions& into, const Positions& more) {
  Positions both;
  std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(both));
  into = std::move(both);
}

// Every symbol that a pattern can read is a position; what can follow it is known when the pattern
// has been walked once.
class PositionGraph {
 public:
  std::vector<SymbolSet> symbols;  // of a position; none: here a pattern ends
  std::vector<Positions> follow;
  std::vector<int> ends;  // the pattern that ends at a position, or kNone

  // The positions a text can start at.
  Positions add_all(std::span<const PatternPtr> patterns) {
    Positions start;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      Piece end = position({});
      ends.back() = static_cast<int>(i);
      unite(start, sequence(walk(*patterns[i]), end).first);
    }
    return start;
  }

 private:
  Piece position(const SymbolSet& read) {
    if (symbols.size() > UINT16_MAX) throw InternalError("patterns: too many symbols");
    const auto number = static_cast<std::uint16_t>(symbols.size());
    symbols.push_back(read);
    follow.emplace_back();
    ends.push_back(Automaton::kNone);
    return {.empty = false, .first = {number}, .last = {number}};
  }

  void connect(const Positions& from, const Positions& to) {
    for (const std::uint16_t position : from) unite(follow[position], to);
  }

  Piece sequence(Piece left, const Piece& right) {
    connect(left.last, right.first);
    if (left.empty) unite(left.first, right.first);
    if (right.empty) {
      unite(left.last, right.last);
    } else {
      left.last = right.last;
    }
    left.empty = left.empty && right.empty;
    return left;
  }

  Piece repeat(const Pattern& pattern) {
    Piece out;
    const int copies = std::max({pattern.least, pattern.most, 1});
    for (int i = 0; i < copies; ++i) {
      Piece copy = walk(*pattern.parts[0]);
      if (pattern.most == Pattern::kNoLimit && i + 1 == copies) connect(copy.last, copy.first);
      copy.empty = copy.empty || i >= pattern.least;
      out = sequence(std::move(out), copy);
    }
    return out;
  }

  Piece walk(const Pattern& pattern) {
    switch (pattern.kind) {
      case Pattern::Kind::kSymbol:
        return position(pattern.symbols);
      case Pattern::Kind::kRepeat:
        return repeat(pattern);
      case Pattern::Kind::kChoice: {
        Piece out{.empty = false};
        for (const PatternPtr& part : pattern.parts) {
          const Piece piece = walk(*part);
          out.empty = out.empty || piece.empty;
          unite(out.first, piece.first);
          unite(out.last, piece.last);
        }
        return out;
      }
      case Pattern::Kind::kSequence:
        break;
    }
    Piece out;
    for (const PatternPtr& part : pattern.parts) out = sequence(std::move(out), walk(*part));
    return out;
  }
};

// The sets of positions that the automaton can be in, numbered as they are found.
class StateSets {
 public:
  std::uint16_t number(const Positions& set) {
    const std::u16string key(set.begin(), set.end());
    const auto [found, is_new] = numbers_.emplace(key, static_cast<std::uint16_t>(sets.size()));
    if (is_new) {
      if (sets.size() > UINT16_MAX) throw InternalError("patterns: too many states");
      sets.push_back(set);
    }
    return found->second;
  }
  std::vector<Positions> sets;

 private:
  std::unordered_map<std::u16string, std::uint16_t> numbers_;
};

}  // namespace

Automaton::Automaton(std::span<const PatternPtr> patterns) {
  PositionGraph graph;
  const Positions start = graph.add_all(patterns);

  // Columns: symbols that the same positions read.
  std::vector<SymbolSet> different(graph.symbols.begin(), graph.symbols.end());
  const auto less = [](const SymbolSet& a, const SymbolSet& b) {
    return a.to_string() < b.to_string();
  };
  std::sort(different.begin(), different.end(), less);
  different.erase(std::unique(different.begin(), different.end()), different.end());
  std::map<std::vector<bool>, std::uint8_t> columns;
  std::vector<std::size_t> example;
  for (std::size_t symbol = 0; symbol < 256; ++symbol) {
    std::vector<bool> readers;
    for (const SymbolSet& set : different) readers.push_back(set[symbol]);
    const auto [found, is_new] =
        columns.emplace(readers, static_cast<std::uint8_t>(columns.size()));
    if (is_new) example.push_back(symbol);
    column_[symbol] = found->second;
  }
  width_ = example.size();

  StateSets states;
  states.number({});  // kDead
  states.number(start);
  for (std::size_t state = 0; state < states.sets.size(); ++state) {
    int accepted = kNone;
    std::vector<Positions> reached(width_);
    for (const std::uint16_t position : states.sets[state]) {
      if (accepted == kNone) accepted = graph.ends[position];
      for (std::size_t column = 0; column < width_; ++column) {
        if (!graph.symbols[position][example[column]]) continue;
        const Positions& follow = graph.follow[position];
        reached[column].insert(reached[column].end(), follow.begin(), follow.end());
      }
    }
    accepted_.push_back(accepted);
    for (Positions& set : reached) {
      std::sort(set.begin(), set.end());
      set.erase(std::unique(set.begin(), set.end()), set.end());
      next_.push_back(states.number(set));
    }
  }
}

Automaton::Longest Automaton::longest(std::string_view text, std::size_t start,
                                      DeadEnds& dead_ends) const {
  // Only every 64th place of long looks ahead is noted: that is enough to stop the next one soon.
  constexpr std::size_t kLong = 256, kStep = 64;
  Longest best;
  std::size_t end = start;  // of the best match
  std::uint16_t state = kStart;
  std::vector<std::pair<std::uint16_t, std::size_t>> passed;
  for (std::size_t at = start; at < text.size(); ++at) {
    state = next(state, text[at]);
    if (state == kDead) break;
    if (accepted_[state] != kNone) {
      best.pattern = accepted_[state];
      end = at + 1;
      passed.clear();
    } else if (at - end >= kLong && at % kStep == 0) {
      if (dead_ends.has(state, at)) break;
      passed.emplace_back(state, at);
    }
  }
  for (const auto& [where, at] : passed) dead_ends.add(where, at);
  best.length = end - start;
  return best;
}

bool Automaton::accepts(std::string_view text) const {
  std::uint16_t state = kStart;
  for (const char symbol : text) state = next(state, symbol);
  return accepted_[state] != kNone;
}

}  // namespace saccade::ptb
