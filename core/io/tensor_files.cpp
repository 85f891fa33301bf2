#include "core/io/tensor_files.h"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/foreign_file.h"
#include "core/base/listing.h"
#include "core/base/shallow_json.h"
#include "core/io/half.h"
#include "core/io/safetensors_header.h"
#include "core/io/stored_zip.h"
#include "core/io/tensor_pickle.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

void sort_by_name(std::vector<SafetensorsEntry>& entries, const std::string& source) {
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < entries.size(); ++i)
    if (entries[i].name == entries[i - 1].name)
      throw DataError(source + ": it has the tensor " +
                      safetensors_name_in_message(entries[i].name) + " twice; keep one of the two");
}

// What torch.save wrote.
class TorchFile final : public TensorFile {
 public:
  TorchFile(const fs::path& path, bool bare) : bare_(bare) {
    source_ = path.string();
    file_ = FileHandle(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file_.fd() < 0) throw_io_error("read", path, errno);
    std::error_code error;
    size_ = fs::file_size(path, error);
    if (error) throw_io_error("read", path, error.value());
    if (bytes(0, 2) == "PK")
      open_zip();
    else
      open_legacy();
    sort_by_name(entries_, source_);
  }

  std::vector<float> floats(const SafetensorsEntry& entry) const override {
    const PickledTensor& tensor = tensor_of(entry);
    if (tensor.type == "F32") return gathered<float, float>(tensor, [](float x) { return x; });
    if (tensor.type == "F16")
      return gathered<std::uint16_t, float>(tensor, [](auto x) { return float_from_half(x); });
    if (tensor.type == "BF16")
      return gathered<std::uint16_t, float>(tensor, [](std::uint16_t bits) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
      });
    const std::vector<double> exact = doubles(entry);
    return {exact.begin(), exact.end()};
  }
  std::vector<double> doubles(const SafetensorsEntry& entry) const override {
    const PickledTensor& tensor = tensor_of(entry);
    if (tensor.type == "F64") return gathered<double, double>(tensor, [](double x) { return x; });
    if (tensor.type != "F32" && tensor.type != "F16" && tensor.type != "BF16")
      throw DataError(source_ + ": array " + safetensors_name_in_message(entry.name) +
                      " is of type " + tensor.type + ", not F32, F16, BF16 or F64");
    const std::vector<float> values = floats(entry);
    return {values.begin(), values.end()};
  }

 private:
  std::string bytes(std::uint64_t offset, std::uint64_t count) const {
    if (offset > size_ || count > size_ - offset)
      throw DataError(source_ + ": it is cut; copy it again");
    std::string text(static_cast<std::size_t>(count), '\0');
    const auto into = std::as_writable_bytes(std::span(text.data(), text.size()));
    if (const int error = read_all_at(file_.fd(), into, offset))
      throw_io_error("read", source_, error);
    return text;
  }

  void open_zip() {
    const std::map<std::string, StoredFile> files = files_of_zip(file_.fd(), size_, source_);
    std::string folder;
    for (const auto& [name, place] : files) {
      if (name.find("/code/") != std::string::npos)
        throw DataError(source_ +
                        ": it is a TorchScript archive, a program and not weights; save these in "
                        "Python: torch.save(torch.jit.load(FILE).state_dict(), \"weights.pth\")");
      if (name.ends_with("/data.pkl")) folder = name.substr(0, name.size() - 8);
    }
    const auto file_at = [&](const std::string& name) {
      const auto found = files.find(folder + name);
      if (folder.empty() || found == files.end())
        throw DataError(str(source_, ": it is a ZIP archive without ", name,
                            ", and not what torch.save writes"));
      return found->second;
    };
    const StoredFile pickle = file_at("data.pkl");
    if (const auto order = files.find(folder + "byteorder");
        order != files.end() && bytes(order->second.offset, order->second.bytes) != "little")
      throw DataError(source_ +
                      ": its numbers begin with their large bytes; save it again on "
                      "another machine");
    const std::string text = bytes(pickle.offset, pickle.bytes);
    add(read_tensor_pickle(text, source_), [&](const PickledStorage& storage) {
      const StoredFile data = file_at("data/" + storage.key);
      if (data.bytes / safetensors_type_bytes(storage.type) < storage.numbers)
        throw DataError(source_ + ": the data of a tensor are cut; copy it again");
      return data.offset;
    });
  }

  // Pickles of a magic number, a version, facts of the machine, the object and the keys of its
  // storages, and for every key a count and the numbers.
  void open_legacy() {
    constexpr std::uint64_t kMostPickle = std::uint64_t{1} << 28;
    const std::string head = bytes(0, std::min(size_, kMostPickle));
    std::string_view rest = head;
    TensorPickle pickle;
    constexpr int kBefore = 3;
    for (int i = 0; i <= kBefore; ++i) {
      pickle = read_tensor_pickle(rest, source_);
      rest.remove_prefix(pickle.bytes);
    }
    const TensorPickle keys = read_tensor_pickle(rest, source_);
    std::uint64_t place = head.size() - rest.size() + keys.bytes;
    std::map<std::string, std::uint64_t> places;
    for (const std::string& key : keys.texts) {
      std::int64_t count = 0;
      std::memcpy(&count, bytes(place, sizeof(count)).data(), sizeof(count));
      const auto storage = std::find_if(pickle.storages.begin(), pickle.storages.end(),
                                        [&](const PickledStorage& one) { return one.key == key; });
      if (storage == pickle.storages.end() || count < 0 ||
          static_cast<std::uint64_t>(count) != storage->numbers)
        throw DataError(source_ + ": the data of its tensors do not fit to them; copy it again");
      places[key] = place + sizeof(count);
      const std::uint64_t length = storage->numbers * safetensors_type_bytes(storage->type);
      if (length / safetensors_type_bytes(storage->type) != storage->numbers ||
          length > size_ - std::min(size_, places[key]))
        throw DataError(source_ + ": it is cut; copy it again");
      place = places[key] + length;
    }
    add(std::move(pickle), [&](const PickledStorage& storage) {
      const auto found = places.find(storage.key);
      if (found == places.end())
        throw DataError(source_ + ": it lacks the data of a tensor; copy it again");
      return found->second;
    });
  }

  template <class Place>
  void add(TensorPickle pickle, Place place_of) {
    for (const PickledStorage& storage : pickle.storages) places_[storage.key] = place_of(storage);
    for (PickledTensor& tensor : pickle.tensors) {
      SafetensorsEntry entry{.name = tensor.name, .type = tensor.type, .shape = tensor.shape};
      entry.bytes = safetensors_type_bytes(tensor.type);
      for (const Index extent : tensor.shape) entry.bytes *= static_cast<std::uint64_t>(extent);
      entries_.push_back(std::move(entry));
      tensors_.emplace(tensor.name, std::move(tensor));
    }
    const bool alone = entries_.size() == 1 && entries_[0].name.empty();
    if (entries_.empty() || (alone && !bare_))
      throw DataError(source_ +
                      ": it holds no dictionary of tensors; save the weights with "
                      "torch.save(model.state_dict(), FILE)");
  }

  const PickledTensor& tensor_of(const SafetensorsEntry& entry) const {
    return tensors_.at(entry.name);
  }

  // The numbers of a tensor in the order of its axes, whatever its strides.
  template <class From, class To, class Convert>
  std::vector<To> gathered(const PickledTensor& tensor, Convert convert) const {
    std::uint64_t count = 1, span = 0;
    for (std::size_t a = 0; a < tensor.shape.size(); ++a) {
      count *= static_cast<std::uint64_t>(tensor.shape[a]);
      span +=
          static_cast<std::uint64_t>((std::max<Index>(tensor.shape[a], 1) - 1) * tensor.stride[a]);
    }
    if (count == 0) return {};
    const std::string raw =
        bytes(places_.at(tensor.storage) + tensor.offset * sizeof(From), (span + 1) * sizeof(From));
    std::vector<To> out;
    out.reserve(static_cast<std::size_t>(count));
    std::vector<Index> at(tensor.shape.size(), 0);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::size_t place = 0;
      for (std::size_t a = 0; a < at.size(); ++a)
        place += static_cast<std::size_t>(at[a] * tensor.stride[a]);
      From value;
      std::memcpy(&value, raw.data() + place * sizeof(From), sizeof(From));
      out.push_back(convert(value));
      for (std::size_t a = at.size(); a-- > 0;) {
        if (++at[a] < tensor.shape[a]) break;
        at[a] = 0;
      }
    }
    return out;
  }

  bool bare_;
  FileHandle file_;
  std::uint64_t size_ = 0;
  std::map<std::string, std::uint64_t> places_;  // of storages, by their keys
  std::map<std::string, PickledTensor> tensors_;
};

