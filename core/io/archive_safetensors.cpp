#include "core/io/archive_safetensors.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/shallow_json.h"
#include "core/io/half.h"
#include "core/io/torch_weights.h"

namespace saccade {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kParameters = "parameters/";
constexpr const char* kFormat = "saccade.archive";    // the version of the format
constexpr const char* kEntries = "saccade.entries";   // name -> number, text or texts, as JSON
constexpr const char* kNames = "saccade.parameters";  // torch's name -> saccade's name, as JSON
constexpr const char* kArchiveVersion = "2";
constexpr const char* kWithoutDigest = "1";  // the version before, whose files have no digest

Shape shape_of(const std::vector<Index>& shape) {
  return Shape::of(shape.data(), static_cast<int>(shape.size()));
}

// The arrays that the file will hold. The numbers of parameters are copied into torch's layout; all
// others are borrowed.
struct Exporter {
  const Archive& archive;
  std::vector<std::vector<float>> made{};
  std::vector<std::vector<std::uint16_t>> halves{};
  std::vector<SafetensorsArray> arrays{};
  Json entries = Json::object(), names = Json::object();

  template <class T>
  void add(const std::string& name, const char* type, const std::vector<Index>& shape,
           std::span<const T> values) {
    arrays.push_back({name, type, shape, std::as_bytes(values)});
  }

  void floats(const std::string& name, const std::vector<Index>& shape,
              std::span<const float> values, bool in_16_bits) {
    if (!in_16_bits) return add(name, "F32", shape, values);
    halves.emplace_back(values.size());
    halves_from_floats(values, halves.back());
    add<std::uint16_t>(name, "F16", shape, halves.back());
  }

  void parameter(const std::string& name, const NumberArray<float>& array) {
    TorchTensor tensor = torch_tensor(name, shape_of(array.shape()));
    if (archive.contains(std::string(kParameters) + tensor.name)) tensor.name = name;
    names[tensor.name] = name;
    made.push_back(to_torch(tensor.layout, {array.values().data(), shape_of(array.shape())}));
    floats(tensor.name, tensor.shape, made.back(), array.has_16_bits());
  }

  void operator()(const std::string& name, const NumberArray<float>& array) {
    floats(name, array.shape(), array.values(), array.has_16_bits());
  }
  void operator()(const std::string& name, const NumberArray<double>& array) {
    add(name, "F64", array.shape(), array.values());
  }
  void operator()(const std::string& name, const NumberArray<std::int64_t>& array) {
    add(name, "I64", array.shape(), array.values());
  }
  template <class Plain>
  void operator()(const std::string& name, const Plain& value) {
    entries[name] = value;
  }
};

Json json_of(const SafetensorsFile& file, const char* key) {
  const auto found = file.metadata().find(key);
  Json json = found == file.metadata().end() ? Json() : shallow_json<Json>(found->second);
  if (!json.is_object())
    throw DataError(file.source() + ": its metadata '" + key +
                    "' is damaged; convert the checkpoint again");
  return json;
}

Archive::Entry plain_entry(const SafetensorsFile& file, const std::string& name,
                           const Json& value) {
  const auto is_text = [](const Json& item) { return item.is_string(); };
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array() && std::all_of(value.begin(), value.end(), is_text))
    return value.get<std::vector<std::string>>();
  throw DataError(file.source() + ": its metadata has no text or number for '" + name +
                  "'; convert the checkpoint again");
}

// An array of floats, which a checkpoint keeps in 16 bits where the file does.
Archive::Entry float_entry(const SafetensorsEntry& entry, std::vector<Index> shape,
                           std::vector<float> values) {
  if (entry.type == "F16")
    return NumberArray<float>::in_16_bits(std::move(shape), std::move(values));
  return NumberArray<float>(std::move(shape), std::move(values));
}

Archive::Entry array_entry(const SafetensorsFile& file, const SafetensorsEntry& entry) {
  if (entry.type == "F64") return NumberArray<double>(entry.shape, file.doubles(entry));
  if (entry.type == "I64") return NumberArray<std::int64_t>(entry.shape, file.int64s(entry));
  return float_entry(entry, entry.shape, file.floats(entry));
}

Archive::Entry parameter_entry(const SafetensorsFile& file, const SafetensorsEntry& entry,
                               const std::string& name) {
  const Shape shape = shape_from_torch(name, entry.shape);
  std::vector<Index> extents;
  for (int a = 0; a < shape.rank(); ++a) extents.push_back(shape[a]);
  std::vector<float> ours(static_cast<std::size_t>(shape.size()));
  from_torch(torch_tensor(name, shape).layout, file.floats(entry), {ours.data(), shape});
  return float_entry(entry, std::move(extents), std::move(ours));
}

}  // namespace

void export_archive(const Archive& archive, const std::filesystem::path& path) {
  Exporter exporter{archive};
  for (const auto& [name, entry] : archive.entries()) {
    const auto* floats = std::get_if<NumberArray<float>>(&entry);
    if (name.starts_with(kParameters) && floats) {
      exporter.parameter(name.substr(kParameters.size()), *floats);
    } else {
      std::visit([&, &key = name](const auto& value) { exporter(key, value); }, entry);
    }
  }
  const auto text = [&](const Json& json) {
    try {
      return json.dump();
    } catch (const Json::exception&) {
      throw DataError(archive.source() + ": holds text that is not UTF-8 and cannot be converted");
    }
  };
  save_safetensors(path, std::move(exporter.arrays),
                   {{kFormat, kArchiveVersion},
                    {kEntries, text(exporter.entries)},
                    {kNames, text(exporter.names)}});
}

Archive import_archive(const SafetensorsFile& file) {
  const auto version = file.metadata().find(kFormat);
  const bool known = version != file.metadata().end() &&
                     (version->second == kArchiveVersion || version->second == kWithoutDigest);
  if (!known)
    throw DataError(file.source() +
                    ": holds only weights and is not a checkpoint of saccade, which also has a "
                    "config and a vocabulary");
  if (version->second == kArchiveVersion && !file.has_digest())
    throw DataError(file.source() + ": has lost its digest; convert the checkpoint again");
  file.check_digest();
  const Json entries = json_of(file, kEntries), names = json_of(file, kNames);
  Archive archive(file.source());
  const auto add = [&](const std::string& name, Archive::Entry entry) {
    if (const std::string why = Archive::bad_name(name); !why.empty() || archive.contains(name))
      throw DataError(file.source() +
                      ": the name of an entry is not allowed or occurs twice; convert " +
                      "the checkpoint again");
    archive.add(name, std::move(entry));
  };
  for (const auto& [name, value] : entries.items()) add(name, plain_entry(file, name, value));
  for (const SafetensorsEntry& entry : file.entries()) {
    if (entry.shape.size() > Shape::kMaxRank)
      throw DataError(file.source() + ": an array has more than five extents");
    const auto ours = names.find(entry.name);
    if (ours == names.end() || !ours->is_string()) {
      add(entry.name, array_entry(file, entry));
    } else {
      const std::string name = ours->get<std::string>();
      add(std::string(kParameters) + name, parameter_entry(file, entry, name));
    }
  }
  return archive;
}

}  // namespace saccade
