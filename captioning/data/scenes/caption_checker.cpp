#include "captioning/data/scenes/caption_checker.h"

#include <algorithm>

#include "captioning/data/scenes/caption_parser.h"
#include "captioning/data/scenes/scene_motion.h"
#include "core/base/error.h"

namespace saccade {

namespace {

using Objects = std::vector<std::size_t>;

std::string text_of(std::span<const std::string> words, const Phrase& phrase) {
  std::string out;
  for (std::size_t i = phrase.begin; i < phrase.end; ++i) {
    out += (out.empty() ? "" : " ") + words[i];
  }
  return out;
}

// The ways to read a phrase: as each fitting object alone, or as all of them together.
std::vector<Objects> readings(const Description& description, const Objects& fitting) {
  if (description.count > 1) {
    return fitting.size() == description.count ? std::vector<Objects>{fitting}
                                               : std::vector<Objects>{};
  }
  std::vector<Objects> out;
  for (const std::size_t i : fitting) out.push_back({i});
  return out;
}

bool disjoint(const Objects& a, const Objects& b) {
  return std::none_of(a.begin(), a.end(),
                      [&](std::size_t i) { return std::find(b.begin(), b.end(), i) != b.end(); });
}

void add(Objects& to, const Objects& from) {
  for (const std::size_t i : from) {
    if (std::find(to.begin(), to.end(), i) == to.end()) to.push_back(i);
  }
  std::sort(to.begin(), to.end());
}

// Tries every choice of one reading per phrase in which no object is named twice, and keeps the
// objects that true choices name. There are at most as many phrases as objects, so the choices are
// few.
struct ReadingSearch {
  const Scene& scene;
  const ParsedCaption& parsed;
  const std::vector<std::vector<Objects>>& choices;
  std::vector<Objects> named;  // per phrase, the objects of all true choices
  bool found = false;
  std::vector<Objects> chosen;

  void run(std::size_t phrase) {
    if (phrase == choices.size()) {
      if (!relation_holds()) return;
      found = true;
      for (std::size_t i = 0; i < chosen.size(); ++i) add(named[i], chosen[i]);
      return;
    }
    for (const Objects& reading : choices[phrase]) {
      const bool free = std::all_of(chosen.begin(), chosen.end(),
                                    [&](const Objects& other) { return disjoint(reading, other); });
      if (!free) continue;
      chosen.push_back(reading);
      run(phrase + 1);
      chosen.pop_back();
    }
  }

  bool relation_holds() const {
    if (!parsed.relation) return true;
    return std::all_of(chosen[0].begin(), chosen[0].end(), [&](std::size_t i) {
      return std::all_of(chosen[1].begin(), chosen[1].end(), [&](std::size_t j) {
        return holds(*parsed.relation, scene.objects[i].box, scene.objects[j].box, scene.size);
      });
    });
  }
};

}  // namespace

CaptionCheck check_caption(const Scene& scene, std::span<const std::string> words) {
  if (scene.moves()) return check_motion(scene, words);
  CaptionCheck out;
  const auto parsed = parse_caption(words, out.reason);
  if (!parsed) return out;
  out.verdict = Verdict::kFalse;
  std::vector<std::vector<Objects>> choices;
  for (const Description& description : parsed->phrases) {
    Phrase mention = description.phrase;
    for (std::size_t i = 0; i < scene.objects.size(); ++i) {
      if (description.fits(scene.objects[i])) mention.objects.push_back(i);
    }
    choices.push_back(readings(description, mention.objects));
    if (choices.back().empty() && out.reason.empty()) {
      out.reason = str("'", text_of(words, mention), "': ", mention.objects.size(),
                       mention.objects.size() == 1 ? " object fits" : " objects fit");
    }
    out.mentions.push_back(std::move(mention));
  }
  if (!out.reason.empty()) return out;
  if (choices.size() > scene.objects.size()) {
    out.reason = str(choices.size(), " phrases for ", scene.objects.size(), " objects");
    return out;
  }
  ReadingSearch search{
      .scene = scene, .parsed = *parsed, .choices = choices, .named = {}, .chosen = {}};
  search.named.resize(choices.size());
  search.run(0);
  if (!search.found) {
    out.reason = parsed->relation ? str("nothing named is ",
                                        kRelationWords[static_cast<std::size_t>(*parsed->relation)],
                                        " the other")
                                  : std::string("two phrases name the same object");
    return out;
  }
  out.verdict = Verdict::kTrue;
  for (std::size_t i = 0; i < out.mentions.size(); ++i) out.mentions[i].objects = search.named[i];
  return out;
}

}  // namespace saccade
