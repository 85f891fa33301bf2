#include "captioning/study/grounding/xml_file.h"

#include <expat.h>

#include <algorithm>
#include <memory>

#include "captioning/data/reader_support.h"
#include "captioning/scoring/files/text_file.h"
#include "core/base/error.h"

namespace saccade {

namespace {

constexpr std::size_t kDeepest = 64;

struct Reading {
  XML_Parser parser = nullptr;
  XmlElement top{};                 // holds the root
  std::vector<XmlElement*> open{};  // from `top` on; only the last one gets children
  const char* refusal = nullptr;    // why reading was stopped
};

void refuse(Reading& reading, const char* why) {
  reading.refusal = why;
  XML_StopParser(reading.parser, XML_FALSE);
}

void start(void* user, const char* name, const char**) {
  auto& reading = *static_cast<Reading*>(user);
  if (reading.open.size() > kDeepest) return refuse(reading, "nested too deeply");
  XmlElement& element = reading.open.back()->children.emplace_back();
  element.name = name;
  element.line = XML_GetCurrentLineNumber(reading.parser);
  reading.open.push_back(&element);
}

void end(void* user, const char*) {
  auto& reading = *static_cast<Reading*>(user);
  std::string& text = reading.open.back()->text;
  constexpr const char* kSpace = " \t\r\n";
  text.erase(0, text.find_first_not_of(kSpace));
  text.erase(text.find_last_not_of(kSpace) + 1);
  reading.open.pop_back();
}

void characters(void* user, const char* text, int length) {
  static_cast<Reading*>(user)->open.back()->text.append(text, static_cast<std::size_t>(length));
}

void entity(void* user, const char*, int, const char*, int, const char*, const char*, const char*,
            const char*) {
  refuse(*static_cast<Reading*>(user), "declares entities of its own");
}

}  // namespace

const XmlElement* XmlElement::find(std::string_view child) const {
  const auto found = std::find_if(children.begin(), children.end(),
                                  [&](const XmlElement& one) { return one.name == child; });
  return found == children.end() ? nullptr : &*found;
}

XmlElement read_xml(const std::filesystem::path& path, std::string_view what) {
  const std::string text = read_text(path, what);
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, void (*)(XML_Parser)> parser(
      XML_ParserCreate(nullptr), &XML_ParserFree);
  if (!parser) throw std::bad_alloc();
  Reading reading{.parser = parser.get()};
  reading.open = {&reading.top};
  XML_SetUserData(parser.get(), &reading);
  XML_SetElementHandler(parser.get(), start, end);
  XML_SetCharacterDataHandler(parser.get(), characters);
  XML_SetEntityDeclHandler(parser.get(), entity);
  if (XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), 1) != XML_STATUS_OK) {
    throw DataError(
        str(path.string(), ":", XML_GetCurrentLineNumber(parser.get()), ": broken XML: ",
            reading.refusal ? reading.refusal : XML_ErrorString(XML_GetErrorCode(parser.get())),
            "; it should be the ", what));
  }
  return std::move(reading.top.children.front());
}

}  // namespace saccade
