// A small XML document as a tree, whose errors name the file and the line. Hides the XML library.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace saccade {

struct XmlElement {
  std::string name, text;  // the text between its tags, without white space at the ends
  std::size_t line = 0;
  std::vector<XmlElement> children{};

  // The first child of that name; null if there is none.
  const XmlElement* find(std::string_view child) const;
};

// The root of a file. Attributes are left out. Throws DataError for what is not XML, is nested
// deeper than 64 elements, or declares entities of its own.
XmlElement read_xml(const std::filesystem::path& path, std::string_view what);

}  // namespace saccade
