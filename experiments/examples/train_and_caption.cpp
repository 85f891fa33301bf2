// Trains a captioner, with the attention of a plugin if one is given, and captions a picture.
#include <saccade/captioning/captioner.h>
#include <saccade/captioning/learning/train_captioner.h>
#include <saccade/core/attention/plugin.h>

#include <iostream>

int main(int argc, char** argv) try {
  if (argc < 4) throw saccade::UsageError("give CONFIG RUN PICTURE [PLUGIN KEY=VALUE...]");
  if (argc > 4) saccade::load_plugin(argv[4]);
  saccade::TrainingOptions options{.config = argv[1], .directory = argv[2]};
  for (int i = 5; i < argc; ++i) options.set.emplace_back(argv[i]);
  options.on_update = [](const saccade::TrainingUpdate& now) {
    return static_cast<bool>(std::cout << now.update << ": loss " << now.loss << "\n");
  };
  const saccade::TrainedCaptioner run = saccade::train_captioner(options);
  std::cout << saccade::Captioner(run.checkpoint).caption(argv[3]).text << "\n";
} catch (const saccade::Error& error) {
  std::cerr << "error: " << error.what() << "\n";
  return static_cast<int>(error.code());
}
