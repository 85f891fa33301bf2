#include "captioning/learning/runs/published_model.h"

#include "captioning/learning/runs/half_checkpoint.h"
#include "captioning/learning/runs/stored_state.h"
#include "captioning/learning/runs/stored_vocabulary.h"
#include "captioning/model/published/published_captioner.h"

namespace saccade {

namespace {

ExperimentConfig experiment_of(const PublishedCaptioner& captioner,
                               std::shared_ptr<const AttentionRegistry> added) {
  ExperimentConfig config;
  static_cast<ModelConfig&>(config) = captioner.config;
  config.attention.registry = std::move(added);
  config.search = captioner.search;
  config.objective.doubly_stochastic = 0;  // such captioners are trained by the likelihood alone
  config.name = "published";
  config.data.type = DataKind::kFolder;  // which --data names
  return config;
}

}  // namespace

ExperimentConfig published_config(const std::filesystem::path& folder,
                                  std::shared_ptr<const AttentionRegistry> added) {
  return experiment_of(read_published(folder), std::move(added));
}

LoadedModel load_published_model(const std::filesystem::path& folder,
                                 std::span<const std::string> overrides,
                                 std::shared_ptr<const AttentionRegistry> added,
                                 const std::string& overrider) {
  PublishedCaptioner captioner = read_published(folder);
  Loaded<ExperimentConfig> config{.config = experiment_of(captioner, std::move(added)),
                                  .origins = {}};
  for (const std::string& one : overrides) apply_override(config, one, overrider);
  captioner.config = config.config;
  LoadedModel loaded;
  loaded.source = folder.string();
  loaded.published = captioner.what;
  loaded.config = std::move(config.config);
  loaded.weights_only = true;
  loaded.data.name = "published";
  auto model = std::make_unique<CaptionModel>(captioner.config, captioner.vocabulary, GridShape{},
                                              [](const ParameterStore&) {});
  load_published(folder, captioner, *model);
  loaded.model = std::move(model);
  return loaded;
}

Archive published_archive(const LoadedModel& loaded) {
  Archive archive(loaded.source);
  archive.add_uint64("content_version", kContentVersion);
  archive.add_uint64(kWeightsOnly, 1);
  archive.add_string("config", print_config(loaded.config));
  archive.add_string("data/name", loaded.data.name);
  archive.add_string("data/digest", loaded.data.digest);
  archive.add_string("encoder_digest", "");
  archive.add_string("encoder_graph", loaded.model->encoder()->graph());
  add_vocabulary(archive, loaded.model->vocabulary());
  archive.add_int64s("frozen_grid", {3}, {0, 0, 0});
  const ParameterStore& store = loaded.model->parameters();
  for (const ParameterInfo& info : store.infos()) {
    std::vector<Index> extents;
    for (int a = 0; a < info.shape.rank(); ++a) extents.push_back(info.shape[a]);
    archive.borrow_floats("parameters/" + info.name, extents,
                          store.flat().span().subspan(static_cast<std::size_t>(info.offset),
                                                      static_cast<std::size_t>(info.shape.size())));
  }
  add_trained(archive, loaded.state);
  return archive;
}

}  // namespace saccade
