#include "captioning/scoring/match.h"

#include <algorithm>

#include "captioning/text/ptb_tokenizer.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

std::string shown(const ReferenceImage& image) {
  return image.name.empty() ? std::to_string(image.number) : image.name;
}

std::string shown(const ResultCaption& result) {
  return result.name.empty() ? std::to_string(*result.number) : result.name;
}

// "3 captions without a word: a.jpg, b.jpg, c.jpg". `one` and `several` stand behind the number.
std::string listed(const std::vector<std::string>& names, const std::string& one,
                   const std::string& several) {
  return counted(static_cast<Index>(names.size()), one, several) + ": " + first_names(names);
}

// The part of a name behind its last slash.
std::string last_name(const std::string& name) { return name.substr(name.rfind('/') + 1); }

// The result of every image, or null.
std::vector<const ResultCaption*> assign(const ReferenceFile& references,
                                         const ResultFile& results) {
  std::vector<const ResultCaption*> out(references.images.size(), nullptr);
  const bool in_order = !results.captions.empty() && !results.captions.front().number &&
                        results.captions.front().name.empty();
  if (in_order && results.captions.size() != out.size()) {
    throw DataError(str(results.path, ": has ", results.captions.size(),
                        " captions without an image; ", references.path, " has ", out.size(),
                        " images; give one line per image, or <image> TAB <caption>"));
  }
  const ImageIndex index(references);
  std::vector<std::string> unknown, twice;
  for (std::size_t i = 0; i < results.captions.size(); ++i) {
    const ResultCaption& result = results.captions[i];
    if (in_order != (!result.number && result.name.empty())) {
      throw DataError(str(result.place, in_order ? ": names an image" : ": names no image",
                          ", unlike the first line; give all lines the same form"));
    }
    const auto image = in_order ? std::optional(i) : index.find(result);
    if (!image) {
      unknown.push_back(shown(result));
    } else if (out[*image]) {
      twice.push_back(shown(references.images[*image]));
    } else {
      out[*image] = &result;
    }
  }
  std::string problems;
  if (!unknown.empty())
    problems += listed(unknown, "caption of an image that is unknown",
                       "captions of images that are unknown");
  if (!twice.empty()) {
    problems += (problems.empty() ? "" : "; ") +
                listed(twice, "caption too many for an image", "captions too many for an image");
  }
  if (!problems.empty()) {
    throw DataError(str(results.path, ": does not fit ", references.path, ": ", problems));
  }
  return out;
}

}  // namespace

ImageIndex::ImageIndex(const ReferenceFile& references) {
  for (std::size_t i = 0; i < references.images.size(); ++i) {
    // Places in a file of names are no ids: others may number the images differently.
    const std::string& name = references.images[i].name;
    if (references.numbered || name.empty()) numbers_.emplace(references.images[i].number, i);
    if (name.empty()) continue;
    names_.emplace(name, i);
    const auto [found, fresh] = last_names_.emplace(last_name(name), i);
    if (!fresh) found->second.reset();
  }
}

std::optional<std::size_t> ImageIndex::find(const ResultCaption& result) const {
  // Where images have names, a number beside a name may be of another numbering.
  if (result.name.empty() || (names_.empty() && result.number)) {
    const auto found = result.number ? numbers_.find(*result.number) : numbers_.end();
    if (found != numbers_.end()) return found->second;
  } else {
    const auto found = names_.find(result.name);
    if (found != names_.end()) return found->second;
    const auto last = last_names_.find(last_name(result.name));
    if (last != last_names_.end()) return last->second;
  }
  return std::nullopt;
}

MatchedCaptions match(const ReferenceFile& references, const ResultFile& results) {
  const std::vector<const ResultCaption*> assigned = assign(references, results);
  MatchedCaptions out;
  std::vector<std::string> missing, empty;
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    const ReferenceImage& image = references.images[i];
    if (!assigned[i]) {
      missing.push_back(shown(image));
      continue;
    }
    out.images.push_back(i);
    out.candidates.push_back(assigned[i]->caption);
    out.references.push_back(image.captions);
  }
  if (out.images.empty()) throw DataError(results.path + ": there is no caption in it");
  const auto words = scored_words(out.candidates);
  for (std::size_t c = 0; c < words.size(); ++c) {
    if (words[c].empty()) empty.push_back(shown(references.images[out.images[c]]));
  }
  const auto line_ends =
      std::count_if(out.candidates.begin(), out.candidates.end(), holds_line_end);
  if (!missing.empty()) {
    out.notes.push_back(str(results.path, ": ",
                            listed(missing, "image has no caption and is not scored",
                                   "images have no caption and are not scored")));
  }
  if (!empty.empty()) {
    out.notes.push_back(str(results.path, ": ",
                            listed(empty, "caption without a word", "captions without a word")));
  }
  if (line_ends > 0) {
    out.notes.push_back(line_ends_note(results.path, static_cast<std::size_t>(line_ends)));
  }
  return out;
}

}  // namespace saccade
