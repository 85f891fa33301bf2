#include "experiments/report/photo_page.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "captioning/model/maps/caption_json.h"
#include "experiments/process/version.h"
#include "experiments/report/explorer_json.h"
#include "experiments/report/report_page.h"
#include "experiments/report/report_runs.h"
#include "experiments/report/self_attention.h"
#include "experiments/runs/manifest.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kPagePhotoPixels = 640;  // the longest side
constexpr Index kPageTextPixels = 1200;  // of the picture of a text, whose letters stay readable

// The last `parts` parts of a path.
std::string end_of(const std::filesystem::path& path, std::ptrdiff_t parts) {
  std::filesystem::path out;
  const std::ptrdiff_t all = std::distance(path.begin(), path.end());
  for (auto part = std::next(path.begin(), std::max<std::ptrdiff_t>(all - parts, 0));
       part != path.end(); ++part)
    out /= *part;
  return out.string();
}

}  // namespace

std::vector<std::string> shortest_names(const std::vector<std::string>& paths) {
  std::vector<std::string> names(paths.size());
  std::vector<bool> named(paths.size(), false);
  for (std::ptrdiff_t parts = 1; std::count(named.begin(), named.end(), false) > 0; ++parts) {
    std::map<std::string, std::string> owner;  // the path that has a name; "" where several have it
    for (const std::string& path : paths) {
      const auto [it, first] = owner.try_emplace(end_of(path, parts), path);
      if (!first && it->second != path) it->second.clear();
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (named[i]) continue;
      names[i] = end_of(paths[i], parts);
      named[i] = owner.at(names[i]) == paths[i] || names[i] == end_of(paths[i], parts + 1);
    }
  }
  return names;
}

struct PhotoPage::Impl {
  const ReportModel* model;
  PhotoPageOptions options;
  bool attends_to_itself = false;
  Json images = Json::array();
};

PhotoPage::PhotoPage(const ReportModel& model, const PhotoPageOptions& options)
    : impl_(std::make_unique<Impl>(Impl{.model = &model, .options = options})) {}
PhotoPage::~PhotoPage() = default;

void PhotoPage::add(const Image& picture, const InputView& input, const CaptionRecord& record) {
  Json image = {{"id", record.image}, {"references", Json::array()}};
  if (!record.tokens.empty()) image["tokens"] = record.tokens;
  image.update(photo_json(picture, record.tokens.empty() ? kPagePhotoPixels : kPageTextPixels));
  Json caption;
  caption["regimes"][std::string(enum_name(impl_->options.regime))] =
      page_caption(*impl_->model->loaded, record, impl_->options.regime,
                   impl_->options.all_maps ? MapDetail::kSingle : MapDetail::kDefault);
  if (impl_->options.self_attention)
    if (Json self = self_attention_json(*impl_->model->loaded->model, input, record.caption);
        !self.is_null()) {
      caption["self_attention"] = std::move(self);
      impl_->attends_to_itself = true;
    }
  image["models"] = Json::array({std::move(caption)});
  impl_->images.push_back(std::move(image));
}

bool PhotoPage::attends_to_itself() const { return impl_->attends_to_itself; }

std::size_t PhotoPage::photos() const { return impl_->images.size(); }

std::string PhotoPage::html() const {
  const ReportModel& model = *impl_->model;
  Json facts = model_facts(model);
  facts["regimes"] = Json::array({enum_name(impl_->options.regime)});
  if (!impl_->options.all_maps)
    facts["layers"] = facts["heads"] = 1;  // those between which one can choose
  facts["manifest"] =
      model.directory.empty() ? Json() : json_file(model.directory / "manifest.json");
  std::vector<std::string> paths;
  for (const Json& image : impl_->images) paths.push_back(image.at("id"));
  const std::vector<std::string> names = shortest_names(paths);
  Json images = impl_->images;
  for (std::size_t i = 0; i < names.size(); ++i) images[i]["id"] = names[i];
  const bool texts = std::any_of(images.begin(), images.end(),
                                 [](const Json& image) { return image.contains("tokens"); });
  const Json data = {{"schema_version", 2},
                     {"title", model.name},
                     {"dataset", nullptr},
                     {"texts", texts},
                     {"command", command_line()},
                     {"version", version_number()},
                     {"heat", heat_json()},
                     {"boxes", ""},
                     {"occlusion", impl_->options.occlusion},
                     {"self_attention", impl_->attends_to_itself},
                     {"remarks", Json::array()},
                     {"models", Json::array({std::move(facts)})},
                     {"config", Json::array()},
                     {"curves", Json::array()},
                     {"comparison", nullptr},
                     {"images", std::move(images)}};
  // Names and paths may hold bytes that are not UTF-8.
  return report_page(json_line(data));
}

}  // namespace saccade
