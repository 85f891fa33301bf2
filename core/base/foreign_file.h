// Says what a file is that is not of the kind that was asked for. Everything may include it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace saccade {

// How many of a file's first bytes tell its kind.
inline constexpr std::size_t kForeignHead = 4096;

// What the caller wants to read, which decides the advice.
// A config and other texts may be written as JSON is.
enum class WantedFile { kWeights, kOnnx, kConfig, kText, kOther };

// What a file is whose content begins with `head`, as a part of a message, with what to do: `it is
// a Git LFS pointer and not the file itself; run git lfs pull`. Empty where the kind is not known.
// `name` is the file's; advice that writes another file derives a name from it.
std::string foreign_file(std::span<const std::byte> head, const std::string& name,
                         WantedFile wanted = WantedFile::kOther);
// The same of the file at a path; empty where it cannot be read.
std::string foreign_file(const std::string& path, WantedFile wanted = WantedFile::kOther);

}  // namespace saccade
