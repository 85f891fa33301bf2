#include "captioning/scoring/words/ptb/pattern.h"

#include <cctype>

#include "captioning/scoring/words/ptb/symbols.h"
#include "core/base/error.h"

namespace saccade::ptb {

namespace {

using Names = std::map<std::string, PatternPtr, std::less<>>;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_name(char c) { return is_letter(c) || c == '_' || (c >= '0' && c <= '9'); }

PatternPtr symbol(const SymbolSet& symbols) {
  return std::make_shared<const Pattern>(
      Pattern{.kind = Pattern::Kind::kSymbol, .symbols = symbols});
}

// A parser by recursive descent: choice > sequence > repeat > atom.
class Parser {
 public:
  Parser(std::string_view text, const Names& names) : text_(text), names_(names) {}

  PatternPtr whole() {
    PatternPtr pattern = choice();
    if (!at_end()) fail("does not end");
    return pattern;
  }

 private:
  PatternPtr choice() {
    Pattern out{.kind = Pattern::Kind::kChoice, .symbols = {}};
    do out.parts.push_back(sequence());
    while (take('|'));
    return out.parts.size() == 1 ? out.parts[0] : std::make_shared<const Pattern>(std::move(out));
  }

  PatternPtr sequence() {
    Pattern out{.kind = Pattern::Kind::kSequence, .symbols = {}};
    while (!at_end() && peek() != '|' && peek() != ')') out.parts.push_back(repeat());
    return out.parts.size() == 1 ? out.parts[0] : std::make_shared<const Pattern>(std::move(out));
  }

  PatternPtr repeat() {
    PatternPtr pattern = atom();
    for (;;) {
      Pattern out{.kind = Pattern::Kind::kRepeat, .symbols = {}, .parts = {pattern}};
      if (take('*')) {
        out.most = Pattern::kNoLimit;
      } else if (take('+')) {
        out.least = 1, out.most = Pattern::kNoLimit;
      } else if (take('?')) {
        out.most = 1;
      } else if (take('{')) {
        out.most = out.least = number();
        if (take(',')) out.most = number();
        expect('}');
      } else {
        return pattern;
      }
      pattern = std::make_shared<const Pattern>(std::move(out));
    }
  }

  PatternPtr atom() {
    const char c = peek();
    if (take('(')) {
      PatternPtr inner = choice();
      expect(')');
      return inner;
    }
    if (c == '"' || c == '\'') return literal();
    if (c == '[') return set();
    return name();
  }

  PatternPtr literal() {
    const char mark = text_[at_++];
    Pattern out{.kind = Pattern::Kind::kSequence, .symbols = {}};
    for (; at_ < text_.size() && text_[at_] != mark; ++at_) {
      SymbolSet symbols;
      symbols.set(static_cast<unsigned char>(text_[at_]));
      // 0x20 is the difference between the cases of an ASCII letter.
      if (is_letter(text_[at_])) symbols.set(static_cast<unsigned char>(text_[at_] ^ 0x20));
      out.parts.push_back(symbol(symbols));
    }
    expect(mark);
    return std::make_shared<const Pattern>(std::move(out));
  }

  PatternPtr set() {
    ++at_;
    const bool complement = at_ < text_.size() && text_[at_] == '^';
    if (complement) ++at_;
    SymbolSet symbols;
    while (at_ < text_.size() && text_[at_] != ']') {
      const unsigned char first = set_symbol();
      unsigned char last = first;
      if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
        ++at_;
        last = set_symbol();
      }
      for (int value = first; value <= last; ++value) symbols.set(static_cast<std::size_t>(value));
    }
    expect(']');
    if (complement) {
      symbols.flip();
      symbols.reset(static_cast<std::size_t>(Symbol::kEnd));
    }
    return symbol(symbols);
  }

  unsigned char set_symbol() {
    const char c = text_[at_++];
    if (c != '\\' || at_ == text_.size()) return static_cast<unsigned char>(c);
    const char escaped = text_[at_++];
    switch (escaped) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case '_':
        return static_cast<unsigned char>(Symbol::kNoBreakSpace);
      default:
        return static_cast<unsigned char>(escaped);
    }
  }

  PatternPtr name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const auto found = names_.find(text_.substr(start, at_ - start));
    if (found == names_.end()) fail("has an unknown name");
    return found->second;
  }

  int number() {
    skip_space();
    int value = 0;
    const std::size_t start = at_;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      value = 10 * value + (text_[at_] - '0');
    }
    if (at_ == start) fail("lacks a number");
    return value;
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  char peek() { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (at_ >= text_.size() || !take(c)) fail(str("lacks '", c, "'"));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InternalError(
        str("pattern ", what, " at '", text_.substr(at_, 20), "' in '", text_, "'"));
  }

  std::string_view text_;
  const Names& names_;
  std::size_t at_ = 0;
};

}  // namespace

PatternPtr Definitions::parse(std::string_view text) const {
  return Parser(text, patterns_).whole();
}

void Definitions::define(std::string name, const SymbolSet& symbols) {
  patterns_[std::move(name)] = symbol(symbols);
}

void Definitions::read(std::string_view text) {
  std::string definition;
  const auto finish = [&] {
    const auto equals = definition.find('=');
    if (equals == std::string::npos) return;
    const std::string name = definition.substr(0, definition.find(' '));
    patterns_[name] = parse(std::string_view(definition).substr(equals + 1));
  };
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(length);
    if (line[0] == '#' || line[0] == '\n') continue;
    if (line[0] != ' ') {
      finish();
      definition.clear();
    }
    definition += line;
  }
  finish();
}

}  // namespace saccade::ptb
