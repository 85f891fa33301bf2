// Which entries of a training caption the boxes of its nouns supervise.
#include "captioning/learning/training/attention_targets.h"

#include <set>

#include "tests/captioning/small_experiment.h"
#include "tests/support/catch.h"

namespace saccade::test {

TEST_CASE("boxes supervise all pieces of a noun") {
  ExperimentConfig config = small_experiment();
  config.data.vocabulary = VocabularyKind::kBpe;
  config.data.bpe_size = 48;
  const Experiment experiment(config);
  const Vocabulary& vocabulary = experiment.model.vocabulary();
  const TrainingSet set(experiment.data, config.data, vocabulary, {});
  const NounSource source{.scenes = &*experiment.data.scenes};
  const AttentionTargets targets(set, experiment.inputs, source, experiment.model.grid());

  const Batch plan = plan_epoch(set.items(), {.batch = 12, .shard = 12}, 0).at(0);
  TrainBatch batch = make_batch(plan, set, experiment.inputs, 1, 0);
  const std::vector<PlanItem>& items = plan.shards.at(0);
  TrainShard& shard = batch.shards.at(0);
  targets.add(items, shard);

  // What belongs to each noun, from the pieces of every single word.
  std::set<std::pair<Index, Index>> expected;  // caption, entry
  std::size_t cut_nouns = 0;
  for (std::size_t c = 0; c < items.size(); ++c) {
    const std::vector<std::string> words = set.tokens(items[c]);
    std::vector<Index> ends;  // of the words, among the entries
    Index entries = 0;
    for (const std::string& word : words)
      ends.push_back(entries += static_cast<Index>(vocabulary.encode(Words{word}).size()));
    REQUIRE(entries == static_cast<Index>(set.words(items[c]).size()));
    for (const NamedObjects& noun :
         source.nouns(items[c].image, words, experiment.inputs.geometry(items[c].image))) {
      if (noun.boxes.empty()) continue;
      const Index begin = noun.word > 0 ? ends[noun.word - 1] : 0, end = ends[noun.word];
      if (end - begin > 1) ++cut_nouns;
      for (Index entry = begin; entry < end; ++entry)
        expected.emplace(static_cast<Index>(c), entry);
    }
  }
  REQUIRE(cut_nouns > 0);
  std::set<std::pair<Index, Index>> got;
  for (const AttentionTarget& target : shard.targets) {
    got.emplace(target.caption, target.word);
    CHECK(target.inside.size() == static_cast<std::size_t>(experiment.model.grid().cells()));
  }
  CHECK(got == expected);
  CHECK(got.size() == shard.targets.size());
}

}  // namespace saccade::test
