#include "core/io/safetensors_header.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"

namespace saccade {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostRank = 16;
constexpr const char* kMetadata = "__metadata__";

struct TypeBytes {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr TypeBytes kTypes[] = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2},    {"F8_E4M3", 1},
                                {"I64", 8}, {"I32", 4}, {"I16", 2}, {"F8_E5M2", 1}, {"I8", 1},
                                {"U64", 8}, {"U32", 4}, {"U16", 2}, {"U8", 1},      {"BOOL", 1}};

// Reads the text token by token and stops at the first one that a header cannot have, so that no
// text makes it store more than a header of that length can describe.
class HeaderReader final : public nlohmann::json_sax<Json> {
 public:
  HeaderReader(const std::string& source, SafetensorsHeader& into) : source_(source), into_(into) {}

  [[noreturn]] void refuse(const std::string& why) const {
    const bool named = depth_ >= 2 && !in_metadata_ && !into_.entries.empty();
    throw DataError(
        source_ + ": " +
        (named ? "array " + safetensors_name_in_message(into_.entries.back().name) + ": " : "") +
        why + "; this is not a safetensors file, or it is damaged");
  }

  bool null() override { refuse("null in the header"); }
  bool boolean(bool) override { refuse("a truth value in the header"); }
  bool number_integer(number_integer_t) override { refuse("a negative number in the header"); }
  bool number_float(number_float_t, const string_t&) override {
    refuse("a fraction or a huge number in the header");
  }
  bool binary(binary_t&) override { refuse("bytes in the header"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ != 3) refuse("a number where none belongs");
    if (key_ == "shape") {
      if (entry().shape.size() == kMostRank) refuse("a shape of too many extents");
      if (value > static_cast<std::uint64_t>(std::numeric_limits<Index>::max()))
        refuse("an extent that is too large");
      entry().shape.push_back(static_cast<Index>(value));
    } else {
      if (offsets_ == 2) refuse("more than two data_offsets");
      (offsets_ == 0 ? entry().offset : end_) = value;
      ++offsets_;
    }
    return true;
  }

  bool string(string_t& text) override {
    if (depth_ != 2) refuse("a text where none belongs");
    if (in_metadata_) {
      into_.metadata[key_] = text;
    } else if (key_ == "dtype") {
      if (safetensors_type_bytes(text) == 0)
        refuse("a dtype that is unknown: " + safetensors_name_in_message(text));
      entry().type = text;
    } else {
      refuse("a text as its " + key_);
    }
    return true;
  }

  bool start_object(std::size_t) override {
    if (depth_ >= 2) refuse("an object where none belongs");
    ++depth_;
    return true;
  }

  bool key(string_t& text) override {
    key_ = text;
    if (depth_ == 1) {
      if (!names_.insert(text).second)
        refuse("the name " + safetensors_name_in_message(text) + " twice");
      in_metadata_ = text == kMetadata;
      fields_.clear();
      offsets_ = 0;
      if (!in_metadata_) into_.entries.push_back({.name = text, .type = {}, .shape = {}});
    } else if (in_metadata_) {
      if (into_.metadata.contains(text)) refuse("a key twice in the metadata");
    } else {
      if (text != "dtype" && text != "shape" && text != "data_offsets")
        refuse("an unknown field " + safetensors_name_in_message(text));
      if (!fields_.insert(text).second) refuse("the field " + text + " twice");
    }
    return true;
  }

  bool end_object() override {
    if (depth_ == 2 && !in_metadata_) finish_entry();
    --depth_;
    in_metadata_ = false;
    return true;
  }

  bool start_array(std::size_t) override {
    if (depth_ != 2 || in_metadata_ || key_ == "dtype") refuse("a list where none belongs");
    ++depth_;
    return true;
  }

  bool end_array() override {
    --depth_;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    refuse("a header that is not JSON");
  }

 private:
  SafetensorsEntry& entry() { return into_.entries.back(); }

  void finish_entry() {
    if (fields_.size() != 3 || offsets_ != 2)
      refuse("lacks one of dtype, shape and two data_offsets");
    std::uint64_t bytes = safetensors_type_bytes(entry().type);
    const bool empty = std::count(entry().shape.begin(), entry().shape.end(), 0) > 0;
    if (empty) bytes = 0;
    for (const Index extent : entry().shape)
      if (!empty && __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes))
        refuse("a shape of more numbers than there can be");
    if (end_ < entry().offset) refuse("data_offsets that go backwards");
    entry().bytes = end_ - entry().offset;
    if (entry().bytes != bytes)
      refuse(
          str("a shape that needs ", bytes, " bytes, but its data_offsets span ", entry().bytes));
  }

  const std::string& source_;
  SafetensorsHeader& into_;
  int depth_ = 0;  // 1: in the header, 2: in an entry or the metadata, 3: in a list
  bool in_metadata_ = false;
  std::string key_;
  std::set<std::string> names_, fields_;
  int offsets_ = 0;
  std::uint64_t end_ = 0;
};

// Checks that every byte of the data belongs to exactly one array.
void check_places(const std::vector<SafetensorsEntry>& entries, std::uint64_t data_bytes,
                  const std::string& source) {
  std::vector<const SafetensorsEntry*> order;
  for (const SafetensorsEntry& entry : entries) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->offset, a->bytes) < std::pair(b->offset, b->bytes);
  });
  std::uint64_t end = 0;
  for (const SafetensorsEntry* entry : order) {
    const auto refuse = [&](const char* why) {
      throw DataError(source + ": array " + safetensors_name_in_message(entry->name) + " " + why +
                      "; the file is cut or damaged");
    };
    if (entry->offset < end) refuse("overlaps another");
    if (entry->offset > end) refuse("has a gap before it");
    if (entry->bytes > data_bytes - entry->offset) refuse("goes on behind the end of the file");
    end = entry->offset + entry->bytes;
  }
  if (end != data_bytes)
    throw DataError(str(source, ": ", data_bytes - end,
                        " bytes at the end belong to no array; the file is damaged"));
}

}  // namespace

std::uint64_t safetensors_type_bytes(std::string_view type) {
  for (const TypeBytes& known : kTypes)
    if (known.name == type) return known.bytes;
  return 0;
}

std::string safetensors_name_in_message(const std::string& name) {
  constexpr std::size_t kMost = 100;
  const std::string text =
      Json(name.substr(0, kMost)).dump(-1, ' ', true, Json::error_handler_t::replace);
  return "'" + text.substr(1, text.size() - 2) + (name.size() > kMost ? "..." : "") + "'";
}

SafetensorsHeader parse_safetensors_header(std::string_view text, std::uint64_t data_bytes,
                                           const std::string& source) {
  SafetensorsHeader header;
  HeaderReader reader(source, header);
  if (text.empty() || text.front() != '{') reader.refuse("a header that is not a JSON object");
  Json::sax_parse(text, &reader);
  check_places(header.entries, data_bytes, source);
  std::sort(header.entries.begin(), header.entries.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return header;
}

std::string safetensors_header_text(std::span<const SafetensorsEntry> in_file_order,
                                    const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kMetadata] = metadata;
  for (const SafetensorsEntry& entry : in_file_order)
    header[entry.name] = {{"dtype", entry.type},
                          {"shape", entry.shape},
                          {"data_offsets", {entry.offset, entry.offset + entry.bytes}}};
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

std::string part_of_network(const std::string& name) {
  const std::size_t last = name.rfind('.');
  if (last == std::string::npos) return "";
  const std::size_t first = name.find('.');
  return name.substr(0, first == last ? last : std::min(last, name.find('.', first + 1)));
}

}  // namespace saccade
