#include "captioning/scoring/metrics/meteor/meteor.h"

#include <mutex>
#include <optional>
#include <vector>

#include "captioning/scoring/metrics/meteor/aligner.h"
#include "captioning/scoring/metrics/meteor/matches.h"
#include "captioning/scoring/metrics/meteor/paraphrases.h"
#include "captioning/scoring/metrics/meteor/synonyms.h"
#include "captioning/scoring/metrics/meteor/text_normalizer.h"
#include "captioning/scoring/metrics/meteor/word_table.h"
#include "core/base/error.h"

namespace saccade {

namespace {

constexpr std::string_view kNoParaphrases =
    "no paraphrases: lower than coco-caption's METEOR, whose table comes with pip install "
    "pycocoevalcap";

constexpr std::size_t kMostWords = 200'000;  // in a word table, before it starts anew

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t hit = text.find(from); hit != std::string::npos; hit = text.find(from, at)) {
    out.append(text, at, hit - at).append(to);
    at = hit + from.size();
  }
  text = out.append(text, at);
}

// "|||" separates sentences on the reference's input lines, which is why it is taken out.
std::string clean_hypothesis(std::string_view hypothesis) {
  std::string out(hypothesis);
  replace_all(out, "|||", "");
  replace_all(out, "  ", " ");
  return out;
}

// What one thread works with: caches and memory, but nothing that changes a result.
class Worker {
 public:
  Worker(const meteor::Synonyms* synonyms, const meteor::Modules& modules)
      : words_(synonyms, modules.paraphrases), modules_(modules) {}

  MeteorSegment score(std::string_view hypothesis, std::span<const std::string> references) {
    if (words_.size() > kMostWords) words_.clear();
    read(clean_hypothesis(hypothesis), hypothesis_);
    MeteorSegment best;
    for (std::size_t i = 0; i < references.size(); ++i) {
      read(references[i], reference_);
      const MeteorStats stats = compare();
      const double score = meteor_score(stats);
      if (i == 0 || score > best.score) best = {stats, i, score};
    }
    return best;
  }

 private:
  void read(std::string_view line, std::vector<std::uint32_t>& sentence) {
    meteor::split_normalized(line, text_, pieces_);
    sentence.clear();
    for (const std::string_view piece : pieces_) sentence.push_back(words_.id(piece));
  }

  bool is_function(std::uint32_t word) const { return words_[word].function; }

  std::int64_t count_function(meteor::Sentence sentence) const {
    std::int64_t count = 0;
    for (const std::uint32_t word : sentence) count += is_function(word) ? 1 : 0;
    return count;
  }

  // The statistics of hypothesis_ against reference_.
  MeteorStats compare() {
    const meteor::Sentence hypothesis = hypothesis_, reference = reference_;
    lists_.find(hypothesis, reference, words_, modules_);
    const meteor::Alignment alignment = aligner_.align(lists_);
    MeteorStats stats;
    stats.length = {std::ssize(hypothesis), std::ssize(reference)};
    stats.function = {count_function(hypothesis), count_function(reference)};
    stats.chunks = alignment.chunks;
    for (const auto& [start, match] : alignment.matches) {
      const auto ours = reference.subspan(start, match.reference_length);
      const auto theirs = hypothesis.subspan(match.start, match.length);
      const MeteorStats::Sides function = {count_function(theirs), count_function(ours)};
      const auto module = static_cast<std::size_t>(match.module);
      stats.matched_function[module].hypothesis += function.hypothesis;
      stats.matched_function[module].reference += function.reference;
      stats.matched_content[module].hypothesis += std::ssize(theirs) - function.hypothesis;
      stats.matched_content[module].reference += std::ssize(ours) - function.reference;
      stats.matched.hypothesis += std::ssize(theirs);
      stats.matched.reference += std::ssize(ours);
    }
    return stats;
  }

  meteor::WordTable words_;
  meteor::Modules modules_;
  meteor::MatchLists lists_;
  meteor::Aligner aligner_;
  std::vector<std::uint32_t> hypothesis_, reference_;
  std::string text_;
  std::vector<std::string_view> pieces_;
};

}  // namespace

struct Meteor::Impl {
  std::optional<meteor::Synonyms> synonyms;
  std::shared_ptr<const meteor::Paraphrases> paraphrases;
  meteor::Modules modules;
  std::string tables = "METEOR 1.5 en: exact";

  std::mutex mutex;
  std::vector<std::unique_ptr<Worker>> idle;

  std::unique_ptr<Worker> borrow() {
    const std::lock_guard lock(mutex);
    if (idle.empty()) {
      return std::make_unique<Worker>(synonyms ? &*synonyms : nullptr, modules);
    }
    std::unique_ptr<Worker> worker = std::move(idle.back());
    idle.pop_back();
    return worker;
  }

  void give_back(std::unique_ptr<Worker> worker) {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(worker));
  }
};

Meteor::Meteor(const MeteorOptions& options) : impl_(std::make_unique<Impl>()) {
  Impl& impl = *impl_;
  impl.modules = {.stem = options.stem, .synonym = options.synonym};
  if (options.stem) impl.tables += ", stem";
  if (options.synonym) {
    options.synonyms.empty() ? impl.synonyms.emplace() : impl.synonyms.emplace(options.synonyms);
    impl.tables += ", synonym " + impl.synonyms->name();
  }
  if (!options.paraphrases.empty()) {
    impl.paraphrases =
        meteor::Paraphrases::open(options.paraphrases, options.cache, options.listener);
    impl.modules.paraphrases = impl.paraphrases.get();
    impl.tables +=
        str(", paraphrase ", options.paraphrases.string(), " (", impl.paraphrases->digest(), ")");
  } else {
    impl.tables += str(", ", kNoParaphrases);
  }
}

Meteor::~Meteor() = default;

const std::string& Meteor::tables() const { return impl_->tables; }

std::string Meteor::paraphrases() const {
  return impl_->paraphrases ? impl_->paraphrases->digest() : "";
}

MeteorSegment Meteor::score(std::string_view hypothesis,
                            std::span<const std::string> references) const {
  if (references.empty()) throw DataError("METEOR: a hypothesis has no reference");
  // If an exception loses a worker, only its cache is lost.
  std::unique_ptr<Worker> worker = impl_->borrow();
  const MeteorSegment segment = worker->score(hypothesis, references);
  impl_->give_back(std::move(worker));
  return segment;
}

}  // namespace saccade
