#include "experiments/report/photo_page.h"

#include <nlohmann/json.hpp>

#include "captioning/maps/caption_json.h"
#include "experiments/process/version.h"
#include "experiments/report/explorer_json.h"
#include "experiments/report/report_page.h"
#include "experiments/report/report_runs.h"
#include "experiments/runs/manifest.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kPhotoPixels = 640;  // the longest side

}  // namespace

struct PhotoPage::Impl {
  const ReportModel* model;
  Regime regime;
  bool all_maps, occlusion;
  Json images = Json::array();
};

PhotoPage::PhotoPage(const ReportModel& model, const PhotoPageOptions& options)
    : impl_(std::make_unique<Impl>(Impl{.model = &model,
                                        .regime = options.regime,
                                        .all_maps = options.all_maps,
                                        .occlusion = options.occlusion})) {}
PhotoPage::~PhotoPage() = default;

void PhotoPage::add(const Image& picture, const CaptionRecord& record) {
  Json image = {{"id", record.image}, {"references", Json::array()}};
  image.update(photo_json(picture, kPhotoPixels));
  Json caption;
  caption["regimes"][std::string(enum_name(impl_->regime))] =
      page_caption(*impl_->model->loaded, record, impl_->regime,
                   impl_->all_maps ? MapDetail::kSingle : MapDetail::kUsual);
  image["models"] = Json::array({std::move(caption)});
  impl_->images.push_back(std::move(image));
}

std::size_t PhotoPage::photos() const { return impl_->images.size(); }

std::string PhotoPage::html() const {
  const ReportModel& model = *impl_->model;
  Json facts = model_facts(model);
  facts["regimes"] = Json::array({enum_name(impl_->regime)});
  if (!impl_->all_maps) facts["layers"] = facts["heads"] = 1;  // those between which one can choose
  facts["manifest"] =
      model.directory.empty() ? Json() : json_file(model.directory / "manifest.json");
  const Json data = {{"schema_version", 2},
                     {"title", model.name},
                     {"dataset", nullptr},
                     {"command", command_line()},
                     {"version", version_number()},
                     {"colours", colours_text()},
                     {"boxes", ""},
                     {"occlusion", impl_->occlusion},
                     {"remarks", Json::array()},
                     {"models", Json::array({std::move(facts)})},
                     {"config", Json::array()},
                     {"curves", Json::array()},
                     {"comparison", nullptr},
                     {"images", impl_->images}};
  // Names and paths may hold bytes that are not UTF-8.
  return report_page(json_line(data));
}

}  // namespace saccade