// Weights in several files, by their index.
class ShardedTensors final : public TensorFile {
 public:
  explicit ShardedTensors(const fs::path& index) {
    source_ = index.string();
    for (const auto& [name, file] : weight_map(index)) {
      if (file.empty() || file.find('/') != std::string::npos || file == "." || file == "..")
        throw DataError(source_ + ": it names the file " + safetensors_name_in_message(file) +
                        ", which is not beside it; every part must lie in its folder");
      owners_[name] = file;
      if (!parts_.contains(file)) {
        std::error_code error;
        if (!fs::exists(index.parent_path() / file, error))
          throw DataError(str((index.parent_path() / file).string(), ": no such file, and ",
                              index.filename().string(),
                              " says that a part of the weights is in it; copy it there"));
        parts_.emplace(file, open_tensors(index.parent_path() / file));
      }
      const SafetensorsEntry* entry = parts_.at(file)->find(name);
      if (entry == nullptr)
        throw DataError(source_ + ": it says that " + safetensors_name_in_message(name) +
                        " is in " + file + ", and it is not; the parts are of different weights");
      entries_.push_back(*entry);
    }
    for (const auto& [file, part] : parts_)
      for (const SafetensorsEntry& entry : part->entries())
        if (const auto owner = owners_.find(entry.name);
            owner == owners_.end() || owner->second != file)
          throw DataError(source_ + ": " + file + " holds " +
                          safetensors_name_in_message(entry.name) +
                          ", which the index has in no or another file; the parts are of different "
                          "weights");
    sort_by_name(entries_, source_);
  }

