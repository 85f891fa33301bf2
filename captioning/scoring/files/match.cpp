#include "captioning/scoring/files/match.h"

#include <algorithm>
#include <set>

#include "captioning/scoring/files/image_id.h"
#include "captioning/scoring/words/plain_caption.h"
#include "captioning/scoring/words/ptb_tokenizer.h"
#include "core/base/error.h"
#include "core/base/listing.h"

namespace saccade {

namespace {

// "3 captions without a word: a.jpg, b.jpg, c.jpg". `one` and `several` stand behind the number.
std::string listed(const std::vector<std::string>& names, const std::string& one,
                   const std::string& several) {
  return counted(static_cast<Index>(names.size()), one, several) + ": " + first_names(names);
}

// What a message calls image i of a file.
std::string shown(const CaptionFile& file, std::size_t i) {
  return file.in_order ? std::to_string(i + 1) : file.images[i].id.shown();
}

// The part of a name behind its last slash.
std::string last_name(const std::string& name) { return name.substr(name.rfind('/') + 1); }

// Joins the sentences of a message.
void add_problem(std::string& problems, const std::string& problem) {
  problems += (problems.empty() ? "" : "; ") + problem;
}

// How many captions in order there are: empty lines at the end of a file count only as far as there
// are images.
std::size_t captions_in_order(const CaptionFile& references, const CaptionFile& results) {
  std::size_t count = results.images.size();
  while (count > references.images.size() && results.images[count - 1].captions.size() == 1 &&
         results.images[count - 1].captions[0].empty())
    --count;
  return count;
}

// Whether the numbers of the results, which may only count their lines, do so: as ids they are
// unknown, and there are as many as images. Throws UsageError where they are ids of other images.
bool only_count(const CaptionFile& references, const CaptionFile& results,
                const ImageIndex& index) {
  if (!results.counted || references.in_order || results.images.size() != references.images.size())
    return false;
  std::optional<std::size_t> other;
  for (std::size_t i = 0; i < results.images.size(); ++i) {
    const auto image = index.find(results.images[i].id);
    if (!image) return true;
    if (*image != i && !other) other = i;
  }
  if (!other) return false;
  throw UsageError(str(
      results.path, ": its numbers can be read in two ways: '", results.images[*other].id.shown(),
      "' may be that image of ", references.path, " or count the lines, so that it is image ",
      shown(references, *other), "; say which with --lines names or --lines captions"));
}

// Throws UsageError where numbers are ids of some images and names of others: 17 beside "17.jpg"
// with the id 3.
void refuse_two_numberings(const CaptionFile& references, const CaptionFile& results,
                           const ImageIndex& index) {
  std::optional<std::size_t> other;
  for (std::size_t i = 0; i < results.images.size(); ++i) {
    const auto named = index.find_as_name(results.images[i].id);
    if (!named) return;
    if (index.find(results.images[i].id) != named && !other) other = i;
  }
  if (!other) return;
  const ImageId& id = results.images[*other].id;
  throw UsageError(str(results.path, ": its images can be read in two ways: ", id.shown(),
                       " may be the id of ", shown(references, *index.find(id)), " in ",
                       references.path, " or the name of ",
                       shown(references, *index.find_as_name(id)),
                       "; call the column or key image_id where it is the id, or write the names "
                       "with their endings"));
}

// Throws UsageError where captions in order begin with the names of as many images: "a dog runs",
// "b two kids" beside the images a and b.
void refuse_leading_names(const CaptionFile& references, const CaptionFile& results,
                          const ImageIndex& index) {
  if (!results.in_order || results.lines_told || results.images.size() < 2) return;
  std::set<std::size_t> images;
  std::string first;
  for (const ListedImage& result : results.images) {
    if (result.captions.empty()) return;
    const std::string& caption = result.captions.front();
    const std::size_t begin = std::min(caption.find_first_not_of(" (["), caption.size());
    const std::size_t end = std::min(caption.find_first_of(" :.,;)]", begin), caption.size());
    const std::string word = caption.substr(begin, end - begin);
    if (word.find_first_not_of("0123456789") == std::string::npos) return;
    const auto image = index.find({.name = word, .number = std::nullopt});
    if (!image || !images.insert(*image).second) return;
    if (first.empty()) first = word;
  }
  throw UsageError(str(results.path,
                       ": its lines can be read in two ways: all begin with the name ",
                       "of an image of ", references.path, ", such as '", first,
                       "', and may be captions that begin so; say which with --lines names or "
                       "--lines captions, or give the file a first line image,caption"));
}

// The result of every image of the references, or null.
std::vector<const ListedImage*> assign(const CaptionFile& references, const CaptionFile& results,
                                       const ImageIndex& index, bool counting) {
  std::vector<const ListedImage*> out(references.images.size(), nullptr);
  const bool ordered = results.in_order || counting;
  if (!ordered && !results.has_ids) refuse_two_numberings(references, results, index);
  const std::size_t count =
      results.in_order ? captions_in_order(references, results) : results.images.size();
  if (results.in_order && count != out.size()) {
    throw DataError(str(results.path, ": has ", counted(static_cast<Index>(count), "caption"),
                        " without an image; ", references.path, " has ",
                        counted(static_cast<Index>(out.size()), "image"),
                        "; give one line per image, or <image> TAB <caption> (the references were "
                        "read as ",
                        references.form, ")"));
  }
  std::vector<std::string> unknown, several, bare;
  for (std::size_t i = 0; i < count; ++i) {
    const ListedImage& result = results.images[i];
    const auto image = ordered ? std::optional(i) : index.find(result.id);
    if (!image) {
      unknown.push_back(result.id.shown());
    } else if (references.images[*image].captions.empty()) {
      bare.push_back(shown(references, *image));
    } else if (result.captions.size() > 1 || out[*image]) {
      several.push_back(shown(references, *image));
    } else if (!result.captions.empty()) {
      out[*image] = &result;
    }
  }
  std::string problems;
  if (!unknown.empty()) {
    add_problem(problems, listed(unknown, "caption of an image that is unknown",
                                 "captions of images that are unknown"));
    if (references.in_order) problems += " (the references name no images)";
  }
  if (!several.empty()) {
    add_problem(problems,
                listed(several, "image with several captions", "images with several captions"));
  }
  if (!bare.empty()) {
    add_problem(problems, listed(bare, "caption of an image without a reference",
                                 "captions of images without a reference"));
  }
  if (!problems.empty()) {
    // Results have one caption each, references usually several.
    const bool single =
        std::all_of(references.images.begin(), references.images.end(),
                    [](const ListedImage& image) { return image.captions.size() <= 1; });
    const bool swapped = !several.empty() && (single || several.size() == count);
    throw DataError(str(results.path, ": does not fit ", references.path, ": ", problems,
                        swapped ? "; were the two files named in the wrong order?" : "",
                        " (the results were read as ", results.form, ", the references as ",
                        references.form, ")"));
  }
  return out;
}

}  // namespace

ImageIndex::ImageIndex(const CaptionFile& references) {
  const auto add = [](auto& images, const auto& key, std::size_t image) {
    const auto [found, fresh] = images.emplace(key, image);
    if (!fresh && found->second != image) found->second.reset();
  };
  for (std::size_t i = 0; i < references.images.size(); ++i) {
    const ImageId& id = references.images[i].id;
    if (references.in_order) add(numbers_, static_cast<std::int64_t>(i) + 1, i);
    if (id.number) add(numbers_, *id.number, i);
    if (id.name.empty()) continue;
    names_.emplace(id.name, i);
    for (std::size_t at = 0; at != std::string::npos;) {
      add(endings_, id.name.substr(at), i);
      const auto slash = id.name.find('/', at);
      at = slash == std::string::npos ? slash : slash + 1;
    }
    const std::string last = last_name(id.name);
    if (const auto stem = without_ending(last); stem.size() < last.size())
      add(stems_, std::string(stem), i);
  }
}

std::optional<std::size_t> ImageIndex::find_name(const std::string& name) const {
  if (const auto found = names_.find(name); found != names_.end()) return found->second;
  for (std::size_t at = 0; at != std::string::npos;) {
    const auto found = endings_.find(name.substr(at));
    if (found != endings_.end()) return found->second;
    const auto slash = name.find('/', at);
    at = slash == std::string::npos ? slash : slash + 1;
  }
  const std::string last = last_name(name);
  const std::string stem(without_ending(last));
  const Images& images = stem == last ? stems_ : endings_;
  const auto found = images.find(stem);
  return found == images.end() ? std::nullopt : found->second;
}

std::optional<std::size_t> ImageIndex::find_as_name(const ImageId& id) const {
  return id.number && id.name.empty() ? find_name(std::to_string(*id.number)) : std::nullopt;
}

std::optional<std::size_t> ImageIndex::find(const ImageId& id) const {
  if (!id.name.empty() && !names_.empty()) {
    const auto found = find_name(id.name);
    // The number of "007" is that of the name; one beside a name may be of another numbering.
    if (found || image_id(id.name).number != id.number) return found;
  }
  if (!id.number) return std::nullopt;
  const auto found = numbers_.find(*id.number);
  if (found != numbers_.end()) return found->second;
  return find_as_name(id);
}

MatchedCaptions match(const CaptionFile& references, const CaptionFile& results) {
  const ImageIndex index(references);
  const bool counting = only_count(references, results, index);
  refuse_leading_names(references, results, index);
  const std::vector<const ListedImage*> assigned = assign(references, results, index, counting);
  MatchedCaptions out;
  out.notes = results.notes;
  out.forms = {form_line("references", references), form_line("results", results)};
  if (counting) out.forms[1] += "; the numbers count the lines, as no image has them";
  std::vector<std::string> missing, empty;
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    const ListedImage& image = references.images[i];
    if (!assigned[i]) {
      if (!image.captions.empty()) missing.push_back(shown(references, i));
      continue;
    }
    out.images.push_back(i);
    out.candidates.push_back(assigned[i]->captions[0]);
    out.references.push_back(image.captions);
  }
  if (out.images.empty()) throw DataError(results.path + ": there is no caption in it");
  const auto words = scored_words(out.candidates);
  for (std::size_t c = 0; c < words.size(); ++c) {
    if (words[c].empty()) empty.push_back(shown(references, out.images[c]));
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
  PlainCaptions plain;
  for (const std::string& caption : out.candidates) plain.add(caption);
  if (const std::string note = plain.note(); !note.empty())
    out.notes.push_back(str(results.path, ": ", note));
  return out;
}

}  // namespace saccade
