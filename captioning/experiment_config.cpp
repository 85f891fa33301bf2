#include "captioning/experiment_config.h"

namespace saccade {

template Section bind(ExperimentConfig& config);

}  // namespace saccade
