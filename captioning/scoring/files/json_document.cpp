#include "captioning/scoring/files/json_document.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <unordered_map>

#include "core/base/error.h"

namespace saccade {

using nlohmann::json;

namespace {

std::uint32_t part_count(std::size_t size) {
  if (size > std::numeric_limits<std::uint32_t>::max())
    throw json::out_of_range::create(408, str("a value has ", size, " parts"), nullptr);
  return static_cast<std::uint32_t>(size);
}

}  // namespace

// Builds a document from what the library's parser calls. The values of lists and objects that are
// not yet closed wait on a stack, so that those of a closed one lie one after the other.
class JsonBuilder final : public json::json_sax_t {
 public:
  explicit JsonBuilder(JsonDocument& out) : out_(&out) {}

  // What the parser refused, or null.
  std::exception_ptr error() const { return error_; }

  bool null() override { return add(JsonKind::null, 0); }
  bool boolean(bool value) override { return add(JsonKind::boolean, value ? 1 : 0); }
  bool number_integer(number_integer_t value) override {
    return add(JsonKind::number_integer, std::bit_cast<std::uint64_t>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add(JsonKind::number_unsigned, value);
  }
  bool number_float(number_float_t value, const string_t&) override {
    return add(JsonKind::number_float, std::bit_cast<std::uint64_t>(value));
  }
  bool string(string_t& value) override {
    const std::size_t begin = out_->texts_.size();
    out_->texts_ += value;
    return add(JsonKind::string, begin, value.size());
  }
  bool binary(binary_t&) override { return false; }  // JSON texts have none
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool key(string_t& name) override {
    const auto [found, fresh] =
        name_numbers_.try_emplace(name, static_cast<std::uint32_t>(out_->names_.size()));
    if (fresh) out_->names_.push_back(name);
    open_.back().name = found->second;
    return true;
  }
  bool end_array() override {
    const std::size_t begin = out_->elements_.size();
    for (const JsonDocument::Member& one : closing()) out_->elements_.push_back(one.value);
    close();
    return add(JsonKind::array, begin, out_->elements_.size() - begin);
  }
  bool end_object() override {
    const std::size_t begin = out_->members_.size();
    const std::span<JsonDocument::Member> values = closing();
    std::ranges::stable_sort(
        values, {}, [&](const auto& one) -> const std::string& { return out_->names_[one.name]; });
    for (std::size_t i = 0; i < values.size(); ++i)
      if (i + 1 == values.size() || values[i].name != values[i + 1].name)
        out_->members_.push_back(values[i]);
    close();
    return add(JsonKind::object, begin, out_->members_.size() - begin);
  }
  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    if (const auto* syntax = dynamic_cast<const json::parse_error*>(&error))
      error_ = std::make_exception_ptr(*syntax);
    else
      error_ = std::make_exception_ptr(json::exception(error));
    return false;
  }

 private:
  struct Open {
    std::size_t begin = 0;   // its first value on the stack
    std::uint32_t name = 0;  // of the member that comes next
  };

  bool open() {
    open_.push_back({.begin = waiting_.size()});
    return true;
  }
  bool add(JsonKind kind, std::uint64_t bits, std::size_t count = 0) {
    const JsonNode node{.kind = kind, .count = part_count(count), .bits = bits};
    if (open_.empty())
      out_->root_ = node;
    else
      waiting_.push_back({.name = open_.back().name, .value = node});
    return true;
  }
  std::span<JsonDocument::Member> closing() {
    return std::span(waiting_).subspan(open_.back().begin);
  }
  void close() {
    waiting_.resize(open_.back().begin);
    open_.pop_back();
  }

  JsonDocument* out_;
  std::vector<Open> open_;
  std::vector<JsonDocument::Member> waiting_;
  std::unordered_map<std::string, std::uint32_t> name_numbers_;
  std::exception_ptr error_;
};

const JsonNode* JsonDocument::find(const JsonNode& object, std::string_view wanted) const {
  const std::span<const Member> all = members(object);
  const auto by_name = [&](const Member& one) -> std::string_view { return name(one); };
  const auto found = std::ranges::lower_bound(all, wanted, {}, by_name);
  return found == all.end() || by_name(*found) != wanted ? nullptr : &found->value;
}

JsonDocument JsonDocument::parse(const std::string& text) {
  JsonDocument out;
  JsonBuilder builder(out);
  json::sax_parse(text, &builder);
  if (builder.error()) std::rethrow_exception(builder.error());
  return out;
}

}  // namespace saccade
