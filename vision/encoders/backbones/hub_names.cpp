#include "vision/encoders/backbones/hub_names.h"

#include <algorithm>
#include <set>
#include <span>

#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/io/safetensors_header.h"
#include "vision/encoders/backbones/hub_name_tables.h"

namespace saccade {

namespace {

// The numbers of a name that a pattern has; none where they do not fit.
std::optional<std::vector<Index>> fit(std::string_view pattern, std::string_view name,
                                      std::string& rest) {
  std::vector<Index> numbers;
  std::size_t at = 0;
  for (std::size_t p = 0; p < pattern.size(); ++p) {
    if (pattern[p] == '#') {
      const std::size_t first = at;
      Index number = 0;
      for (; at < name.size() && name[at] >= '0' && name[at] <= '9' && at - first < 6; ++at)
        number = 10 * number + (name[at] - '0');
      if (at == first) return std::nullopt;
      numbers.push_back(number);
    } else if (pattern[p] == '*') {
      rest = name.substr(at);
      const bool all = pattern.substr(p) == "**";
      if (rest.empty() || (!all && rest.find('.') != std::string::npos)) return std::nullopt;
      return numbers;
    } else if (at >= name.size() || name[at++] != pattern[p]) {
      return std::nullopt;
    }
  }
  if (at != name.size()) return std::nullopt;
  return numbers;
}

// The name that a pattern makes of numbers (hub_name_tables.h).
std::string filled(std::string_view pattern, std::span<const Index> numbers,
                   const std::string& rest, Index block = 0) {
  std::string out;
  std::size_t next = 0;
  const auto take = [&] { return next < numbers.size() ? numbers[next++] : Index{0}; };
  for (const char c : pattern) switch (c) {
      case '#':
        out += std::to_string(take());
        break;
      case '+':
        out += std::to_string(take() + 1);
        break;
      case '%':
        out += std::to_string((take() - 1) / 2);
        break;
      case '/':
        out += std::to_string(take() / 2);
        break;
      case '@':
        out += std::to_string(block);
        break;
      case '*':
        out += rest;
        break;
      default:
        out += c;
    }
  return out;
}

struct Found {
  const HubTable* table;
  std::string prefix;
};

// Every table that fits, with every prefix behind which it does.
std::vector<Found> find_tables(const TensorFile& file) {
  std::vector<Found> found;
  for (const HubTable& table : hub_tables())
    for (const SafetensorsEntry& entry : file.entries()) {
      const std::string_view name = entry.name;
      if (!name.ends_with(table.first)) continue;
      const std::string prefix(name.substr(0, name.size() - std::string_view(table.first).size()));
      if (!prefix.empty() && prefix.back() != '.') continue;
      if (file.find(prefix + table.second)) found.push_back({&table, prefix});
    }
  return found;
}

std::vector<Index> shape_in_form(const std::vector<Index>& shape, HubForm form) {
  std::vector<Index> kept;
  switch (form) {
    case HubForm::kSame:
      return shape;
    case HubForm::kTokens:  // [.., D] -> [1, n, D]
      kept = shape;
      while (kept.size() < 3) kept.insert(kept.begin(), 1);
      return kept;
    case HubForm::kVector:
      for (const Index extent : shape)
        if (extent != 1) kept.push_back(extent);
      if (kept.empty()) kept.push_back(1);
      return kept;
    case HubForm::kMatrix:  // a kernel of 1 x 1
      kept = shape;
      while (kept.size() > 2 && kept.back() == 1) kept.pop_back();
      return kept;
  }
  return shape;
}

[[noreturn]] void refuse_unknown(const TensorFile& file) {
  std::vector<std::string> names;
  for (const SafetensorsEntry& entry : file.entries())
    names.push_back(safetensors_name_in_message(entry.name));
  throw DataError(file.source() + ": its names are of no network that encoder.type hub knows (" +
                  first_names(names) +
                  "); it knows ViT, DeiT, DINOv2, CLIP, SigLIP, ResNet, ConvNeXt, EfficientNet, "
                  "MobileNetV3 and "
                  "Swin by the names of transformers, timm, OpenCLIP and torchvision");
}

}  // namespace

bool is_hub_network(const TensorFile& file) { return !find_tables(file).empty(); }

HubTensors::HubTensors(std::unique_ptr<TensorFile> file) : file_(std::move(file)) {
  source_ = file_->source();
  const std::vector<Found> found = find_tables(*file_);
  if (found.empty()) refuse_unknown(*file_);
  for (const Found& other : found)
    if (other.prefix != found[0].prefix)
      throw DataError(str(source_, ": it holds several networks, behind '", found[0].prefix,
                          "' and '", other.prefix, "'; keep the tensors of one of them"));
  const HubTable& table = *found[0].table;
  naming_ = table.naming;
  prefix_ = found[0].prefix;

  struct Named {
    const SafetensorsEntry* entry;
    const HubRule* rule;
    std::vector<Index> numbers;
    std::string rest;
  };
  std::vector<Named> named;
  std::set<std::vector<Index>> blocks;
  for (const SafetensorsEntry& entry : file_->entries()) {
    if (!entry.name.starts_with(prefix_) || entry.name.ends_with("num_batches_tracked")) continue;
    const std::string name = entry.name.substr(prefix_.size());
    Named one{&entry, nullptr, {}, {}};
    for (const HubRule& rule : table.rules) {
      const auto numbers = fit(rule.theirs, name, one.rest);
      if (!numbers) continue;
      if (rule.needs && !has_original(filled(rule.needs, *numbers, ""))) continue;
      one.rule = &rule;
      one.numbers = *numbers;
      if (std::string_view(rule.ours).find('@') != std::string_view::npos) blocks.insert(*numbers);
      break;
    }
    if (!one.rule || one.rule->ours[0] != '\0') named.push_back(std::move(one));
  }
  blocks_.assign(blocks.begin(), blocks.end());
  std::set<std::string> known;  // parts of the network
  for (const Named& one : named)
    if (one.rule) known.insert(part_of_network(one.entry->name.substr(prefix_.size())));
  for (const Named& one : named) {
    std::string name = one.entry->name.substr(prefix_.size());
    if (!one.rule && known.contains(part_of_network(name))) foreign_.push_back(std::move(name));
  }
  std::map<std::string, std::map<int, const SafetensorsEntry*>> parts;
  std::map<std::string, HubForm> forms;
  for (const Named& one : named) {
    const auto place = std::find(blocks_.begin(), blocks_.end(), one.numbers) - blocks_.begin();
    const std::string name =
        one.rule ? filled(one.rule->ours, one.numbers, one.rest, static_cast<Index>(place))
                 : one.entry->name.substr(prefix_.size());
    const bool fresh = parts[name].emplace(one.rule ? one.rule->part : 0, one.entry).second;
    if (!fresh)
      throw DataError(source_ +
                      ": it has two tensors for one part of the network, one of which is " +
                      safetensors_name_in_message(one.entry->name) +
                      "; it is a variant that saccade does not know: export it as ONNX, and take "
                      "encoder.type onnx_native");
    forms[name] = one.rule ? one.rule->form : HubForm::kSame;
  }
  for (const auto& [name, own] : parts) {
    SafetensorsEntry entry = *own.begin()->second;
    entry.name = name;
    for (const auto& [part, piece] : own) {
      if (part > 0 && !entry.shape.empty() && !piece->shape.empty()) {
        entry.shape[0] += piece->shape[0];
        entry.bytes += piece->bytes;
      }
      parts_[name].push_back(piece);
    }
    entry.shape = shape_in_form(entry.shape, forms[name]);
    entries_.push_back(std::move(entry));
  }
}

bool HubTensors::has_original(const std::string& name) const {
  return file_->find(prefix_ + name) != nullptr;
}

std::vector<std::string> HubTensors::originals(const std::string& name) const {
  std::vector<std::string> out;
  for (const SafetensorsEntry* part : parts_.at(name)) out.push_back(part->name);
  return out;
}

const SafetensorsEntry& HubTensors::at(const std::string& name) const {
  const SafetensorsEntry* entry = find(name);
  if (!entry || entry->shape.empty())
    throw DataError(str(source_, ": it lacks a tensor of its network (", naming_.what,
                        "), which is ", name, " here; it is cut, or a network of another kind"));
  return *entry;
}

Index HubTensors::count(const std::string& pattern) const {
  const std::size_t hash = pattern.find('#');
  for (Index number = 0;; ++number)
    if (!find(pattern.substr(0, hash) + std::to_string(number) + pattern.substr(hash + 1)))
      return number;
}

template <class T, class Read>
std::vector<T> HubTensors::joined(const SafetensorsEntry& entry, Read read) const {
  std::vector<T> out;
  for (const SafetensorsEntry* part : parts_.at(entry.name)) {
    const std::vector<T> own = read(*part);
    out.insert(out.end(), own.begin(), own.end());
  }
  return out;
}

std::vector<float> HubTensors::floats(const SafetensorsEntry& entry) const {
  return joined<float>(entry, [&](const auto& part) { return file_->floats(part); });
}
std::vector<double> HubTensors::doubles(const SafetensorsEntry& entry) const {
  return joined<double>(entry, [&](const auto& part) { return file_->doubles(part); });
}

}  // namespace saccade
