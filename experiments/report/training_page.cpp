#include "experiments/report/training_page.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "captioning/learning/config/experiment_config.h"
#include "core/base/atomic_file.h"
#include "core/base/clock.h"
#include "core/base/enum_names.h"
#include "core/base/error.h"
#include "core/base/plain_text.h"
#include "experiments/process/log.h"
#include "experiments/process/output_file.h"
#include "experiments/report/report_data.h"
#include "experiments/report/report_page.h"
#include "experiments/report/report_runs.h"

namespace saccade {

namespace {

using Json = nlohmann::ordered_json;

// What a page says of its run. A page of kTraining or kEnding looks for a newer one.
enum class PageState { kNone, kTraining, kEnding, kFinished, kStopped, kDiverged, kFailed };

constexpr auto enum_table(PageState) {
  return enum_rows<PageState>({{PageState::kTraining, "training", ""},
                               {PageState::kEnding, "ending", ""},
                               {PageState::kFinished, "finished", ""},
                               {PageState::kStopped, "stopped", ""},
                               {PageState::kDiverged, "diverged", ""},
                               {PageState::kFailed, "failed", ""}});
}

// How far a run is: "epoch 3 of 9".
std::string progress_text(const TrainingState& state, const Stop& stop) {
  // After the last update of an epoch the state counts the next one.
  Index epoch = state.epoch + 1;
  if (stop.unit == Stop::Unit::kEpochs) {
    epoch = std::min<Index>(epoch, std::max<Index>(stop.count, 1));
    return str("epoch ", epoch, " of ", stop.count);
  }
  if (stop.unit == Stop::Unit::kUpdates)
    return str("epoch ", epoch, ", update ", state.update, " of ", stop.count);
  return str("epoch ", epoch, ", update ", state.update, ", until ", to_string(stop));
}

}  // namespace

struct TrainingPage::Impl {
  Options options;
  PageState state = PageState::kNone;
  Json data;           // of the page, with the newest captions
  std::string at;      // progress_text()
  bool tried = false;  // whether captions were made, or could not be made
  bool fresh = false;  // whether no page shows the newest captions yet
  bool warned = false;
  Stop stop;
  double start = 0, written = 0;                 // clock_seconds()
  double spent = 0;                              // seconds on all of it
  double page_seconds = 0, caption_seconds = 0;  // of the last time

  // Does a part of the work and counts its time. Whatever goes wrong must not end the training.
  template <class Work>
  void attempt(double& seconds, const Work& work) {
    const double before = clock_seconds();
    try {
      work();
    } catch (const std::exception& error) {
      if (!warned)
        log::warn(plain_text(str("the page of the training was not written: ", error.what(),
                                 "; the training goes on, and the page is tried again")));
      warned = true;
    }
    seconds = clock_seconds() - before;
    spent += seconds;
  }

  // Whether work of so many seconds may be done now.
  bool may_take(double seconds) const {
    return spent + seconds <= options.share * (clock_seconds() - start);
  }

  void write(PageState now) {
    state = now;
    if (data.is_null()) return;
    fresh = false;
    attempt(page_seconds, [&] {
      const auto time = std::chrono::system_clock::now().time_since_epoch();
      data["training"] = {
          {"state", enum_name(state)},
          {"at", at},
          {"written", std::chrono::duration_cast<std::chrono::milliseconds>(time).count()},
          {"interval", options.interval}};
      data["curves"] = Json::array(
          {curve_json({.name = options.name, .directory = options.file.parent_path()})});
      check_output("report:", options.file, OutputKind::kPage);
      write_file(options.file,
                 report_page(data.dump(-1, ' ', false, Json::error_handler_t::replace)));
    });
    written = clock_seconds();
  }

  // Makes the data of the page, with the captions of a model after so many updates.
  void fill(const RunStart& of, const CaptionModel& model, Index update, ReportContent content) {
    LoadedModel loaded;
    loaded.config = *of.config;
    // The training owns the model.
    loaded.model = borrowed(model);
    loaded.pipeline = borrowed(of.data->pipeline());
    loaded.state.update = update;
    const ReportRequest request{
        .title = options.name,
        .models = {{.name = options.name, .directory = of.directory, .loaded = &loaded}},
        .runs = {},
        .comparison = {},
        .data = &of.data->loaded(),
        .boxes = of.data->boxes(),
        .split = options.split,
        .images = options.images,
        .remarks = {},
        .progress = {}};
    data = report_data(request, content);
  }

  void caption(const RunStart& of, const CaptionModel& model, Index update) {
    if (tried && !may_take(caption_seconds + page_seconds)) return;
    tried = true;
    attempt(caption_seconds, [&] {
      fill(of, model, update, ReportContent::kAll);
      fresh = true;
    });
  }

  bool follows() const { return state == PageState::kTraining; }
};

TrainingPage::TrainingPage(Options options) : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
}

TrainingPage::~TrainingPage() {
  if (impl_->state == PageState::kEnding) impl_->write(PageState::kFinished);
  if (impl_->state == PageState::kTraining) impl_->write(PageState::kFailed);
}

void TrainingPage::on_start(const RunStart& start) {
  if (start.finished) return;
  Impl& page = *impl_;
  page.start = clock_seconds();
  page.stop = start.config->train.stop;
  TrainingState state;
  state.update = start.resumed_update.value_or(0);
  page.at = start.resumed_update ? str("going on after update ", state.update)
                                 : progress_text(state, page.stop);
  double seconds = 0;
  page.attempt(seconds,
               [&] { page.fill(start, *start.model, state.update, ReportContent::kFacts); });
  // A reader of the page does not lose its images when the run goes on.
  if (start.resumed_update) page.caption(start, *start.model, state.update);
  page.write(PageState::kTraining);
}

void TrainingPage::on_captions(const RunStart& start, const CaptionModel& model,
                               const EvaluationReport&, Index update) {
  if (impl_->follows()) impl_->caption(start, model, update);
}

void TrainingPage::on_validation(const Metrics&, const TrainingState& state) {
  if (!impl_->follows()) return;
  impl_->at = progress_text(state, impl_->stop);
  if (impl_->fresh || impl_->may_take(impl_->page_seconds)) impl_->write(PageState::kTraining);
}

void TrainingPage::on_update(const Update& update) {
  if (!impl_->follows()) return;
  impl_->at = progress_text(*update.state, impl_->stop);
  if (clock_seconds() - impl_->written >= impl_->options.interval &&
      impl_->may_take(impl_->page_seconds))
    impl_->write(PageState::kTraining);
}

void TrainingPage::on_end(const TrainingResult& result) {
  if (!impl_->follows()) return;
  impl_->at = progress_text(result.state, impl_->stop);
  impl_->write(result.reason == StopReason::kSignal ? PageState::kStopped : PageState::kEnding);
}

void TrainingPage::on_diverged(const std::string&) {
  if (impl_->follows()) impl_->write(PageState::kDiverged);
}

void TrainingPage::leave() { impl_->state = PageState::kNone; }

}  // namespace saccade
