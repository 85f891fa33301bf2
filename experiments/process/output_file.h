// Files that a command is told to write. A slip on the command line, such as an option whose value
// was forgotten, must not cost a photo, captions or any other file that the program did not make.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace saccade {

// A page (.html), captions in the form of COCO's results (.json), the scores of every image
// (.json), a table for LaTeX (.tex), a caption with its weights (.json).
enum class OutputKind { kPage, kResults, kImageScores, kLatex, kMaps };

// Checks, before the work for it begins, whether a file may be written. `option` is what gives its
// name, and `inputs` are files that the command reads. A file of the same kind is replaced; pipes
// and devices, such as /dev/stdout, are written to whatever their names are. Throws UsageError for
// a name that does not end as those of its kind, and for an input; BusyError for any other file.
void check_output(const std::string& option, const std::filesystem::path& file, OutputKind kind,
                  std::span<const std::string> inputs = {});

// Throws BusyError where there is anything of this name, even a link that leads nowhere. `remedy`
// is what can be done besides choosing another name.
void refuse_existing(const std::filesystem::path& file, const std::string& remedy);

}  // namespace saccade
