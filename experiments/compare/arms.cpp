#include "experiments/compare/arms.h"

#include <algorithm>
#include <map>
#include <set>

#include "captioning/learning/runs/check_config.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/config/traits.h"

namespace saccade {

namespace {

std::string last_part(const std::string& path) { return path.substr(path.rfind('.') + 1); }

// The last part of the path of each axis, or the whole path where two axes end in the same part.
std::vector<std::string> short_names(const Axes& axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) {
    const auto same = std::count_if(axes.begin(), axes.end(), [&](const Axis& other) {
      return last_part(other.path) == last_part(axis.path);
    });
    names.push_back(same > 1 ? axis.path : last_part(axis.path));
  }
  return names;
}

std::string folder_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    if (plain) out += c;
    if (!plain && !out.empty() && out.back() != '-') out += '-';
  }
  while (!out.empty() && (out.back() == '-' || out.back() == '.')) out.pop_back();
  return out.empty() || out[0] == '.' ? "arm" + out : out;
}

// File systems allow 255 bytes. Files that are named after an arm have an ending as well.
constexpr std::size_t kLongestFolder = 200;

// Refuses an arm whose folder would lie where a comparison has files of its own, or whose name is
// too long for the name of a folder.
void refuse_folder(const Arm& arm) {
  if (arm.folder.size() > kLongestFolder)
    throw UsageError(str("compare.arms: the folder of an arm would be ", arm.folder.substr(0, 40),
                         "..., a name of ", arm.folder.size(), " bytes, of which ", kLongestFolder,
                         " are allowed; give the arm a shorter name in compare.arms"));
  static const std::set<std::string> kTaken{
      "checkpoints", "compare.csv", "compare.json",  "compare.md",  "compare.svg", "compare.tex",
      "config.yaml", "lock",        "manifest.json", "report.html", "sheets"};
  if (kTaken.contains(arm.folder))
    throw UsageError(str("compare.arms: the folder of the arm '", arm.name, "' would be ",
                         arm.folder,
                         ", which is a file of the comparison itself; give the arm another name"));
}

// Refuses paths in which arms cannot differ.
void check_path(const std::string& path, const std::string& place) {
  if (path == "seed")
    throw UsageError(place +
                     ": the seed is not a setting of an arm; list the seeds in compare.seeds");
  static const std::vector<std::string> kShared = paths_with(ExperimentConfig(), Trait::kAllArms);
  if (std::any_of(kShared.begin(), kShared.end(),
                  [&](const std::string& shared) { return overlapping_paths(path, shared); }))
    throw UsageError(place + ": " + path + " cannot differ between arms; leave it out");
}

std::string place_of(const NamedValues& named) {
  const std::string place = named.place.text();
  return (place.empty() ? "" : place + ": ") + "compare.arms." + named.name;
}

void check_named(const NamedValues& named, const Axes& axes) {
  for (const auto& [path, value] : named.values) {
    check_path(path, place_of(named));
    for (const Axis& axis : axes)
      if (overlapping_paths(path, axis.path))
        throw UsageError(place_of(named) + " sets " + path + ", and the axis " + axis.path +
                         " sets it again; leave out one of them");
  }
}

// How many combinations of values the axes have.
std::size_t combinations(const Axes& axes) {
  std::size_t count = 1;
  for (const Axis& axis : axes) count *= axis.values.size();
  return count;
}

// Sets a value of an arm; an error message about the value begins with `place`.
void set(Arm& arm, LoadedConfig& loaded, const std::string& path, const std::string& value,
         const std::string& place) {
  apply_override(loaded, path + "=" + value, place);
  arm.values.emplace_back(path, value);
}

void refuse_equal_seeds(const std::vector<std::int64_t>& seeds) {
  std::set<std::int64_t> known;
  for (const std::int64_t seed : seeds)
    if (!known.insert(seed).second)
      throw UsageError(str("compare.seeds: ", seed, " is there twice; list every seed once"));
}

