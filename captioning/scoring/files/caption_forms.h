// The readers behind caption_files.h: each reads one kind of text into a CaptionFile, whose path is
// there already, and says in its `form` what it took it for.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "captioning/scoring/files/caption_files.h"
#include "captioning/scoring/files/image_id.h"
#include "captioning/scoring/files/text_file.h"

namespace saccade {

// Collects the images of a file. Captions of one image may stand anywhere.
class ImageCollector {
 public:
  explicit ImageCollector(CaptionFile& file) : file_(&file) {}
  // The image of this id, which is added where it is new. Valid until the next call.
  ListedImage& image(const ImageId& id);
  // Adds an image that the file lists. Throws DataError, whose message begins with `place`, where
  // it is there already.
  ListedImage& add(const ImageId& id, const std::string& place);

 private:
  CaptionFile* file_;
  std::unordered_map<std::string, std::size_t> places_;
};

// Puts the image into the split that the word means (find_split). The first word that means none,
// and the first image that is in another split, become the file's split_problem, which begins with
// `place`.
void set_split(CaptionFile& file, ListedImage& image, const std::string& word,
               const std::string& place);

void read_json_captions(const std::string& text, CaptionFile& out);
// "CSV", or "a table with semicolons".
std::string table_name(char separator);
// A table whose first line is a header (header_separator() in caption_columns.h).
void read_table_captions(const std::string& text, CaptionFile& out);
// Lines of text, whose `role` tells what tabs are where lines begin with no name.
enum class CaptionRole { kReferences, kResults };
void read_line_captions(const std::string& text, CaptionRole role, LineReading reading,
                        CaptionFile& out);

}  // namespace saccade
