// Features in lines of text with tabs: those of bottom-up attention and of VinVL. A line may have a
// megabyte, so that only the places of lines are kept.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/shallow_json.h"
#include "core/io/base64.h"
#include "vision/encoders/features/feature_source.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

// A file of lines, each found by its number.
class Lines {
 public:
  explicit Lines(const fs::path& path) : path_(path) {
    file_ = FileHandle(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file_.fd() < 0) throw_io_error("read", path, errno);
    std::error_code error;
    size_ = fs::file_size(path, error);
    if (error) throw_io_error("read", path, error.value());
    fs::path index = path;
    index.replace_extension(".lineidx");
    if (fs::exists(index, error))
      read_index(index);
    else
      find_lines();
  }

  std::size_t count() const { return starts_.size(); }
  std::string source() const { return path_.string(); }
  // A line without its end, or the first bytes of it.
  std::string line(std::size_t number, std::uint64_t most = UINT64_MAX) const {
    const std::uint64_t end = number + 1 < count() ? starts_[number + 1] : size_;
    std::string text = read(starts_[number], std::min(end - starts_[number], most));
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    return text;
  }
  // The last bytes of a line, and how many it has, both without its end.
  std::pair<std::string, std::uint64_t> tail(std::size_t number) const {
    constexpr std::uint64_t kTail = 8;
    const std::uint64_t end = number + 1 < count() ? starts_[number + 1] : size_;
    const std::uint64_t from = std::max(starts_[number], end - std::min(end, kTail));
    std::string text = read(from, end - from);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    const std::uint64_t length = from - starts_[number] + text.size();
    return {std::move(text), length};
  }

 private:
  std::string read(std::uint64_t from, std::uint64_t bytes) const {
    std::string text(static_cast<std::size_t>(bytes), '\0');
    const auto into = std::as_writable_bytes(std::span(text.data(), text.size()));
    if (const int error = read_all_at(file_.fd(), into, from)) throw_io_error("read", path_, error);
    return text;
  }
  void find_lines() {
    constexpr std::uint64_t kBlock = 1 << 22;
    bool at_start = true;
    for (std::uint64_t from = 0; from < size_; from += kBlock) {
      const std::string block = read(from, std::min(kBlock, size_ - from));
      for (std::size_t i = 0; i < block.size();) {
        if (at_start) starts_.push_back(from + i);
        const void* end = std::memchr(block.data() + i, '\n', block.size() - i);
        at_start = end != nullptr;
        i = at_start ? static_cast<std::size_t>(static_cast<const char*>(end) - block.data()) + 1
                     : block.size();
      }
    }
  }
  // Places of lines in a file beside it, each checked to be one.
  void read_index(const fs::path& index) {
    const auto refuse = [&](const std::string& why) {
      throw DataError(str(index.string(), ": ", why, " of ", path_.filename().string(),
                          "; it is of another file, delete it, and the places are found again"));
    };
    Lines list(index, size_of(index));
    for (std::size_t i = 0; i < list.count(); ++i) {
      const std::string text = list.line(i);
      std::uint64_t start = 0;
      const auto done = std::from_chars(text.data(), text.data() + text.size(), start);
      const bool number = !text.empty() && done.ptr == text.data() + text.size();
      const bool fits = number && start < size_ && (i == 0 ? start == 0 : start > starts_.back()) &&
                        (i == 0 || read(start - 1, 1) == "\n");
      if (!fits)
        refuse(str("line ", i + 1, " says '", text.substr(0, 30),
                   "', which is not where a line begins"));
      starts_.push_back(start);
    }
    if (starts_.empty()) refuse("it has no lines, and there are some");
    // The last line has to be the last one: a list that was cut would lose photos.
    const std::string last = read(starts_.back(), size_ - starts_.back());
    if (const std::size_t end = last.find('\n'); end != std::string::npos && end + 1 < last.size())
      refuse(str("it ends at line ", starts_.size(), ", which is not the last"));
  }
  static std::uint64_t size_of(const fs::path& path) {
    std::error_code error;
    const auto size = fs::file_size(path, error);
    if (error) throw_io_error("read", path, error.value());
    return size;
  }
  // Without an index of its own.
  Lines(const fs::path& path, std::uint64_t size) : path_(path), size_(size) {
    file_ = FileHandle(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file_.fd() < 0) throw_io_error("read", path, errno);
    find_lines();
  }

