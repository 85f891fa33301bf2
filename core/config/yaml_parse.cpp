// Builds a Node from yaml-cpp's parser events. Their number is linear in the text. The tree that
// yaml-cpp itself would build accepts duplicate keys silently, and its aliases can make cycles and
// expand excessively.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>

#include "core/config/node.h"

namespace saccade {

namespace {

constexpr std::size_t kMostNodes = 20000;

// Thrown to end parsing when the tree grows beyond any real config.
struct TooLarge {};

std::size_t count_nodes(const Node& node) {
  std::size_t count = 1;
  for (const Node& item : node.items) count += count_nodes(item);
  return count;
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& source, Mistakes& mistakes)
      : source_(source), mistakes_(mistakes) {}

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
    grow(count_nodes(found->second), place(mark));
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

  void grow(std::size_t nodes, const Place& where) {
    count_ += nodes;
    if (count_ <= kMostNodes) return;
    mistakes_.add(where, "more than " + std::to_string(kMostNodes) +
                             " values, counting what aliases repeat; this is not a config");
    throw TooLarge{};
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
    grow(1, node.place);
    if (anchor != 0) {
      grow(count_nodes(node), node.place);
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

  std::string source_;
  Mistakes& mistakes_;
  Node root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t count_ = 0;
};

}  // namespace

Node parse_yaml(const std::string& text, const std::string& source, Mistakes& mistakes) {
  TreeBuilder builder(source, mistakes);
  std::istringstream in(text);
  try {
    YAML::Parser parser(in);
    parser.HandleNextDocument(builder);
    Node root = builder.take();
    TreeBuilder rest(source, mistakes);
    if (parser.HandleNextDocument(rest)) {
      mistakes.add(root.place, "more than one YAML document ('---'); a config is one document");
    }
    return root;
  } catch (const YAML::Exception& error) {
    const Place where{source, error.mark.line + 1, error.mark.column + 1};
    mistakes.add(where, "not valid YAML: " + error.msg);
  } catch (const TooLarge&) {
  }
  return {};
}

}  // namespace saccade
