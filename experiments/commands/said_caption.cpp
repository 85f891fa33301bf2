#include "experiments/commands/said_caption.h"

#include <algorithm>

#include "captioning/scoring/words/plain_caption.h"
#include "captioning/scoring/words/tokenizer.h"
#include "core/base/error.h"
#include "core/base/listing.h"
#include "core/base/plain_text.h"
#include "experiments/options/options.h"
#include "experiments/process/log.h"

namespace saccade {

void add_say_option(Options& options, std::optional<std::string>& say) {
  options.text("--say", say,
               "a caption of your own, which the model is made to say instead of searching one: "
               "where it looks for these words, and how probable they are to it",
               "TEXT");
}

std::vector<int> said_words(const std::optional<std::string>& said, const ModelArgs& args,
                            const ModelSession& session) {
  if (!said) return {};
  const std::string& say = *said;
  if (args.beam || !args.mode.empty())
    throw UsageError(str("--say: the caption is given, so nothing is searched and ",
                         args.beam ? "--beam" : "--mode", " has no effect; leave it out"));
  for (const std::string& value : args.set)
    if (value.starts_with("search."))
      throw UsageError(str("--say: the caption is given, so nothing is searched and --set ", value,
                           " has no effect; leave it out"));
  const Vocabulary& vocabulary = session.models().vocabulary();
  if (vocabulary.published()) {  // which have letters, marks and the rest of a text as it is
    const std::vector<Index> ids = vocabulary.encode_text(plain_caption(say).text);
    if (!vocabulary.text(ids).empty()) return {ids.begin(), ids.end()};
  }
  const Words words = tokenize(plain_caption(say).text);
  if (words.empty())
    throw UsageError(str("--say '", say,
                         "': there is no word in it; give a caption such as "
                         "\"a dog runs on grass\""));
  std::vector<int> out;
  std::vector<std::string> unknown;
  for (const std::string& word : words) {
    const std::vector<Index> ids = vocabulary.encode({&word, 1});
    const bool known = std::find(ids.begin(), ids.end(), Vocabulary::kUnk) == ids.end();
    if (!known && std::find(unknown.begin(), unknown.end(), word) == unknown.end())
      unknown.push_back(word);
    for (const Index id : ids) out.push_back(static_cast<int>(id));
  }
  if (std::all_of(out.begin(), out.end(), [](int id) { return id == Vocabulary::kUnk; }))
    throw UsageError(str("--say '", say, "': ", args.checkpoint,
                         " knows none of its words; say something in those of its training "
                         "captions"));
  if (!unknown.empty())
    log::warn(plain_text(str("--say: ", args.checkpoint, " does not know ", first_names(unknown),
                             "; it reads <unk> there, and the map and the probability are those of "
                             "<unk>")));
  return out;
}

}  // namespace saccade
