// Every byte of small files is damaged, and the file is cut at every place: what reads it refuses
// it with an error for people, or reads the same as before. Nothing is read differently.
#include <algorithm>
#include <array>
#include <iostream>
#include <map>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/io/archive_safetensors.h"
#include "core/io/checkpoint.h"
#include "core/io/row_store.h"
#include "core/io/safetensors.h"
#include "tests/campaign/readers.h"

namespace saccade::campaign {

namespace fs = std::filesystem;

namespace {

struct SmallFile {
  std::string name;
  std::function<Bytes()> make;
  // Reads a damaged file, and returns whether it is as it was.
  std::function<bool(Input)> same;
  // What an error has to be.
  ExitCode code = ExitCode::kData;
  // So many bytes at its end are never read.
  std::size_t unread = 0;
};

const fs::path kOld = fs::path(SACCADE_SOURCE) / "tests/campaign/old";

Archive archive() {
  Archive out;
  out.add_uint64("content_version", 1);
  out.add_string("config", "name: x\n");
  out.add_string("encoder_graph", "some steps");
  out.add_strings("vocabulary", {"<pad>", "a", "dog"});
  out.add_int64s("frozen_grid", {3}, {7, 7, 8});
  out.add_floats("parameters/decoder.w", {2, 3}, {0, 1, -2, 0.5F, 1e-30F, 7});
  out.add_doubles("optimizer/rate", {2}, {0.1, 0.2});
  const std::vector<float> halves{1, 2, 3, 4};
  out.add_halves("parameters/half", {4}, halves);
  return out;
}

bool same_archive(const fs::path& whole, Input bytes) {
  static std::map<fs::path, Archive> known;
  if (!known.contains(whole)) known.emplace(whole, load_archive(whole));
  return same_entries(load_archive(scratch_file("flipped.h5", bytes)), known.at(whole));
}

// A checkpoint of tests/campaign/old.
SmallFile old_checkpoint(const std::string& name) {
  const fs::path file = kOld / name;
  return {.name = name,
          .make = [file] { return bytes_of_file(file); },
          .same = [file](Input bytes) { return same_archive(file, bytes); },
          .code = ExitCode::kCheckpoint};
}

std::string rows_of(const fs::path& file) {
  const RowStore store(file, "key");
  Digest digest;
  std::vector<float> row(static_cast<std::size_t>(store.format().width()));
  for (const std::string& id : store.ids()) {
    digest.add(id);
    if (!store.contains(id)) continue;
    store.read(id, row);
    digest.add({reinterpret_cast<const char*>(row.data()), row.size() * sizeof row[0]});
  }
  return digest.hex();
}

std::vector<SmallFile> small_files() {
  return {{.name = "checkpoint",
           .make =
               [] {
                 return written_bytes("whole.h5",
                                      [](const fs::path& f) { save_archive(f, archive()); });
               },
           .same =
               [](Input bytes) {
                 return same_entries(load_archive(scratch_file("flipped.h5", bytes)), archive());
               },
           .code = ExitCode::kCheckpoint},
          {.name = "safetensors",
           .make =
               [] {
                 return written_bytes("whole.safetensors",
                                      [](const fs::path& f) { export_archive(archive(), f); });
               },
           .same =
               [](Input bytes) {
                 const SafetensorsFile file(scratch_file("flipped.safetensors", bytes));
                 return same_entries(import_archive(file), archive());
               }},
          {.name = "cache",
           .make = [] { return cached_rows(false); },
           .same =
               [](Input bytes) {
                 static const std::string whole =
                     rows_of(scratch_file("whole.rows", cached_rows(false)));
                 return rows_of(scratch_file("flipped.rows", bytes)) == whole;
               },
           .unread = 24}};  // the place of the row that was left out, of 6 floats
}

// What is wrong with how a damaged file is read; "" for nothing.
std::string trouble_of(const SmallFile& small, Input bytes, bool& refused) {
  refused = false;
  try {
    return small.same(bytes) ? "" : "it is read as something else";
  } catch (const Error& error) {
    refused = true;
    const std::string text = error.what();
    if (text.empty() || text.find('\n') != text.npos) return "its error is not one line";
    return error.code() == small.code
               ? ""
               : str("exit code ", static_cast<int>(error.code()), ": ", text);
  } catch (const std::exception& error) {
    return str("an exception that is no error for people: ", error.what());
  }
}

}  // namespace

int flips(const std::vector<std::string>& names, std::size_t every) {
  std::vector<SmallFile> all = small_files();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(kOld, error))
    if (entry.path().extension() == ".h5") all.push_back(old_checkpoint(entry.path().filename()));
  bool failed = false;
  for (const SmallFile& small : all) {
    if (!names.empty() && std::find(names.begin(), names.end(), small.name) == names.end())
      continue;
    const Bytes whole = small.make();
    // Large files are sampled where no number is given.
    const std::size_t step = every > 0 ? every : 1 + whole.size() / 4096;
    std::size_t inputs = 0, without_effect = 0;
    const auto judge = [&](Input bytes, const std::string& what, bool may_be_same) {
      ++inputs;
      bool refused = false;
      std::string trouble = trouble_of(small, bytes, refused);
      if (trouble.empty() && refused == may_be_same)
        trouble = refused ? "bytes that are never read count" : "it is read all the same";
      without_effect += refused ? 0 : 1;
      if (trouble.empty()) return;
      failed = true;
      std::cerr << small.name << ": " << what << ": " << trouble << "\n";
    };
    judge(whole, "as it is", true);
    for (std::size_t at = 0; at < whole.size(); at += step) {
      Bytes damaged = whole;
      for (const std::uint8_t with : std::array<std::uint8_t, 3>{0x01, 0x80, 0xff}) {
        damaged[at] = static_cast<std::uint8_t>(whole[at] ^ with);
        judge(damaged, str("byte ", at, " xor ", int{with}), at + small.unread >= whole.size());
      }
      judge(Input(whole).first(at), str("cut to ", at, " bytes"), false);
    }
    Bytes longer = whole;
    longer.push_back(0);
    judge(longer, "one byte longer", false);
    std::cout << "flips " << small.name << " " << inputs << " inputs of " << whole.size()
              << " bytes, " << without_effect - 1 << " without effect\n";
  }
  return failed ? 1 : 0;
}

}  // namespace saccade::campaign
