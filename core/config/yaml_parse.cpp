// Builds a Node from yaml-cpp's parser events. Their number is linear in the text. The tree that
// yaml-cpp itself would build accepts duplicate keys silently, and its aliases can make cycles and
// expand excessively.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "core/config/node.h"

namespace saccade {

namespace {

constexpr std::size_t kMostNodes = 20000, kMostBytes = 1024 * 1024;

// Thrown to end parsing behind a mistake that was told.
struct Refused {};

struct Extent {
  std::size_t nodes = 0, bytes = 0;
};

Extent extent_of(const Node& node) {
  Extent all{.nodes = 1, .bytes = node.text.size()};
  for (const Node::Key& key : node.keys) all.bytes += key.text.size();
  for (const Node& item : node.items) {
    const Extent one = extent_of(item);
    all.nodes += one.nodes;
    all.bytes += one.bytes;
  }
  return all;
}

// A character that looks like a space and is none to YAML: what it is called, and its bytes.
struct OddSpace {
  std::string_view bytes, name;
};

constexpr OddSpace kOddSpaces[] = {
    {"\u00a0", "a no-break space (U+00A0)"},     {"\u202f", "a narrow no-break space (U+202F)"},
    {"\u2007", "a figure space (U+2007)"},       {"\u2009", "a thin space (U+2009)"},
    {"\u2002", "an en space (U+2002)"},          {"\u2003", "an em space (U+2003)"},
    {"\u3000", "an ideographic space (U+3000)"}, {"\u200b", "a zero-width space (U+200B)"},
    {"\u2060", "a word joiner (U+2060)"},        {"\ufeff", "a byte order mark (U+FEFF)"}};

// The odd space at either end of a text, or behind a colon in it; null if there is none.
const OddSpace* odd_space(std::string_view text) {
  for (const OddSpace& odd : kOddSpaces)
    if (text.starts_with(odd.bytes) || text.ends_with(odd.bytes) ||
        text.find(":" + std::string(odd.bytes)) != std::string_view::npos)
      return &odd;
  return nullptr;
}

// Where an odd character stands in a text.
struct OddPlace {
  int line = 0, column = 0;  // from 1; the column counts bytes
  std::string_view name;
};

// An odd space beside a sign of YAML or at an end of a line, or a wide colon, in the last line that
// has one outside of comments and quotes among the first `lines`; its name is empty if there is
// none.
OddPlace odd_character(std::string_view text, int lines) {
  constexpr OddSpace kWideColon{"\uff1a", "a full-width colon (U+FF1A)"};
  constexpr std::string_view kBeside = " \t\r:,-?[]{}";
  OddPlace found;
  for (int line = 1; line <= lines && !text.empty(); ++line) {
    const std::string_view one = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    char quote = '\0';
    for (std::size_t i = 0; i < one.size(); ++i) {
      const std::string_view rest = one.substr(i);
      const bool outside = i == 0 || kBeside.find(one[i - 1]) != std::string_view::npos;
      if (quote != '\0') {
        if (one[i] == quote) quote = '\0';
        continue;
      }
      if (outside && one[i] == '#') break;
      if (outside && (one[i] == '"' || one[i] == '\'')) quote = one[i];
      const auto column = static_cast<int>(i) + 1;
      if (rest.starts_with(kWideColon.bytes)) found = {line, column, kWideColon.name};
      for (const OddSpace& odd : kOddSpaces) {
        if (!rest.starts_with(odd.bytes)) continue;
        const std::string_view next = rest.substr(odd.bytes.size());
        if (outside || next.empty() || kBeside.find(next[0]) != std::string_view::npos)
          found = {line, column, odd.name};
      }
    }
  }
  return found;
}

std::string takes_for_letter(const OddPlace& odd) {
  return std::string(odd.name) +
         " stands here, which YAML takes for a letter; type a plain one, or put the text into "
         "quotes if it is meant";
}

// The first line, from 0, that a tab indents; -1 if there is none.
int line_with_tab(std::string_view text) {
  int line = 0;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view one = text.substr(begin, end - begin);
    const std::size_t first = std::min(one.find_first_not_of(" \t"), one.size());
    if (first < one.size() && one[first] != '#' && one.substr(0, first).find('\t') != one.npos)
      return line;
    begin = end + 1;
  }
  return -1;
}

// Where a line begins, which is counted from 0.
std::size_t line_begin(std::string_view text, int line) {
  std::size_t at = 0;
  for (; line > 0 && at < text.size(); --line)
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  return at;
}

// Whether a line, from 0, has "${" before a comment.
bool holds_variable(std::string_view text, int line) {
  text.remove_prefix(line_begin(text, line));
  const std::string_view one = text.substr(0, text.find('\n'));
  return one.substr(0, one.find(" #")).find("${") != std::string_view::npos;
}

// Whether a text, which begins with a quote, has the quote that closes it.
bool closes(std::string_view quoted) {
  const char quote = quoted[0];
  for (std::size_t i = 1; i < quoted.size(); ++i) {
    if (quote == '"' && quoted[i] == '\\') {
      ++i;
    } else if (quoted[i] == quote) {
      const bool written_twice = quote == '\'' && i + 1 < quoted.size() && quoted[i + 1] == quote;
      if (!written_twice) return true;
      ++i;
    }
  }
  return false;
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const std::string& source, Mistakes& mistakes)
      : text_(text), source_(source), mistakes_(mistakes) {}

