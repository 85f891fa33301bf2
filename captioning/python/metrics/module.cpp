// The Python module saccade.metrics._metrics: the metrics of the scoring wing for lists of
// captions. The classes that people call are Python (saccade/metrics), and check what they are
// given.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "captioning/python/errors.h"
#include "captioning/scoring/metrics/bleu.h"
#include "captioning/scoring/metrics/cider.h"
#include "captioning/scoring/metrics/meteor/meteor.h"
#include "captioning/scoring/metrics/rouge_l.h"
#include "captioning/scoring/words/ptb_tokenizer.h"
#include "core/base/error.h"
#include "core/parallel/parallel.h"

namespace saccade {
namespace {

namespace py = pybind11;

using Captions = std::vector<std::string>;
using References = std::vector<Captions>;
using Unlocked = py::call_guard<py::gil_scoped_release>;

// Calls body(i) for every image, in parallel.
void for_images(std::size_t images, parallel::FunctionRef<void(std::size_t)> body) {
  constexpr Index kBlock = 16;
  parallel::for_blocks(static_cast<Index>(images), kBlock, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) body(static_cast<std::size_t>(i));
  });
}

// A caption as the words of Python's split(" "): also the empty ones between two spaces.
Words split_at_spaces(const std::string& caption) {
  Words out;
  std::size_t begin = 0;
  for (std::size_t end = caption.find(' '); end != std::string::npos;
       end = caption.find(' ', begin)) {
    out.push_back(caption.substr(begin, end - begin));
    begin = end + 1;
  }
  out.push_back(caption.substr(begin));
  return out;
}

// The n-grams of captions that are tokenised; words are what white space divides.
CountedCorpus counted(const Captions& candidates, const References& references,
                      WordNumbers& numbers) {
  std::vector<Words> ours;
  std::vector<std::vector<Words>> theirs;
  for (const std::string& caption : candidates) ours.push_back({caption});
  for (const Captions& image : references) {
    theirs.emplace_back();
    for (const std::string& caption : image) theirs.back().push_back({caption});
  }
  return count_corpus(ours, theirs, numbers);
}

Captions tokenize(const Captions& captions) {
  Captions out;
  for (const Words& words : ptb_words(captions)) out.push_back(join_words(words));
  return out;
}

// BLEU-1..4 of the corpus and of each image, and the counts behind them: the words of the
// candidates, of the closest references, the n-grams of the candidates, and the right ones.
struct Bleu {
  std::array<double, kGramOrders> corpus{};
  std::array<std::vector<double>, kGramOrders> images{};
  std::vector<BleuCounts> counts;
  BleuCounts sum;
};

Bleu bleu(const Captions& candidates, const References& references) {
  Bleu out;
  if (!candidates.empty()) {
    WordNumbers numbers;
    const CountedCorpus corpus = counted(candidates, references, numbers);
    out.counts.resize(corpus.images());
    for_images(corpus.images(), [&](std::size_t i) {
      out.counts[i] = count_bleu(corpus.candidates[i], corpus.references[i]);
    });
  }
  for (const BleuCounts& image : out.counts) {
    out.sum += image;
    const BleuScores scores = score_bleu(image);
    for (std::size_t k = 0; k < kGramOrders; ++k) out.images[k].push_back(scores.bleu[k]);
  }
  out.corpus = score_bleu(out.sum).bleu;
  return out;
}

std::vector<double> rouge(const Captions& candidates, const References& references) {
  std::vector<double> out(candidates.size());
  for_images(candidates.size(), [&](std::size_t i) {
    std::vector<Words> words;
    for (const std::string& reference : references[i]) words.push_back(split_at_spaces(reference));
    out[i] = rouge_l(split_at_spaces(candidates[i]), words);
  });
  return out;
}

// In how many images of a corpus n-grams occur, with the numbers of their words.
struct Frequencies {
  WordNumbers numbers;
  DocumentFrequencies table;

  Frequencies(double images, const std::vector<std::pair<Captions, double>>& grams)
      : table(images) {
    for (const auto& [words, count] : grams) {
      if (words.empty() || words.size() > kGramOrders)
        throw DataError(str("document frequencies: an n-gram has 1 to ", kGramOrders,
                            " words; got ", words.size()));
      Gram gram;
      for (std::size_t n = 0; n < words.size(); ++n) gram.words[n] = numbers.number(words[n]);
      table.add(gram, count);
    }
  }
};

