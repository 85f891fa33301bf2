#include "captioning/model/published/generation_settings.h"

#include <algorithm>

#include "captioning/model/published/json_file.h"
#include "core/base/real.h"

namespace saccade {

namespace {

using Json = nlohmann::json;

// The files in the order in which they count.
class Settings {
 public:
  explicit Settings(std::vector<JsonFile> files) : files_(std::move(files)) {}

  // The first file that has a key; null where none has.
  const JsonFile* of(const std::string& key) const {
    const auto found = std::find_if(files_.begin(), files_.end(),
                                    [&](const JsonFile& file) { return file.has(key); });
    return found == files_.end() ? nullptr : &*found;
  }
  template <class T>
  T get(const std::string& key, T fallback) const {
    const JsonFile* file = of(key);
    return file ? file->get<T>(key, fallback) : fallback;
  }
  // A number within bounds.
  template <class T>
  T number(const std::string& key, T fallback, T least, T most) const {
    const T value = get<T>(key, fallback);
    if (!(value >= least && value <= most))
      of(key)->refuse(key, str("saccade takes ", least, " to ", most, "; change it"));
    return value;
  }
  // Refuses a setting that is not the one which does nothing.
  void refuse_unless(const char* key, const Json& idle) const {
    const JsonFile* file = of(key);
    if (file && file->json()[key] != idle)
      file->refuse(key,
                   "saccade's search has no such setting; remove it, and captions may differ "
                   "from those of transformers");
  }

 private:
  std::vector<JsonFile> files_;
};

}  // namespace

SearchConfig read_generation(const std::filesystem::path& folder,
                             const std::vector<JsonFile>& configs) {
  std::vector<JsonFile> files;
  if (auto own = JsonFile::read(folder / "generation_config.json")) files.push_back(*own);
  files.insert(files.end(), configs.begin(), configs.end());
  const Settings settings(std::move(files));
  for (const auto& [key, idle] : std::initializer_list<std::pair<const char*, Json>>{
           {"repetition_penalty", 1.0},
           {"encoder_repetition_penalty", 1.0},
           {"encoder_no_repeat_ngram_size", 0},
           {"num_beam_groups", 1},
           {"diversity_penalty", 0.0},
           {"typical_p", 1.0},
           {"epsilon_cutoff", 0.0},
           {"eta_cutoff", 0.0},
           {"min_new_tokens", 0},
           {"bad_words_ids", Json()},
           {"force_words_ids", Json()},
           {"suppress_tokens", Json()},
           {"begin_suppress_tokens", Json()},
           {"forced_bos_token_id", Json()},
           {"forced_eos_token_id", Json()},
           {"exponential_decay_length_penalty", Json()},
           {"penalty_alpha", Json()},
           {"min_p", Json()}})
    settings.refuse_unless(key, idle);
  constexpr Index kMost = 1000;
  SearchConfig search;
  // max_length and min_length count the token that begins a caption. Where neither length is given,
  // 20 tokens follow it.
  constexpr Index kUsualLength = 20;
  search.max_length = settings.number<Index>("max_new_tokens", kUsualLength, 1, kMost);
  if (!settings.of("max_new_tokens") && settings.of("max_length"))
    search.max_length = settings.number<Index>("max_length", 2, 2, kMost + 1) - 1;
  search.min_length =
      std::max<Index>(settings.number<Index>("min_length", 0, 0, search.max_length) - 1, 0);
  search.no_repeat_ngram = settings.number<Index>("no_repeat_ngram_size", 0, 0, kMost);
  search.beam = settings.number<Index>("num_beams", 1, 1, kMost);
  search.length_normalization = settings.number<double>("length_penalty", 1, 0, 10);
  search.beam_end = BeamEnd::kRefill;
  if (const JsonFile* file = settings.of("early_stopping")) {
    const Json& value = file->json()["early_stopping"];
    if (value == "never")
      search.beam_end = BeamEnd::kRefillNever;
    else if (value == true)
      search.beam_end = BeamEnd::kRefillFull;
    else if (value != false)
      file->refuse("early_stopping", "saccade takes true, false and \"never\"");
  }
  const bool draws = settings.get<bool>("do_sample", false);
  search.mode = draws             ? SearchMode::kSample
                : search.beam > 1 ? SearchMode::kBeam
                                  : SearchMode::kGreedy;
  if (!draws) return search;
  if (search.beam > 1)
    settings.of("num_beams")
        ->refuse("num_beams",
                 "and do_sample is true, and saccade draws without a beam; "
                 "set one of them to 1 or false");
  constexpr Index kUsual = 50;
  search.top_k = settings.number<Index>("top_k", kUsual, 0, 10'000'000);
  search.top_p = settings.number<double>("top_p", 1, 1e-6, 1);
  search.temperature = settings.number<double>("temperature", 1, 1e-6, 1000);
  return search;
}

}  // namespace saccade