  Node take() { return std::move(root_); }
  Place place(const YAML::Mark& mark) const { return {source_, mark.line + 1, mark.column + 1}; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    node.place = place(mark);
    finish(std::move(node), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node;
    node.kind = Node::Kind::kScalar;
    node.place = place(mark);
    node.text = value;
    node.quoted = tag == "!";  // yaml-cpp's tag of every scalar that is not plain
    if (tag != "!") refuse_tag(node.place, tag);
    if (node.quoted) refuse_open_quote(mark, node.place);
    if (const OddSpace* odd = node.quoted ? nullptr : odd_space(value))
      mistakes_.add(node.place, "'" + value + "' has " + std::string(odd->name) +
                                    " beside it, which looks like a space and is none to YAML; "
                                    "type spaces, or put the text into quotes if it is meant");
    finish(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      mistakes_.add(place(mark), "this alias stands inside its own anchor: a cycle");
      Node nothing;
      nothing.place = place(mark);
      finish(std::move(nothing), 0);
      return;
    }
    grow(extent_of(found->second), place(mark));
    Node copy = found->second;
    copy.place = place(mark);
    finish(std::move(copy), 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  // The parser takes the end of the text for the quote that is missing.
  void refuse_open_quote(const YAML::Mark& mark, const Place& place) {
    const std::size_t begin = line_begin(text_, mark.line) + static_cast<std::size_t>(mark.column);
    if (begin >= text_.size() || (text_[begin] != '"' && text_[begin] != '\'')) return;
    if (closes(text_.substr(begin))) return;
    mistakes_.add(place, "not valid YAML: the quote that opens here is not closed");
    throw Refused();
  }

  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    Node::Key key;                     // of the next value
    std::map<std::string, int> lines;  // of the keys of a map
    bool has_key = false;              // the map waits for a value
    bool drop_value = false;           // the key of the value was a mistake
  };

  void refuse_tag(const Place& where, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    mistakes_.add(where, "YAML tags such as '" + tag + "' are not supported; remove it");
  }

  void grow(const Extent& more, const Place& where) {
    all_.nodes += more.nodes;
    all_.bytes += more.bytes;
    if (all_.nodes <= kMostNodes && all_.bytes <= kMostBytes) return;
    const bool values = all_.nodes > kMostNodes;
    mistakes_.add(where, "more than " + std::to_string(values ? kMostNodes : kMostBytes) +
                             (values ? " values" : " bytes") +
                             ", counting what aliases repeat; this is not a config");
    throw Refused();
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    Open opened;
    opened.node.kind = kind;
    opened.node.place = place(mark);
    opened.anchor = anchor;
    refuse_tag(opened.node.place, tag);
    open_.push_back(std::move(opened));
  }

  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    finish(std::move(closed.node), closed.anchor);
  }

  void finish(Node node, YAML::anchor_t anchor) {
    grow({.nodes = 1, .bytes = node.text.size()}, node.place);
    if (anchor != 0) {
      grow(extent_of(node), node.place);
      anchors_[anchor] = node;
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Node::Kind::kList) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      start_entry(parent, std::move(node));
    } else {
      parent.has_key = false;
      if (parent.drop_value) return;
      parent.node.keys.push_back(std::move(parent.key));
      parent.node.items.push_back(std::move(node));
    }
  }

  void start_entry(Open& map, Node key) {
    map.has_key = true;
    map.drop_value = true;
    if (key.kind != Node::Kind::kScalar) {
      mistakes_.add(key.place, "a key must be a word");
    } else if (key.text == "<<" && !key.quoted) {
      mistakes_.add(key.place,
                    "'<<' merges are not supported; write the keys out, or put them "
                    "into a file of their own and name it with 'base:'");
    } else if (const auto [first, is_new] = map.lines.emplace(key.text, key.place.line); !is_new) {
      mistakes_.add(key.place, "duplicate key '" + key.text + "' (first at line " +
                                   std::to_string(first->second) + ")");
    } else {
      map.drop_value = false;
      map.key = {std::move(key.text), std::move(key.place)};
    }
  }

  std::string_view text_;
  std::string source_;
  Mistakes& mistakes_;
  Node root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  Extent all_;
};

}  // namespace

Node parse_yaml(const std::string& text, const std::string& source, Mistakes& mistakes) {
  TreeBuilder builder(text, source, mistakes);
  std::istringstream in(text);
  try {
    YAML::Parser parser(in);
    parser.HandleNextDocument(builder);
    Node root = builder.take();
    if (root.kind == Node::Kind::kScalar && !root.quoted)
      if (const OddPlace odd = odd_character(text, root.place.line); !odd.name.empty())
        mistakes.add({source, odd.line, odd.column}, takes_for_letter(odd));
    TreeBuilder rest(text, source, mistakes);
    if (parser.HandleNextDocument(rest)) {
      mistakes.add(root.place, "more than one YAML document ('---'); a config is one document");
    }
    return root;
  } catch (const YAML::Exception& error) {
    if (const int tab = line_with_tab(text); tab >= 0)
      mistakes.add({source, tab + 1, 1},
                   "not valid YAML: a tab indents this line; indent with spaces alone");
    else if (const OddPlace odd = odd_character(text, error.mark.line + 1); !odd.name.empty())
      mistakes.add({source, odd.line, odd.column}, "not valid YAML: " + takes_for_letter(odd));
    else
      mistakes.add({source, error.mark.line + 1, error.mark.column + 1},
                   error.msg == "bad file" ? "nested too deep; this is not a config"
                   : error.msg == YAML::ErrorMsg::EOF_IN_SCALAR
                       ? "not valid YAML: a quote is not closed before the end of the text"
                       : "not valid YAML: " + error.msg +
                             (!holds_variable(text, error.mark.line)
                                  ? ""
                                  : "; within { } a text such as ${HOME}/x needs quotes, and "
                                    "variables are not replaced in configs"));
  } catch (const Refused&) {
  }
  return {};
}

}  // namespace saccade
