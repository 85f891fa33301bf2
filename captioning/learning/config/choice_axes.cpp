#include "captioning/learning/config/choice_axes.h"

#include <algorithm>
#include <array>
#include <set>

#include "captioning/learning/config/experiment_config.h"
#include "captioning/model/decoders/decoder_limits.h"
#include "captioning/model/search/search.h"
#include "core/attention/sequence/make_sequence_attention.h"
#include "core/base/error.h"
#include "core/config/config.h"

namespace saccade {

namespace {

// Fills in what each decoder cannot be joined with.
void add_limits(std::vector<ListedChoice>& decoders) {
  const std::vector<DecoderLimit> limits = decoder_limits();
  for (ListedChoice& one : decoders) {
    DecoderConfig config;
    config.type = one.name;
    const DecoderTraits traits = decoder_traits(config);
    for (const DecoderLimit& limit : limits)
      if (!limit.joins(traits)) one.limits.push_back(limit.choice + ": " + limit.why);
  }
}

// Whether training takes a choice of a key: words take fewer attentions to each other than regions.
bool is_taken(const std::string& key, const ChoiceInfo& choice) {
  const std::string section = "decoder.self_attention.";
  if (!key.starts_with(section)) return true;
  BlockAttention words = DecoderConfig{}.self_attention;
  if (key == section + "type") words.type = choice.name;
  if (key == section + "neighbours") {
    words.type = "graph";
    words.neighbours = *enum_value<NeighbourKind>(choice.name);
  }
  try {
    check_causal(words);
  } catch (const UsageError&) {
    return false;
  }
  return true;
}

// The topics in the order in which they are listed, and where their keys begin. The first that fits
// a key is its topic.
struct TopicKeys {
  const char *topic, *prefix;
};
constexpr std::array kTopicKeys = {TopicKeys{"attention", "attention."},
                                   TopicKeys{"attention", "encoder.refine."},
                                   TopicKeys{"attention", "encoder.positions"},
                                   TopicKeys{"encoders", "encoder."},
                                   TopicKeys{"decoders", "decoder."},
                                   TopicKeys{"objectives", "objective."},
                                   TopicKeys{"data", "data."},
                                   TopicKeys{"schedules", "optimizer.sc"},
                                   TopicKeys{"optimizers", "optimizer."},
                                   TopicKeys{"training", "train."},
                                   TopicKeys{"training", "precision"},
                                   TopicKeys{"searches", "search."}};

std::size_t topic_place(const std::string& key) {
  const auto found = std::find_if(kTopicKeys.begin(), kTopicKeys.end(), [&](const TopicKeys& one) {
    return key.starts_with(one.prefix);
  });
  SACCADE_ASSERT(found != kTopicKeys.end(), "no topic of 'saccade list' covers ", key);
  return static_cast<std::size_t>(found - kTopicKeys.begin());
}

// An axis for every key of the config whose value is one of several names.
std::vector<ChoiceAxis> config_axes() {
  std::vector<ChoiceAxis> axes;
  const std::vector<FieldInfo> fields = describe_config<ExperimentConfig>();
  for (const FieldInfo& field : fields) {
    if (field.choices.empty()) continue;
    ChoiceAxis axis{
        .topic = kTopicKeys[topic_place(field.path)].topic, .key = field.path, .choices = {}};
    for (const ChoiceInfo& choice : field.choices)
      if (is_taken(field.path, choice)) axis.choices.push_back({choice});
    if (field.path == "decoder.type") add_limits(axis.choices);
    axes.push_back(std::move(axis));
  }
  // The rewards are a section of weights and not one key.
  ChoiceAxis rewards{.topic = "objectives", .key = "objective.self_critical.reward", .choices = {}};
  for (const FieldInfo& field : fields)
    if (field.path.starts_with(rewards.key + "."))
      rewards.choices.push_back({{field.path.substr(rewards.key.size() + 1), field.doc}});
  axes.push_back(std::move(rewards));
  std::stable_sort(axes.begin(), axes.end(), [](const ChoiceAxis& a, const ChoiceAxis& b) {
    return topic_place(a.key) < topic_place(b.key);
  });
  return axes;
}

// What is known of an axis of attention whose value is a number or a switch, besides its
// declaration.
struct AttentionNumber {
  const char *key, *source, *cost;
};
constexpr std::array kAttentionNumbers = {
    AttentionNumber{"attention.heads", "Vaswani et al. 2017",
                    "as with one map; with more than one head, also L D^2 once per image"},
    AttentionNumber{"attention.value_projection", "Vaswani et al. 2017", "L D^2 once per image"},
    AttentionNumber{"attention.output_projection", "Vaswani et al. 2017", "D^2"},
    AttentionNumber{"attention.sentinel", "Lu et al. 2017", "E H + H H + H D"}};

// The axes whose value is a number or a switch: the keys of the section `attention` that all of its
// choices read and that no registry has.
std::vector<ChoiceAxis> attention_numbers() {
  std::vector<ChoiceAxis> axes;
  const std::string section = "attention.";
  const std::vector<FieldInfo> fields = describe_config<ExperimentConfig>();
  const auto is_number = [&](const std::string& key) {
    return std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& one) {
      return one.path == key && (one.type == "true|false" || !one.constraint.empty());
    });
  };
  const auto of_a_choice = [&](const FieldInfo& field) {
    return std::any_of(field.rules.begin(), field.rules.end(), [&](const auto& rule) {
      return std::any_of(rule.choices.begin(), rule.choices.end(), [&](const auto& one) {
        return one.key.starts_with(section) && !is_number(one.key);
      });
    });
  };
  for (const FieldInfo& field : fields) {
    if (!field.path.starts_with(section) || field.type == "section" || !field.choices.empty() ||
        of_a_choice(field) || field.path.find('.', section.size()) != std::string::npos)
      continue;
    ChoiceInfo choice{.name = field.type == "true|false" ? "true"
                              : field.constraint.empty() ? field.type
                                                         : field.constraint,
                      .doc = field.doc};
    for (const AttentionNumber& number : kAttentionNumbers)
      if (number.key == field.path) {
        choice.source = number.source;
        choice.cost = number.cost;
      }
    axes.push_back({.topic = "attention", .key = field.path, .choices = {{choice}}});
  }
  return axes;
}