void refuse_unknown_reference(const std::string& against, const std::vector<Arm>& arms) {
  std::string names;
  for (const Arm& arm : arms) {
    if (against.empty() || arm.name == against) return;
    names += str(names.empty() ? "" : "; ", arm.name);
  }
  throw UsageError(str("compare.against: there is no arm ", against, "; the arms are ", names));
}

// Whether an arm does not read an option.
bool leaves_idle(const Arm& arm, const std::string& path) {
  return std::any_of(arm.idle.begin(), arm.idle.end(),
                     [&](const IdleOption& option) { return option.path == path; });
}

// Drops idle options that another arm reads: an option of the config around the arms is idle only
// if no arm reads it.
void drop_what_others_read(std::vector<Arm>& arms) {
  std::set<std::string> read;  // read by at least one arm
  for (const Arm& arm : arms)
    for (const IdleOption& option : arm.idle)
      if (!std::all_of(arms.begin(), arms.end(),
                       [&](const Arm& other) { return leaves_idle(other, option.path); }))
        read.insert(option.path);
  for (Arm& arm : arms)
    std::erase_if(arm.idle, [&](const IdleOption& option) {
      if (option.newest || !read.contains(option.path)) return false;
      LoadedConfig loaded{.config = arm.config, .origins = {}};
      reset_option(loaded, option.path);
      arm.config = loaded.config;
      return true;
    });
}

// Where an option is read, from its declaration.
std::string read_where(const std::string& path) {
  for (const FieldInfo& field : describe_config<ExperimentConfig>())
    if (field.path == path) return text_of(field.rules);
  return "";
}

// Adds the options of the config around the arms that no arm reads, because each of them makes a
// choice that leaves the option unread. What was set in a file below the one with the arms, or is
// unread without arms because of a later choice, was inherited and is no mistake.
void add_what_none_reads(const LoadedConfig& base, std::vector<Arm>& arms) {
  const CompareConfig& compare = base.config.compare;
  if (compare.arms.empty() && compare.axes.empty()) return;
  const int layer =
      std::max(base.origins.layer("compare.arms"), base.origins.layer("compare.axes"));
  LoadedConfig alone = base;
  settle(alone);
  std::set<std::string> known;  // inherited, or among the idle options already
  for (const Difference& one : config_differences(base.config, alone.config))
    known.insert(one.path);
  std::map<std::string, std::size_t> unread;  // by how many arms
  for (const Arm& arm : arms) {
    for (const IdleOption& option : arm.idle) known.insert(option.path);
    for (const std::string& path : unread_options(arm.config)) ++unread[path];
  }
  for (const Difference& set : config_differences(ExperimentConfig(), base.config)) {
    if (base.origins.layer(set.path) < layer || known.contains(set.path) ||
        unread[set.path] < arms.size())
      continue;
    arms.front().idle.push_back(
        {.path = set.path,
         .text = str(base.origins.of(set.path), ": ", set.path,
                     " has no effect: no arm reads it; it is read where ", read_where(set.path))});
  }
}

}  // namespace

bool overlapping_paths(const std::string& a, const std::string& b) {
  return a == b || a.starts_with(b + ".") || b.starts_with(a + ".");
}

