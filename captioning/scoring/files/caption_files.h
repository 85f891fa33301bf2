// The files that `saccade score` compares: references and results, in all forms in use. Both are
// read in the same way. No image is needed, captions are taken as they stand, and none is dropped:
// neither empty ones nor those that are there several times.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "captioning/scoring/files/image_id.h"
#include "captioning/scoring/files/splits.h"

namespace saccade {

struct ListedImage {
  ImageId id{};                         // without name and number in a file of captions in order
  std::vector<std::string> captions{};  // may be none
  std::optional<Split> split{};         // where the file has splits
};

struct CaptionFile {
  std::string path;
  std::string form;         // what it was read as, for people: "Karpathy's JSON"
  bool in_order = false;    // the images have no ids: image k of one file is image k of the other
  bool counted = false;     // the images' numbers are 1, 2, 3, ... and may only count the lines
  bool lines_told = false;  // the user said how its lines are read
  bool has_ids = false;     // the file calls what names its images ids (image_id), and no names
  std::vector<ListedImage> images{};
  std::string split_problem{};       // a word that is no split, and where it stands; or empty
  std::vector<std::string> notes{};  // what a user should know although it can be read
};

// How lines of text are read that may begin with an id or with a word: "2 dogs run".
enum class LineReading { kAsk, kCaptions, kNames };

// Reads a file. Its form is recognised by its content:
//   JSON       COCO's {"images": [...], "annotations": [...]}; Karpathy's {"images": [{"sentences":
//              [...]}]}, also with tokens alone; a list of objects with an image and a caption or a
//              list of captions, also under a key such as "annotations", in a list in the list, or
//              as one object per line; an object {image: caption or captions}; a list of captions
//   CSV        with a header (caption_columns.h), with commas, semicolons, bars or tabs; without
//              one: the image, then the caption. A caption's number may stand between them
//   tokens     <image>#<k> TAB <caption>, as Flickr8k has them
//   lines      the image, what separates it (leading_id.h), and a caption; what `saccade caption`
//              prints; or captions alone: an image's references with tabs between them, and a
//              caption alone in each line of results. A list whose lines are numbered may also be
//              captions in order
// The order of images and captions is that of the file. With `split`, other splits are left out;
// splits that a CSV file lacks are made (fill_splits.h). Images without captions stay. There are
// notes on captions that contain line ends and that lack spaces.
// Words for splits count only with `split`. Throws UsageError when it is given for a file without
// splits, and where two readings are possible and `lines` is kAsk; DataError that names file and
// place for what cannot be read, for images that are listed twice, and where no image has a
// caption.
CaptionFile read_references(const std::filesystem::path& path, std::optional<Split> split = {},
                            LineReading lines = LineReading::kAsk);
CaptionFile read_results(const std::filesystem::path& path, LineReading lines = LineReading::kAsk);

// "references: refs.csv, read as CSV (image, caption): 3 images, 9 captions".
std::string form_line(const char* role, const CaptionFile& file);

// "3 captions hold line ends, which are taken as spaces", about the file at `path`.
std::string line_ends_note(const std::string& path, std::size_t captions);

}  // namespace saccade