std::vector<double> cider(const Captions& candidates, const References& references,
                          const CiderForm& form, const Frequencies* given) {
  WordNumbers numbers;
  if (given != nullptr) numbers = given->numbers;
  const CountedCorpus corpus = counted(candidates, references, numbers);
  std::optional<DocumentFrequencies> own;
  if (given == nullptr) own = DocumentFrequencies::count(corpus.references);
  const DocumentFrequencies& frequencies = given != nullptr ? given->table : *own;
  std::vector<double> out(candidates.size());
  for_images(corpus.images(), [&](std::size_t i) {
    std::vector<CiderVector> theirs;
    for (const CountedCaption& reference : corpus.references[i])
      theirs.push_back(cider_vector(reference, frequencies));
    out[i] = score_cider(cider_vector(corpus.candidates[i], frequencies), theirs, form).cider_d;
  });
  return out;
}

std::pair<double, std::vector<double>> meteor(const Meteor& tables, const Captions& candidates,
                                              const References& references) {
  std::vector<MeteorSegment> segments(candidates.size());
  for_images(candidates.size(),
             [&](std::size_t i) { segments[i] = tables.score(candidates[i], references[i]); });
  MeteorStats sum;
  std::vector<double> images;
  for (const MeteorSegment& segment : segments) {
    sum += segment.stats;
    images.push_back(segment.score);
  }
  return {meteor_score(sum), std::move(images)};
}

// Our errors as the exceptions of saccade/metrics/errors.py.
void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Error& error) {
    python::set_exception(error, "saccade.metrics.errors");
  }
}

void bind(py::module_& module) {
  py::register_local_exception_translator(translate);
  module.def("tokenize", tokenize, py::arg("captions"), Unlocked());
  py::class_<BleuCounts>(module, "BleuCounts")
      .def_readonly("correct", &BleuCounts::correct)
      .def_readonly("guess", &BleuCounts::guess)
      .def_readonly("length", &BleuCounts::length)
      .def_readonly("reference_length", &BleuCounts::reference_length);
  py::class_<Bleu>(module, "Bleu")
      .def_readonly("corpus", &Bleu::corpus)
      .def_readonly("images", &Bleu::images)
      .def_readonly("counts", &Bleu::counts)
      .def_readonly("sum", &Bleu::sum);
  module.def("bleu", bleu, py::arg("candidates"), py::arg("references"), Unlocked());
  module.def("rouge_l", rouge, py::arg("candidates"), py::arg("references"), Unlocked());
  py::class_<Frequencies>(module, "Frequencies")
      .def(py::init<double, const std::vector<std::pair<Captions, double>>&>(), py::arg("images"),
           py::arg("grams"), Unlocked());
  module.def(
      "cider",
      [](const Captions& candidates, const References& references, std::size_t n, double sigma,
         const Frequencies* frequencies) {
        return cider(candidates, references, {.orders = n, .sigma = sigma}, frequencies);
      },
      py::arg("candidates"), py::arg("references"), py::arg("n"), py::arg("sigma"),
      py::arg("frequencies").none(true), Unlocked());
  py::class_<Meteor>(module, "Meteor")
      .def(py::init([](const std::string& paraphrases, const std::string& cache,
                       const std::function<void(const std::string&)>& listener) {
             const MessageListener tell = [&](Severity, const std::string& text) {
               const py::gil_scoped_acquire locked;
               listener(text);
             };
             const py::gil_scoped_release unlocked;
             return std::make_unique<Meteor>(
                 MeteorOptions{.paraphrases = paraphrases, .cache = cache, .listener = tell});
           }),
           py::arg("paraphrases"), py::arg("cache"), py::arg("listener"))
      .def("score", meteor, py::arg("candidates"), py::arg("references"), Unlocked())
      .def_property_readonly("tables", &Meteor::tables)
      .def_property_readonly("paraphrases", &Meteor::paraphrases);
}

}  // namespace
}  // namespace saccade

PYBIND11_MODULE(_metrics, module) { saccade::bind(module); }