std::vector<Arm> expand_arms(const LoadedConfig& base) {
  const Axes& axes = base.config.compare.axes;
  refuse_equal_seeds(base.config.compare.seeds);
  for (const Axis& axis : axes) {
    check_path(axis.path, "compare.axes");
    if (const std::string wrong = outdated<ExperimentConfig>(axis.path); !wrong.empty())
      throw UsageError("compare.axes: " + wrong);
  }
  NamedValuesList named = base.config.compare.arms;
  for (const NamedValues& arm : named) check_named(arm, axes);
  if (named.empty()) named.emplace_back();
  const std::size_t places = combinations(axes), count = named.size() * places;
  constexpr std::size_t kMostArms = 1000;
  if (count > kMostArms)
    throw UsageError("compare: the combinations of arms and axes make " + std::to_string(count) +
                     " arms, and at most 1000 are allowed; leave out values");
  const std::vector<std::string> names = short_names(axes);
  std::vector<Arm> arms;
  std::set<std::string> folders, known;
  for (std::size_t i = 0; i < count; ++i) {
    LoadedConfig loaded = base;
    loaded.origins.begin_layer();
    const NamedValues& own = named[i / places];
    Arm arm{.name = own.name, .folder = {}, .values = {}, .config = {}};
    for (const auto& [path, value] : own.values) set(arm, loaded, path, value, place_of(own));
    std::size_t rest = i % places, block = places;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      block /= axes[a].values.size();
      const std::string& value = axes[a].values[rest / block];
      rest %= block;
      set(arm, loaded, axes[a].path, value, "compare.axes");
      arm.name += (arm.name.empty() ? "" : ", ") + names[a] + "=" + value;
    }
    const bool unnamed = arm.name.empty();
    if (unnamed) arm.name = base.config.name;
    arm.idle = settle(loaded);
    arm.config = loaded.config;
    if (arm.config.precision == PrecisionChoice::kAuto)
      throw UsageError("arm " + arm.name +
                       ": precision auto could compute arms differently; choose f32 or bf16");
    if (!known.insert(print_config(arm.config)).second)
      throw EqualArmsError("compare: there are two equal arms, of which the second is " + arm.name +
                           "; leave out one of them");
    arm.folder = folder_name(arm.name);
    if (unnamed) arm.folder = arm.folder.substr(0, kLongestFolder);
    refuse_folder(arm);
    for (int k = 2; !folders.insert(arm.folder).second; ++k)
      arm.folder = folder_name(arm.name) + "-" + std::to_string(k);
    arms.push_back(std::move(arm));
  }
  drop_what_others_read(arms);
  add_what_none_reads(base, arms);
  refuse_unknown_reference(base.config.compare.against, arms);
  return arms;
}

void ArmMistakes::add(const std::string& arm, const std::string& text, ExitCode code) {
  if (code_ == ExitCode::kUsage) code_ = code;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = text.find('\n', begin);
    while (end < text.size() && text.substr(end + 1, 1) == " ") end = text.find('\n', end + 1);
    end = std::min(end, text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    auto known = std::ranges::find(mistakes_, line, &Mistake::text);
    if (known == mistakes_.end()) known = mistakes_.insert(known, {.text = line, .arms = {}});
    if (!arm.empty() && (known->arms.empty() || known->arms.back() != arm))
      known->arms.push_back(arm);
  }
}

void ArmMistakes::raise() const {
  if (mistakes_.empty()) return;
  const std::string lines = join(mistakes_, "\n", [&](const Mistake& one) {
    const bool of_all = one.arms.empty() || one.arms.size() == all_;
    return (of_all ? "" : join(one.arms, ", ") + ": ") + one.text;
  });
  if (code_ == ExitCode::kUsage) throw UsageError(lines);
  throw Error(code_, lines);
}

void check_arms(const std::vector<Arm>& arms) {
  ArmMistakes wrong(arms);
  for (const Arm& arm : arms) {
    try {
      check_config(arm.config);
    } catch (const UsageError& error) {
      wrong.add(arm.name, error.what(), error.code());
    }
  }
  wrong.raise();
  std::set<std::string> reported;
  std::vector<IdleOption> idle;
  for (const Arm& arm : arms)
    std::copy_if(arm.idle.begin(), arm.idle.end(), std::back_inserter(idle),
                 [&](const IdleOption& option) { return reported.insert(option.text).second; });
  if (!arms.empty()) refuse_idle(idle, arms.front().config.data);
}

}  // namespace saccade
