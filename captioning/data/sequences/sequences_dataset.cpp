#include "captioning/data/sequences/sequences_dataset.h"

#include <algorithm>
#include <numeric>

#include "captioning/data/sequences/written_dates.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/unicode.h"

namespace saccade {

namespace {

constexpr int kMostDraws = 10'000;  // for one text

struct Example {
  SourceText text;
  std::vector<std::string> words;  // what the text is turned into
};

Example draw_letters(const SequencesConfig& config, Index longest, Random& random) {
  const Index length =
      config.shortest +
      static_cast<Index>(random.below(static_cast<std::uint64_t>(longest - config.shortest + 1)));
  Example out;
  for (Index i = 0; i < length; ++i) {
    const auto letter = random.below(static_cast<std::uint64_t>(config.symbols));
    out.text.tokens.emplace_back(1, static_cast<char>('a' + letter));
  }
  std::vector<Index> order(static_cast<std::size_t>(length));
  std::iota(order.begin(), order.end(), Index{0});
  if (config.task == SequenceTask::kReverse) std::reverse(order.begin(), order.end());
  const auto token = [&](Index i) -> const std::string& {
    return out.text.tokens[static_cast<std::size_t>(i)];
  };
  if (config.task == SequenceTask::kSort)
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return token(a) < token(b); });
  for (const Index place : order) {
    out.words.push_back(token(place));
    std::vector<Index>& origins = out.text.origins.emplace_back();
    // In a sorted text, equal letters cannot be told apart.
    for (Index other = 0; other < length; ++other)
      if (other == place || (config.task == SequenceTask::kSort && token(other) == token(place)))
        origins.push_back(other);
  }
  return out;
}

Example draw_written_date(Random& random) {
  const WrittenDate date = draw_date(random);
  Example out{.text = {}, .words = date.digits};
  for (const DateToken& token : date.tokens) out.text.tokens.push_back(token.text);
  for (Index digit = 0; digit < kDateDigits; ++digit) {
    std::vector<Index>& origins = out.text.origins.emplace_back();
    for (std::size_t place = 0; place < date.tokens.size(); ++place)
      if ((date.tokens[place].digits >> digit & 1) != 0)
        origins.push_back(static_cast<Index>(place));
  }
  return out;
}

// A tenth of all results is for validation and a tenth for testing.
Split split_of(const std::string& result) {
  switch ((name_key(result) >> 32U) % 10) {
    case 0:
      return Split::kTest;
    case 1:
      return Split::kVal;
    default:
      return Split::kTrain;
  }
}

Example draw(const SequencesConfig& config, Split split, Index number) {
  Random random({.seed = static_cast<std::uint64_t>(config.seed),
                 .stream = Stream::kSequences,
                 .step = static_cast<std::uint64_t>(split),
                 .sample = static_cast<std::uint64_t>(number)});
  const bool longer = split == Split::kTest && config.longest_test > 0;
  for (int k = 0; k < kMostDraws; ++k) {
    Example out = config.task == SequenceTask::kDates
                      ? draw_written_date(random)
                      : draw_letters(config, longer ? config.longest_test : config.longest, random);
    if (split_of(join_words(out.words)) == split) return out;
  }
  throw UsageError(str("data.sequences: there are too few different texts for the split ",
                       split_name(split), "; raise data.sequences.symbols or longest"));
}

void check(const SequencesConfig& config) {
  if (config.task == SequenceTask::kDates) return;
  const auto refuse = [&](const char* key, Index longest) {
    throw UsageError(str("data.sequences.shortest is ", config.shortest, ", and ", key, " is ",
                         longest, "; the longest text cannot be shorter than the shortest"));
  };
  if (config.longest < config.shortest) refuse("data.sequences.longest", config.longest);
  if (config.longest_test > 0 && config.longest_test < config.shortest)
    refuse("data.sequences.longest_test", config.longest_test);
}

std::vector<std::string> words_of(const SequencesConfig& config) {
  if (config.task == SequenceTask::kDates) return date_words();
  std::vector<std::string> letters;
  for (Index i = 0; i < config.symbols; ++i) letters.emplace_back(1, static_cast<char>('a' + i));
  return letters;
}

// Ids and captions alone do not determine the texts.
std::string digest_of(const SequencesDataset& data) {
  Digest digest;
  digest.add(dataset_digest(data.dataset));
  for (const SourceText& text : data.texts) digest.add(join_words(text.tokens));
  return digest.hex();
}

}  // namespace

SequencesDataset sequences_dataset(const SequencesConfig& config) {
  check(config);
  SequencesDataset out;
  out.dataset.name = str("sequences-", enum_name(config.task));
  const auto add = [&](Split split, Index count) {
    for (Index i = 0; i < count; ++i) {
      Example example = draw(config, split, i);
      CaptionedImage image;
      image.split = split;
      image.number = static_cast<std::int64_t>(out.dataset.images.size());
      image.id = str("text-", split_name(split), "-", i);
      image.captions = {join_words(example.words)};
      out.dataset.images.push_back(std::move(image));
      out.texts.push_back(std::move(example.text));
    }
  };
  add(Split::kTrain, config.train);
  add(Split::kVal, config.val);
  add(Split::kTest, config.test);
  out.words = words_of(config);
  out.dataset.digest = digest_of(out);
  return out;
}

std::vector<std::string> source_tokens(std::string_view text) {
  std::vector<std::string> out;
  bool in_word = false;
  for (const unicode::CodePoint point : unicode::decode(unicode::compose(text))) {
    const bool digit = point >= '0' && point <= '9';
    const bool letter = !digit && unicode::is_word_character(point);
    if (unicode::is_space(point) || point == '-') {
      in_word = false;
      continue;
    }
    if (!letter || !in_word) out.emplace_back();
    unicode::append(out.back(), unicode::lower(point));
    in_word = letter;
  }
  return out;
}

}  // namespace saccade
