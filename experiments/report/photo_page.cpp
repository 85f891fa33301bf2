#include "experiments/report/photo_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "captioning/explorer/explorer_json.h"
#include "captioning/model/maps/caption_json.h"
#include "core/base/picture_names.h"
#include "experiments/process/version.h"
#include "experiments/report/report_page.h"
#include "experiments/report/report_runs.h"
#include "experiments/report/self_attention.h"
#include "experiments/runs/manifest.h"

namespace saccade {

using Json = nlohmann::ordered_json;

struct PhotoPage::Impl {
  const ShownModel* model;
  PhotoPageOptions options;
  bool attends_to_itself = false;
  Json images = Json::array();

  MapDetail detail() const { return options.all_maps ? MapDetail::kSingle : MapDetail::kDefault; }
};

PhotoPage::PhotoPage(const ShownModel& model, const PhotoPageOptions& options)
    : impl_(std::make_unique<Impl>(Impl{.model = &model, .options = options})) {}
PhotoPage::~PhotoPage() = default;

void PhotoPage::add(const Image& picture, const InputView& input, const CaptionRecord& record) {
  Json image = captioned_photo(*impl_->model->loaded, picture, record, impl_->options.regime,
                               impl_->detail());
  if (impl_->options.self_attention)
    if (Json self = self_attention_json(*impl_->model->loaded->model, input, record.caption);
        !self.is_null()) {
      image["models"][0]["self_attention"] = std::move(self);
      impl_->attends_to_itself = true;
    }
  impl_->images.push_back(std::move(image));
}

bool PhotoPage::attends_to_itself() const { return impl_->attends_to_itself; }

std::size_t PhotoPage::photos() const { return impl_->images.size(); }

std::string PhotoPage::html() const {
  const ShownModel& model = *impl_->model;
  Json facts =
      model_facts(*model.loaded, model.name, model.seed, impl_->options.regime, impl_->detail());
  facts["manifest"] =
      model.directory.empty() ? Json() : json_file(model.directory / "manifest.json");
  std::vector<std::string> paths;
  for (const Json& image : impl_->images) paths.push_back(image.at("id"));
  const std::vector<std::string> names = shortest_names(paths);
  Json images = impl_->images;
  for (std::size_t i = 0; i < names.size(); ++i) images[i]["id"] = names[i];
  const PhotosPage page{.title = model.name,
                        .command = command_line(),
                        .version = version_number(),
                        .occlusion = impl_->options.occlusion,
                        .self_attention = impl_->attends_to_itself};
  // Names and paths may hold bytes that are not UTF-8.
  return report_page(json_line(photos_json(page, std::move(facts), std::move(images))));
}

}  // namespace saccade
