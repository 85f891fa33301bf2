// A reader for SVG files in the tests of vision.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace saccade {

// An element of an SVG. The reader checks the rules of XML 1.0 that matter for the files of the
// program: tags nest, attributes are quoted and unique, and text holds no bare markup.
struct Element {
  std::string name, text;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string operator[](const std::string& key) const {
    for (const auto& [attribute, value] : attributes)
      if (attribute == key) return value;
    return "";
  }
};

class XmlReader {
 public:
  // Throws DataError where the text is not well-formed.
  explicit XmlReader(const std::string& text) : text_(text) {
    require(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"), "declaration");
    at_ = text.find("?>") + 2;
    while (at_ < text_.size()) text_[at_] == '<' ? read_tag() : read_text();
    require(open_.empty() && roots_ == 1, "one root, closed");
  }
  const std::vector<Element>& elements() const { return elements_; }

 private:
  void require(bool good, const std::string& what) const {
    if (!good) throw DataError(str("not XML at ", at_, ": ", what));
  }
  std::string until(const std::string& stops) {
    const std::size_t end = text_.find_first_of(stops, at_);
    require(end != std::string::npos && end > at_, "a name");
    const std::string name = text_.substr(at_, end - at_);
    at_ = end;
    return name;
  }
  std::string decoded(const std::string& raw) const {
    std::string out;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      require(raw[i] != '<', "a bare <");
      require(static_cast<unsigned char>(raw[i]) >= 0x20 || raw[i] == '\n', "a control character");
      if (raw[i] != '&') {
        out += raw[i];
        continue;
      }
      const std::size_t end = raw.find(';', i);
      require(end != std::string::npos, "a bare &");
      const std::string entity = raw.substr(i + 1, end - i - 1);
      const auto known = std::vector<std::pair<std::string, char>>{
          {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"#39", '\''}};
      const auto found = std::find_if(known.begin(), known.end(),
                                      [&](const auto& each) { return each.first == entity; });
      require(found != known.end(), "an entity");
      out += found->second;
      i = end;
    }
    return out;
  }
  void read_text() {
    const std::size_t end = std::min(text_.find('<', at_), text_.size());
    const std::string text = decoded(text_.substr(at_, end - at_));
    if (open_.empty())
      require(text.find_first_not_of('\n') == std::string::npos, "text outside the root");
    else
      elements_[open_.back()].text += text;
    at_ = end;
  }
  void read_tag() {
    ++at_;
    if (text_[at_] == '/') {
      ++at_;
      require(!open_.empty() && until(">") == elements_[open_.back()].name, "tags that nest");
      ++at_;
      open_.pop_back();
      return;
    }
    Element element{.name = until(" />"), .text = "", .attributes = {}};
    while (text_[at_] == ' ') {
      ++at_;
      const std::string name = until("= >");
      require(text_.compare(at_, 2, "=\"") == 0, "a quoted value");
      const std::size_t end = text_.find('"', at_ + 2);
      require(end != std::string::npos, "a closed value");
      require(element[name].empty(), "an attribute twice");
      element.attributes.emplace_back(name, decoded(text_.substr(at_ + 2, end - at_ - 2)));
      at_ = end + 1;
    }
    if (open_.empty()) ++roots_;
    const bool empty = text_.compare(at_, 2, "/>") == 0;
    require(empty || text_[at_] == '>', "the end of a tag");
    at_ += empty ? 2 : 1;
    elements_.push_back(std::move(element));
    if (!empty) open_.push_back(elements_.size() - 1);
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int roots_ = 0;
  std::vector<std::size_t> open_;
  std::vector<Element> elements_;
};

inline bool has_text(const XmlReader& svg, const std::string& text) {
  return std::any_of(svg.elements().begin(), svg.elements().end(), [&](const Element& element) {
    return element.name == "text" && element.text == text;
  });
}

}  // namespace saccade