  fs::path path_;
  FileHandle file_;
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> starts_;
};

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t from = 0;;) {
    const std::size_t tab = line.find('\t', from);
    fields.push_back(line.substr(from, tab == std::string_view::npos ? tab : tab - from));
    if (tab == std::string_view::npos) return fields;
    from = tab + 1;
  }
}

// The forms by their numbers of fields.
enum class Form {
  kBottomUp,   // id, width, height, n, boxes, features
  kObjects,    // id, height, width, four lists of objects and attributes, n, boxes, features
  kPlain,      // key, n, features with six numbers of the box behind each
  kJson,       // key, {"num_boxes", "features": as above}
  kDetections  // key, {"objects": [{"rect", "feature"}]}
};

struct Columns {
  std::size_t fields, width, height, count, boxes, features;
};
constexpr Columns kBottomUpColumns{6, 1, 2, 3, 4, 5}, kObjectColumns{10, 2, 1, 7, 8, 9};

class FeatureTable final : public FeatureSource {
 public:
  FeatureTable(const fs::path& path, Lines lines) : lines_(std::move(lines)) {
    path_ = path.string();
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < lines_.count(); ++i) {
      constexpr std::uint64_t kHead = 512;
      const std::string head = lines_.line(i, kHead);
      if (head.empty()) continue;
      const std::string id = head.substr(0, head.find('\t'));
      if (!rows_.emplace(id, i).second)
        throw DataError(str(path_, ": line ", i + 1, " is of the photo ", id, ", as line ",
                            rows_.at(id) + 1, " is; keep one of the two"));
      ids.push_back(id);
    }
    know(std::move(ids));
    form_ = form_of(0);
    if (form_ == Form::kDetections) read_sizes();
  }

  FeatureOutline outline(const std::string& id) const override {
    std::vector<Index> shape = announced(rows_.at(id));
    if (shape.empty()) shape = load(id).shape;
    return {.shape = std::move(shape), .boxes = true};
  }

 protected:
  StoredFeatures load(const std::string& id) const override {
    const std::size_t row = rows_.at(id);
    StoredFeatures out{.where = str(path_, ": line ", row + 1)};
    const std::string line = lines_.line(row);
    const std::vector<std::string_view> fields = fields_of(line);
    if (form_ == Form::kBottomUp) load_columns(fields, kBottomUpColumns, out);
    if (form_ == Form::kObjects) load_columns(fields, kObjectColumns, out);
    if (form_ == Form::kPlain) {
      need(fields.size() == 3, out, str("3 fields, and there are ", fields.size()));
      split_places(floats(fields[2], out, "features"), number(fields[1], out, "num_boxes"), out);
    }
    if (form_ == Form::kJson || form_ == Form::kDetections) load_json(id, fields, out);
    return out;
  }

 private:
  static constexpr Index kPlace = 6;  // numbers of a box that VinVL puts behind features

  static void need(bool holds, const StoredFeatures& at, const std::string& expected) {
    if (!holds) throw DataError(str(at.where, ": expected ", expected));
  }
  static Index number(std::string_view text, const StoredFeatures& at, const char* what) {
    Index value = 0;
    const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
    need(done.ptr == text.data() + text.size() && !text.empty() && value > 0, at,
         str(what, " to be a whole number above 0, and it is '", text.substr(0, 20), "'"));
    return value;
  }
  static std::vector<float> floats(std::string_view text, const StoredFeatures& at,
                                   const char* what) {
    const auto bytes = from_base64(text);
    need(bytes.has_value(), at,
         str(what, " in base64, and the text of ", text.size(),
             " characters is none (cut, or of other characters)"));
    need(bytes->size() % sizeof(float) == 0, at,
         str(what, " of 32-bit floats, and there are ", bytes->size(), " bytes"));
    std::vector<float> out(bytes->size() / sizeof(float));
    std::memcpy(out.data(), bytes->data(), bytes->size());
    check_finite(at.where, what, out);
    return out;
  }

  Form form_of(std::size_t row) const {
    const std::string line = lines_.line(row);
    const std::vector<std::string_view> fields = fields_of(line);
    switch (fields.size()) {
      case 6:
        return Form::kBottomUp;
      case 10:
        return Form::kObjects;
      case 3:
        return Form::kPlain;
      case 2: {
        const Json json = shallow_json<Json>(fields[1]);
        if (json.is_object() && json.contains("features")) return Form::kJson;
        if (json.is_object() && json.contains("objects")) return Form::kDetections;
        throw DataError(str(path_, ": line ", row + 1,
                            ": its JSON has neither features nor objects with a feature; name the "
                            "file that has them (NAME.feature.tsv)"));
      }
      default:
        throw DataError(str(path_, ": line ", row + 1, " has ", fields.size(),
                            " fields between tabs; features of bottom-up attention have 6 (or 10, "
                            "with objects and attributes), those of VinVL 2 or 3"));
    }
  }

  void load_columns(const std::vector<std::string_view>& fields, const Columns& columns,
                    StoredFeatures& out) const {
    need(fields.size() == columns.fields, out,
         str(columns.fields, " fields between tabs, and there are ", fields.size()));
    const Index count = number(fields[columns.count], out, "num_boxes");
    out.size = {.height = number(fields[columns.height], out, "the photo's height"),
                .width = number(fields[columns.width], out, "the photo's width")};
    const std::vector<float> boxes = floats(fields[columns.boxes], out, "boxes");
    need(boxes.size() % 4 == 0 && std::ssize(boxes) / 4 == count, out,
         str(count, " boxes of 4 numbers, as num_boxes says, and there are ", boxes.size(),
             " numbers"));
    out.boxes = boxes_of(boxes);
    out.values = floats(fields[columns.features], out, "features");
    take_width(count, out);
  }

  // [n, D], with as many numbers as there are.
  static void take_width(Index count, StoredFeatures& out) {
    const auto all = static_cast<Index>(out.values.size());
    need(all > 0 && all % count == 0, out,
         str("features of ", count, " regions, and there are ", all, " numbers"));
    out.shape = {count, all / count};
  }

  // Cuts off the six numbers of the box (x1, y1, x2, y2, width, height, in shares of the photo's)
  // that VinVL puts behind the features of each region.
  static void split_places(const std::vector<float>& wide, Index count, StoredFeatures& out) {
    out.values = wide;
    take_width(count, out);
    const Index whole = out.shape[1], width = whole - kPlace;
    need(width > 0, out, str("features with 6 numbers of the box, and they have ", whole));
    std::vector<float> values;
    for (Index r = 0; r < count; ++r) {
      const float* region = wide.data() + r * whole;
      const float* place = region + width;
      constexpr float kRounding = 1e-2F;
      const bool box = place[0] >= -kRounding && place[1] >= -kRounding &&
                       place[2] <= 1 + kRounding && place[3] <= 1 + kRounding &&
                       std::abs(place[2] - place[0] - place[4]) <= kRounding &&
                       std::abs(place[3] - place[1] - place[5]) <= kRounding;
      need(box, out,
           str("x1, y1, x2, y2, width and height of the box of region ", r,
               " behind its features, in shares of the photo's, and found ", place[0], ", ",
               place[1], ", ", place[2], ", ", place[3], ", ", place[4], ", ", place[5]));
      values.insert(values.end(), region, place);
      out.boxes.push_back({place[0], place[1], place[2], place[3]});
    }
    out.values = std::move(values);
    out.relative = true;
    out.shape[1] = width;
  }

  void load_json(const std::string& id, const std::vector<std::string_view>& fields,
                 StoredFeatures& out) const {
    need(fields.size() == 2, out, str("2 fields, and there are ", fields.size()));
    const Json json = shallow_json<Json>(fields[1]);
    if (form_ == Form::kJson) {
      need(json.is_object() && json.contains("features") && json["features"].is_string() &&
               json.contains("num_boxes") && json["num_boxes"].is_number_integer() &&
               json["num_boxes"].get<Index>() > 0,
           out, "JSON with num_boxes, above 0, and features");
      return split_places(floats(json["features"].get_ref<const std::string&>(), out, "features"),
                          json["num_boxes"].get<Index>(), out);
    }
    need(json.is_object() && json.contains("objects") && json["objects"].is_array() &&
             !json["objects"].empty(),
         out, "JSON with a list of objects that is not empty");
    for (const Json& object : json["objects"]) {
      need(object.is_object() && object.contains("rect") && object["rect"].is_array() &&
               object["rect"].size() == 4 && object["rect"][0].is_number() &&
               object["rect"][1].is_number() && object["rect"][2].is_number() &&
               object["rect"][3].is_number() && object.contains("feature") &&
               object["feature"].is_string(),
           out, str("object ", out.boxes.size(), " to have a rect of 4 numbers and a feature"));
      std::array<float, 4> box{};
      for (std::size_t k = 0; k < 4; ++k) box[k] = object["rect"][k].get<float>();
      check_finite(out.where, "rect", box);
      const std::vector<float> feature =
          floats(object["feature"].get_ref<const std::string&>(), out, "a feature");
      need(out.boxes.empty() || feature.size() * out.boxes.size() == out.values.size(), out,
           str("all features to be equally wide, and that of object ", out.boxes.size(), " has ",
               feature.size(), " numbers"));
      out.boxes.push_back(box);
      out.values.insert(out.values.end(), feature.begin(), feature.end());
    }
    take_width(static_cast<Index>(out.boxes.size()), out);
    if (const auto size = sizes_.find(id); size != sizes_.end()) out.size = size->second;
  }

  // The shape [n, D] as the beginning of a line and its length tell it, because a line may have a
  // megabyte; empty where they do not.
  std::vector<Index> announced(std::size_t row) const {
    constexpr std::uint64_t kHead = 4096;
    const std::string head = lines_.line(row, kHead);
    const auto [end, length] = lines_.tail(row);
    const auto bytes = static_cast<Index>(length);
    const std::vector<std::string_view> fields = fields_of(head);
    Index count = 0, from = 0, behind = 0;  // where the features begin, and what follows them
    const auto begin_of = [&](std::string_view text) { return text.data() - head.data(); };
    const auto take_count = [&](std::string_view text) {
      std::from_chars(text.data(), text.data() + text.size(), count);
      return count > 0 && count <= bytes;
    };
    if (form_ == Form::kPlain) {
      if (fields.size() < 3 || !take_count(fields[1])) return {};
      from = begin_of(fields[2]);
    } else if (form_ == Form::kBottomUp || form_ == Form::kObjects) {
      const Columns& columns = form_ == Form::kBottomUp ? kBottomUpColumns : kObjectColumns;
      if (fields.size() <= columns.boxes || !take_count(fields[columns.count])) return {};
      from = begin_of(fields[columns.boxes]) + (count * 16 + 2) / 3 * 4 + 1;
    } else if (form_ == Form::kJson) {
      const std::size_t features = head.find("\"features\""), number = head.find("\"num_boxes\"");
      const std::size_t colon = head.find(':', features), text = head.find('"', colon);
      const std::size_t digits = head.find_first_of("0123456789", number);
      if (text == std::string::npos || digits > features || !end.ends_with("\"}")) return {};
      if (!take_count(std::string_view(head).substr(digits, features - digits))) return {};
      from = static_cast<Index>(text) + 1, behind = 2;
    } else {
      return {};
    }
    const Index characters = bytes - from - behind;
    const Index numbers = characters / 4 * 3 / static_cast<Index>(sizeof(float));
    const bool placed = form_ == Form::kPlain || form_ == Form::kJson;
    const Index width = numbers / count - (placed ? kPlace : 0);
    if (characters < 4 || characters % 4 != 0 || numbers % count != 0 || width < 1) return {};
    return {count, width};
  }

  // Heights and widths of photos, from the NAME.hw.tsv beside it.
  void read_sizes() {
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(fs::path(path_).parent_path(), error))
      if (entry.path().string().ends_with(".hw.tsv")) found.push_back(entry.path());
    if (found.size() != 1) return;
    const Lines lines(found[0]);
    for (std::size_t i = 0; i < lines.count(); ++i) {
      const std::string line = lines.line(i);
      const std::size_t tab = line.find('\t');
      if (line.empty() || tab == std::string::npos) continue;
      const Json json = shallow_json<Json>(line.substr(tab + 1));
      const bool good = json.is_array() && json.size() == 1 && json[0].is_object() &&
                        json[0].contains("height") && json[0].contains("width") &&
                        json[0]["height"].is_number_integer() &&
                        json[0]["width"].is_number_integer();
      if (!good)
        throw DataError(str(found[0].string(), ": line ", i + 1,
                            ": expected a key and JSON [{\"height\": ..., \"width\": ...}]"));
      sizes_[line.substr(0, tab)] = {.height = json[0]["height"].get<Index>(),
                                     .width = json[0]["width"].get<Index>()};
    }
  }

  Lines lines_;
  Form form_ = Form::kBottomUp;
  std::map<std::string, std::size_t> rows_;
  std::map<std::string, ImageSize> sizes_;
};

}  // namespace

std::unique_ptr<FeatureSource> open_feature_table(const fs::path& path) {
  std::string head(4096, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  const bool named = path.extension() == ".tsv";
  if (!named && (head.find('\t') == std::string::npos || head.find('\0') != std::string::npos))
    return nullptr;
  Lines lines(path);
  if (lines.count() == 0) throw DataError(path.string() + ": the file is empty; copy it again");
  return std::make_unique<FeatureTable>(path, std::move(lines));
}

}  // namespace saccade
