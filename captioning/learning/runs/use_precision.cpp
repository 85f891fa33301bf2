#include "captioning/learning/runs/use_precision.h"

#include <atomic>

#include "captioning/learning/runs/checkpoint_content.h"
#include "core/base/error.h"
#include "core/base/table.h"
#include "core/io/checkpoint.h"
#include "core/kernels/precision.h"
#include "core/parallel/ranks/ranks.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

Precision precision_of(PrecisionChoice choice) {
  return choice == PrecisionChoice::kBf16 ? Precision::kBf16 : Precision::kF32;
}

// What a run that goes on was trained with; none where there is no checkpoint that can be read.
std::optional<PrecisionChoice> begun_with(const fs::path& run, const ExperimentConfig& config) {
  const fs::path last = run.empty() ? run : checkpoint_folder(run) / "last";
  std::error_code error;
  if (last.empty() || !fs::exists(last, error)) return {};
  try {
    return stored_config(load_archive(last), config.attention.registry, {}, kCommandLine).precision;
  } catch (const CheckpointError&) {  // a damaged one, before which there may be others
    return {};
  }
}

}  // namespace

void use_precision(ExperimentConfig& config, const fs::path& run, const MessageListener& listener) {
  if (config.precision == PrecisionChoice::kAuto) {
    if (const auto begun = begun_with(run, config)) {
      config.precision = *begun;
    } else {
      constexpr double kWorthIt = 1.2;
      const double faster = measure_bf16_speedup();
      const PrecisionChoice mine =
          faster > kWorthIt ? PrecisionChoice::kBf16 : PrecisionChoice::kF32;
      const std::string chosen = parallel::of_first_rank(std::string(enum_name(mine)));
      config.precision = chosen == enum_name(PrecisionChoice::kBf16) ? PrecisionChoice::kBf16
                                                                     : PrecisionChoice::kF32;
      inform(listener,
             str("precision auto takes ", chosen,
                 faster > 0 ? str(": rounded products are ", decimals(faster, 1), " times as fast")
                            : ": this processor does not multiply bfloat16 numbers"));
    }
  }
  set_precision(precision_of(config.precision));
}

void use_model_precision(PrecisionChoice precision, const std::string& model,
                         const MessageListener& listener) {
  static std::atomic<bool> opened{false};
  const bool first = !opened.exchange(true);
  Precision wanted = precision_of(precision);
  if (wanted == Precision::kBf16 && !multiplies_bf16()) {
    warn(listener,
         model +
             ": was trained with precision bf16, which this processor lacks; captions are "
             "computed in f32, and may differ");
    wanted = Precision::kF32;
  }
  if (!first && wanted != saccade::precision()) {
    warn(listener,
         model + ": the models of this process have other precisions; all compute in f32");
    wanted = Precision::kF32;
  }
  set_precision(wanted);
}

}  // namespace saccade
