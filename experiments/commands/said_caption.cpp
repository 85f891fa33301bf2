#include "experiments/commands/said_caption.h"

#include <utility>

#include "captioning/model/decoding/said_words.h"
#include "core/base/error.h"
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
  const std::pair<bool, const char*> searches[] = {{args.beam.has_value(), "--beam"},
                                                   {!args.mode.empty(), "--mode"},
                                                   {!args.must.empty(), "--must"},
                                                   {!args.word_vectors.empty(), "--word-vectors"},
                                                   {args.name_objects, "--name-objects"}};
  for (const auto& [given, option] : searches)
    if (given)
      throw UsageError(str("--say: the caption is given, so nothing is searched and ", option,
                           " has no effect; leave it out"));
  for (const std::string& value : args.set)
    if (value.starts_with("search."))
      throw UsageError(str("--say: the caption is given, so nothing is searched and --set ", value,
                           " has no effect; leave it out"));
  try {
    SaidWords words = said_words(say, session.models().vocabulary(), args.checkpoint);
    if (const std::string note = unknown_note(words, args.checkpoint); !note.empty())
      log::warn(plain_text("--say: " + note));
    return std::move(words.ids);
  } catch (const UsageError& error) {
    throw UsageError(str("--say ", error.what()));
  }
}

}  // namespace saccade
