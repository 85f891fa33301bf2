// Lists that pair images with captions, whatever their form: tables (CSV, and the same with
// semicolons, bars or tabs), lines that begin with the name of a picture (leading_id.h), JSON
// lists, JSON lines, and JSON objects from names to captions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace saccade {

struct CaptionRow {
  std::string place;  // "file:7" or "file: [3]", the beginning of a message
  std::string image;  // as written
  std::vector<std::string> captions;
  std::optional<std::string> split;  // as written; nothing where the list has none
};

struct CaptionRows {
  std::vector<CaptionRow> rows;
  std::vector<std::string> notes;  // what was read otherwise than it is written
};

// Reads such a list. Columns and keys are known by their names (caption_columns.h); others are
// passed over. Throws DataError that names the place and what to do: for columns that are missing
// or that could be taken in two ways, for rows with too many or too few fields, for a list without
// the images' files, and for files in COCO's, Karpathy's or Flickr8k's form, which have readers of
// their own.
CaptionRows read_caption_rows(const std::filesystem::path& path);

}  // namespace saccade