  std::vector<float> floats(const SafetensorsEntry& entry) const override {
    const TensorFile& part = *parts_.at(owners_.at(entry.name));
    return part.floats(*part.find(entry.name));
  }
  std::vector<double> doubles(const SafetensorsEntry& entry) const override {
    const TensorFile& part = *parts_.at(owners_.at(entry.name));
    return part.doubles(*part.find(entry.name));
  }

 private:
  static std::map<std::string, std::string> weight_map(const fs::path& index) {
    std::ifstream in(index);
    std::set<std::string> names;
    constexpr int kDepth = 2;  // of the keys of weight_map
    const auto unique = [&](int depth, Json::parse_event_t event, Json& parsed) {
      if (event == Json::parse_event_t::key && depth == kDepth &&
          !names.insert(parsed.get<std::string>()).second)
        throw DataError(index.string() + ": it names the tensor " +
                        safetensors_name_in_message(parsed.get<std::string>()) + " twice");
      return depth < kDeepestJson;
    };
    const Json json = Json::parse(in, unique, false);
    const bool good = json.is_object() && json.contains("weight_map") &&
                      json["weight_map"].is_object() && !json["weight_map"].empty() &&
                      std::all_of(json["weight_map"].begin(), json["weight_map"].end(),
                                  [](const Json& file) { return file.is_string(); });
    if (!good)
      throw DataError(index.string() +
                      ": it is no index of weights: it has no weight_map of names and files; name "
                      "the file of the weights itself");
    return json["weight_map"];
  }

  std::map<std::string, std::unique_ptr<TensorFile>> parts_;
  std::map<std::string, std::string> owners_;
};

}  // namespace

std::string snapshot_advice(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "snapshots", error))
    return "this is a folder of the cache of huggingface_hub, whose files are below snapshots; "
           "name " +
           entry.path().string();
  return "";
}

namespace {

// The file of weights in a folder.
fs::path weights_in(const fs::path& folder) {
  for (const char* name :
       {"model.safetensors", "model.safetensors.index.json", "open_clip_model.safetensors",
        "pytorch_model.bin", "pytorch_model.bin.index.json", "open_clip_pytorch_model.bin"}) {
    std::error_code error;
    if (fs::exists(folder / name, error)) return folder / name;
  }
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".safetensors" || extension == ".pth" || extension == ".pt" ||
        extension == ".bin")
      found.push_back(entry.path().filename().string());
  }
  if (error) throw_io_error("read", folder, error.value());
  std::sort(found.begin(), found.end());
  if (found.size() == 1) return folder / found[0];
  if (const std::string advice = snapshot_advice(folder); found.empty() && !advice.empty())
    throw DataError(folder.string() + ": " + advice);
  if (found.empty())
    throw DataError(folder.string() +
                    ": no weights are in this folder (model.safetensors, pytorch_model.bin, an "
                    "index of several files, or a .pth); name the folder or file that has them");
  throw DataError(folder.string() + ": several files of weights are in this folder, " +
                  first_names(found) + "; name one of them");
}

}  // namespace

std::unique_ptr<TensorFile> open_tensors(const fs::path& path, bool bare) {
  std::error_code error;
  if (fs::is_directory(path, error)) return open_tensors(weights_in(path));
  if (!fs::exists(path, error) && !error)
    throw DataError(path.string() +
                    ": no such file or folder of weights; check the path (saccade downloads "
                    "nothing: of a model of a hub, name the folder that holds its files)");
  std::string head;
  if (fs::is_regular_file(path, error)) {
    head.resize(kForeignHead);
    std::ifstream in(path, std::ios::binary);
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(in.gcount()));
  }
  // The length in front of a safetensors header may begin with any two bytes.
  constexpr std::size_t kLength = 8;
  const bool safetensors = head.size() > kLength && head[kLength] == '{' &&
                           head.compare(4, 4, std::string(4, '\0')) == 0;
  const bool pickle = head.starts_with('\x80') && head.size() > 1 && head[1] >= 2 && head[1] <= 5;
  if (!safetensors && (head.starts_with("PK\x03\x04") || pickle))
    return std::make_unique<TorchFile>(path, bare);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (!safetensors && first != std::string::npos && head[first] == '{')
    return std::make_unique<ShardedTensors>(path);
  return std::make_unique<SafetensorsFile>(path);
}

}  // namespace saccade