// Whether this choice of a key is among those that read an option.
bool reads(const FieldInfo& field, const std::string& key, const std::string& choice) {
  return std::any_of(field.rules.begin(), field.rules.end(), [&](const auto& rule) {
    return std::any_of(rule.choices.begin(), rule.choices.end(),
                       [&](const auto& one) { return one.key == key && one.allows(choice); });
  });
}

// The options that only this choice of a key reads. The section that an option shares with the key
// is left out: `vit.patch` for encoder.type. Where all options of another section are read, the
// section stands for them: `attention.*` for decoder.image.
std::string options_of(const std::string& key, const std::string& choice,
                       const std::vector<FieldInfo>& fields) {
  const std::string section = key.substr(0, key.rfind('.') + 1);
  std::string out, whole;  // `whole` is the section that was named last, "attention."
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  for (const FieldInfo& field : fields) {
    if (!whole.empty() && field.path.starts_with(whole)) continue;
    const bool near = field.path.starts_with(section);
    if (field.type != "section") {
      if (reads(field, key, choice)) add(near ? field.path.substr(section.size()) : field.path);
      continue;
    }
    const std::string below = field.path + ".";
    const bool all = std::all_of(fields.begin(), fields.end(), [&](const FieldInfo& inner) {
      return !inner.path.starts_with(below) || inner.type == "section" || reads(inner, key, choice);
    });
    if (near || section.starts_with(below) || !all) continue;
    whole = below;
    add(below + "*");
  }
  return out;
}

// The other options of a key's section that depend on no choice of the key: `hidden` for
// decoder.type.
std::string shared_options(const std::string& key, const std::vector<FieldInfo>& fields) {
  const std::string section = key.substr(0, key.rfind('.') + 1);
  const auto depends = [&](const FieldInfo& field) {
    return std::any_of(field.rules.begin(), field.rules.end(), [&](const ReadRule& rule) {
      return std::any_of(rule.choices.begin(), rule.choices.end(),
                         [&](const ReadRule::Choice& one) { return one.key == key; });
    });
  };
  std::string out, whole;
  for (const FieldInfo& field : fields) {
    if (!field.path.starts_with(section) || field.path == key) continue;
    if (!whole.empty() && field.path.starts_with(whole)) continue;
    const bool is_section = field.type == "section";
    const std::string below = field.path + ".";
    if (is_section ? std::any_of(fields.begin(), fields.end(),
                                 [&](const FieldInfo& inner) {
                                   return inner.path.starts_with(below) && depends(inner);
                                 })
                   : depends(field))
      continue;
    if (is_section) whole = below;
    out += (out.empty() ? "" : ", ") + field.path.substr(section.size()) + (is_section ? ".*" : "");
  }
  return out;
}

// Fills in the options of choices whose registry does not name them. The declaration of an option
// names the choices that read it.
void add_options(std::vector<ChoiceAxis>& axes) {
  const std::vector<FieldInfo> fields = describe_config<ExperimentConfig>();
  for (ChoiceAxis& axis : axes) {
    for (ListedChoice& choice : axis.choices) {
      if (choice.options.empty()) choice.options = options_of(axis.key, choice.name, fields);
      // Of what is computed at every glimpse, people want to know that nothing is read, too.
      if (choice.options.empty() && !choice.cost.empty() && axis.choices.size() > 1)
        choice.options = "none";
    }
    if (axis.key == "encoder.type" || axis.key == "decoder.type")
      axis.shared = shared_options(axis.key, fields);
  }
}

// Keys may share a table, of which the first one shows all.
void shorten_repeated(std::vector<ChoiceAxis>& axes) {
  std::set<std::string> seen;
  for (ChoiceAxis& axis : axes)
    for (ListedChoice& choice : axis.choices)
      if (!choice.cost.empty() && !seen.insert(choice.name + choice.doc).second)
        choice.source = choice.cost = choice.options = "";
}

}  // namespace

std::vector<ChoiceAxis> plain_axes() {
  std::vector<ChoiceAxis> axes = config_axes();
  shorten_repeated(axes);
  const auto glimpse_ends = std::stable_partition(
      axes.begin(), axes.end(),
      [](const ChoiceAxis& axis) { return !axis.choices.front().cost.empty(); });
  std::vector<ChoiceAxis> numbers = attention_numbers();
  axes.insert(glimpse_ends, numbers.begin(), numbers.end());
  ChoiceAxis regimes{.topic = "regimes", .key = "--regime", .choices = {}};
  for (const auto& row : enum_table(Regime{}))
    regimes.choices.push_back({{std::string(row.name), std::string(row.doc)}});
  axes.push_back(std::move(regimes));
  return axes;
}

std::vector<ChoiceAxis> all_axes() {
  std::vector<ChoiceAxis> axes = plain_axes();
  add_options(axes);
  return axes;
}

}  // namespace saccade
