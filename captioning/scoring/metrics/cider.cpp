#include "captioning/scoring/metrics/cider.h"

#include <algorithm>
#include <cmath>

#include "captioning/scoring/files/json_file.h"
#include "captioning/scoring/files/text_file.h"
#include "core/base/error.h"
#include "core/parallel/parallel.h"

namespace saccade {

namespace {

constexpr Index kBlock = 64;  // images per task
constexpr double kScale = 10;

// The n-grams of one image's references, each of them once.
std::vector<Gram> grams_of(const std::vector<CountedCaption>& references) {
  std::vector<Gram> out;
  for (const CountedCaption& reference : references) {
    for (const GramCount& entry : reference.grams) out.push_back(entry.gram);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

constexpr const char* kFrequenciesForm =
    "expected {\"ref_len\": 40504, \"df\": {\"a\": 40000, \"a dog\": 700}}: the number of images, "
    "and for each 1 to 4 words (tokens, as score --tokenize prints them) in how many images' "
    "references they are";

// The JSON of a file of document frequencies; any other file is refused with what it is.
JsonValue frequencies_file(const std::string& path) {
  const std::string text = read_text(path, "document frequencies");
  if (!text.starts_with("\x80")) refuse_foreign_text(text, path, "document frequencies");
  if (text.starts_with("\x80") || text.starts_with("(dp") || text.starts_with("(lp"))
    throw DataError(str(path,
                        ": is a Python pickle, such as coco-val-df.p; write what it holds as "
                        "JSON with Python; ",
                        kFrequenciesForm));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || (text[first] != '{' && text[first] != '['))
    throw DataError(str(path, ": is no JSON; ", kFrequenciesForm));
  JsonValue root = JsonValue::parse(text, path);
  if (!root.is_object() || !root.find("ref_len") || !root.find("df"))
    throw DataError(str(path, ": ",
                        root.is_object() && (root.find("annotations") || root.find("images"))
                            ? "holds captions, and no document frequencies"
                            : "holds no document frequencies",
                        "; ", kFrequenciesForm));
  return root;
}

}  // namespace

// Multiply-and-shift over the four numbers. As usual for mixers of this kind, the constants are odd
// numbers from the fractional parts of the golden ratio and of square roots.
std::size_t DocumentFrequencies::Hash::operator()(const Gram& gram) const {
  std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
  for (const std::uint32_t word : gram.words) {
    hash = (hash ^ word) * 0xBF58476D1CE4E5B9ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

DocumentFrequencies::DocumentFrequencies(double images) : log_images_(std::log(images)) {}

void DocumentFrequencies::add(const Gram& gram, double images_with_it) {
  tables_[table_of(Hash()(gram))][gram] += images_with_it;
}

DocumentFrequencies DocumentFrequencies::count(
    std::span<const std::vector<CountedCaption>> references) {
  DocumentFrequencies out(static_cast<double>(references.size()));
  const auto blocks = (static_cast<Index>(references.size()) + kBlock - 1) / kBlock;
  using Parts = std::array<std::vector<Gram>, kTables>;
  std::vector<Parts> parts(static_cast<std::size_t>(blocks));
  parallel::for_blocks(static_cast<Index>(references.size()), kBlock, [&](Index begin, Index end) {
    Parts& mine = parts[static_cast<std::size_t>(begin / kBlock)];
    for (Index i = begin; i < end; ++i) {
      for (const Gram& gram : grams_of(references[static_cast<std::size_t>(i)])) {
        mine[table_of(Hash()(gram))].push_back(gram);
      }
    }
  });
  parallel::for_each(static_cast<Index>(kTables), [&](Index t) {
    const auto table = static_cast<std::size_t>(t);
    for (const Parts& part : parts) {
      for (const Gram& gram : part[table]) out.tables_[table][gram] += 1;
    }
  });
  return out;
}

double DocumentFrequencies::idf(const Gram& gram) const {
  const Table& table = tables_[table_of(Hash()(gram))];
  const auto found = table.find(gram);
  return found == table.end() ? log_images_ : log_images_ - std::log(std::max(1.0, found->second));
}

DocumentFrequencies read_document_frequencies(const std::string& path, WordNumbers& numbers) {
  const JsonValue root = frequencies_file(path);
  const JsonValue images = root["ref_len"];
  if (!(images.number() >= 1)) {
    throw DataError(str(images.place(), ": needs the number of images, at least 1"));
  }
  DocumentFrequencies out(images.number());
  const JsonValue table = root["df"];
  for (const std::string& name : table.names()) {
    const Words words = split_words(name);
    const JsonValue frequency = table[name.c_str()];
    if (words.empty() || words.size() > kGramOrders || !(frequency.number() >= 0)) {
      throw DataError(
          str(frequency.place(), ": expected 1 to 4 words and how many images have it"));
    }
    if (frequency.number() > images.number()) {
      throw DataError(str(frequency.place(), ": in ", frequency.number(), " images of ",
                          images.number(), "; ref_len must be how many images were counted"));
    }
    Gram gram;
    for (std::size_t n = 0; n < words.size(); ++n) gram.words[n] = numbers.number(words[n]);
    out.add(gram, frequency.number());
  }
  return out;
}

CiderVector cider_vector(const CountedCaption& caption, const DocumentFrequencies& frequencies) {
  CiderVector out;
  out.length = static_cast<double>(std::max<std::int64_t>(0, caption.words - 1));
  out.grams.reserve(caption.grams.size());
  for (const GramCount& entry : caption.grams) {
    const double weight = entry.count * frequencies.idf(entry.gram);
    out.grams.push_back({entry.gram, weight});
    out.norms[entry.gram.order() - 1] += weight * weight;
  }
  for (double& norm : out.norms) norm = std::sqrt(norm);
  return out;
}

CiderScores score_cider(const CiderVector& candidate, std::span<const CiderVector> references,
                        const CiderForm& form) {
  SACCADE_ASSERT(!references.empty(), "CIDEr without a reference");
  using Orders = std::array<double, kGramOrders>;
  CiderScores sums;
  for (const CiderVector& reference : references) {
    Orders clipped{}, full{};
    for_common_grams(candidate.grams, reference.grams,
                     [&](const WeightedGram& mine, const WeightedGram& theirs) {
                       const std::size_t order = mine.gram.order() - 1;
                       clipped[order] += std::min(mine.weight, theirs.weight) * theirs.weight;
                       full[order] += mine.weight * theirs.weight;
                     });
    const double longer = form.orders > 1 ? candidate.length - reference.length : 0;
    const double penalty = std::exp(-longer * longer / (2 * form.sigma * form.sigma));
    for (std::size_t n = 0; n < form.orders; ++n) {
      const double norms = candidate.norms[n] * reference.norms[n];
      if (norms == 0) continue;
      sums.cider_d += clipped[n] / norms * penalty;
      sums.cider += full[n] / norms;
    }
  }
  const double mean = kScale / static_cast<double>(form.orders * references.size());
  return {.cider_d = sums.cider_d * mean, .cider = sums.cider * mean};
}

}  // namespace saccade
