// What belongs to the running program or library and lies near it on the disk: trained models, the
// description of data sets.
#pragma once

#include <filesystem>
#include <string>

namespace saccade {

// The place `below` (share/saccade/models) in the nearest folder that has it, from the one from
// which this code was loaded up to the fourth above: an installation, or a source tree that holds
// its build. "" where no folder has it.
std::filesystem::path own_place(const std::filesystem::path& below);

// The page that says where published data and networks are, by its path on this machine: that of
// the installation or else of the source tree, and relative where it lies below the working
// directory. "configs/README.md of saccade's sources" where this machine has none.
std::string data_guide();

}  // namespace saccade
