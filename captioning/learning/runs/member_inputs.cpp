#include "captioning/learning/runs/member_inputs.h"

#include <algorithm>

#include "captioning/learning/training/run_data.h"

namespace saccade {

MemberInputs::MemberInputs(std::span<const LoadedModel> members, const LoadedData& data,
                           const DatasetInputs::Progress& progress,
                           const std::vector<Index>& images) {
  std::vector<ExperimentConfig> configs;
  for (const LoadedModel& member : members) {
    ExperimentConfig config = member.config;
    config.data = members.front().config.data;
    const auto twin = std::find_if(configs.begin(), configs.end(),
                                   [&](const auto& other) { return same_data(other, config); });
    if (twin != configs.end()) {
      of_member_.push_back(of_member_[static_cast<std::size_t>(twin - configs.begin())]);
    } else {
      inputs_.emplace_back(data, *member.pipeline, config.encoder, progress, images);
      of_member_.push_back(&inputs_.back());
    }
    configs.push_back(std::move(config));
  }
}

}  // namespace saccade
