#include "captioning/scoring/words/ptb/automaton.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "core/base/error.h"

namespace saccade::ptb {

namespace {

using Positions = std::vector<std::uint16_t>;  // ascending

// How a pattern begins and how it ends.
struct Piece {
  bool empty = true;  // whether it may match nothing
  Positions first{}, last{};
};

void unite(Positions& into, const Positions& more) {
  Positions both;
  std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(both));
  into = std::move(both);
}

// Every symbol that a pattern can read is a position. One walk over the pattern finds what can
// follow each position.
class PositionGraph {
 public:
  std::vector<SymbolSet> symbols;  // by position; none: a pattern ends here
  std::vector<Positions> follow;
  std::vector<int> ends;  // by position, the pattern that ends there, or kNone

  // The positions at which a text can start.
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

// Numbers sets of positions in the order in which they appear.
class SetNumbers {
 public:
  struct Entry {
    std::uint16_t number;
    bool is_new;
  };
  Entry number(const Positions& set) {
    key_.assign(set.begin(), set.end());
    const auto next = static_cast<std::uint16_t>(numbers_.size());
    const auto [found, is_new] = numbers_.try_emplace(key_, next);
    if (numbers_.size() > UINT16_MAX) throw InternalError("patterns: too many states");
    return {found->second, is_new};
  }

 private:
  std::unordered_map<std::u16string, std::uint16_t> numbers_;
  std::u16string key_;
};

// The columns of symbols, 0, 1, ...: two symbols share a column if every set has both or neither.
std::array<std::uint8_t, 256> columns_of(const std::vector<SymbolSet>& sets) {
  std::array<std::uint8_t, 256> column{};
  for (const SymbolSet& set : sets) {
    std::map<std::pair<std::uint8_t, bool>, std::uint8_t> parts;
    for (std::size_t symbol = 0; symbol < column.size(); ++symbol) {
      const auto next = static_cast<std::uint8_t>(parts.size());
      column[symbol] = parts.emplace(std::pair(column[symbol], set[symbol]), next).first->second;
    }
  }
  return column;
}

}  // namespace

Automaton::Automaton(std::span<const PatternPtr> patterns) {
  PositionGraph graph;
  const Positions start = graph.add_all(patterns);
  column_ = columns_of(graph.symbols);
  width_ = *std::max_element(column_.begin(), column_.end()) + std::size_t{1};
  std::vector<std::vector<std::uint8_t>> columns(
      graph.symbols.size());  // the columns that a position reads
  for (std::size_t position = 0; position < columns.size(); ++position) {
    std::vector<bool> read(width_);
    for (std::size_t symbol = 0; symbol < column_.size(); ++symbol) {
      if (graph.symbols[position][symbol]) read[column_[symbol]] = true;
    }
    for (std::size_t column = 0; column < width_; ++column) {
      if (read[column]) columns[position].push_back(static_cast<std::uint8_t>(column));
    }
  }

  // A state is a set of positions. Where a symbol leads depends only on those of them that read it.
  SetNumbers state_numbers, reader_numbers;
  std::vector<Positions> states = {{}, start};  // kDead, kStart
  for (const Positions& state : states) state_numbers.number(state);
  std::vector<std::uint16_t> leads_to;     // by the number of the set of readers
  std::vector<Positions> readers(width_);  // by column, in one state
  for (std::size_t state = 0; state < states.size(); ++state) {
    for (Positions& set : readers) set.clear();
    int accepted = kNone;
    for (const std::uint16_t position : states[state]) {
      if (accepted == kNone) accepted = graph.ends[position];
      for (const std::uint8_t column : columns[position]) readers[column].push_back(position);
    }
    accepted_.push_back(accepted);
    for (const Positions& set : readers) {
      const auto [number, is_new] = reader_numbers.number(set);
      if (is_new) {
        Positions reached;
        for (const std::uint16_t position : set) unite(reached, graph.follow[position]);
        const auto target = state_numbers.number(reached);
        if (target.is_new) states.push_back(std::move(reached));
        leads_to.push_back(target.number);
      }
      next_.push_back(leads_to[number]);
    }
  }
}

Automaton::Longest Automaton::longest(std::string_view text, std::size_t start,
                                      DeadEnds& dead_ends) const {
  // Of a long lookahead, only every 16th place is noted, which is enough to stop the next one soon.
  constexpr std::size_t kLong = 64, kStep = 16;
  Longest best;
  std::size_t end = start;  // the end of the best match
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

std::vector<std::size_t> Automaton::accepted_lengths(std::string_view text) const {
  std::vector<std::size_t> lengths;
  std::uint16_t state = kStart;
  for (std::size_t at = 0; at < text.size() && state != kDead; ++at) {
    state = next(state, text[at]);
    if (accepted_[state] != kNone) lengths.push_back(at + 1);
  }
  return lengths;
}

bool Automaton::accepts(std::string_view text) const {
  std::uint16_t state = kStart;
  for (const char symbol : text) {
    if (state == kDead) return false;
    state = next(state, symbol);
  }
  return accepted_[state] != kNone;
}

}  // namespace saccade::ptb
