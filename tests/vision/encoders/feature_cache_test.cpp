// The feature cache returns what the encoder computed, encodes nothing twice, and notices all
// damage.
#include "vision/encoders/feature_cache.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "core/parallel/parallel.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/vision/pictures.h"

namespace saccade {
namespace {

// An encoder that computes the mean colours of the cells of a 2 x 3 grid and counts its images.
class MeanColour : public FrozenEncoder {
 public:
  explicit MeanColour(std::string digest = "mean") : digest_(std::move(digest)) {}
  GridShape grid() const override { return {{2, 3}, 3}; }
  PrepareOptions preparation() const override { return {.height = 2, .width = 3}; }
  void encode(const Image& image, const PictureArea&, std::span<float> out) const override {
    ++calls;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(image.rgb[i]) / 7;
  }
  ReceptiveField receptive_field() const override { return {}; }
  std::string digest() const override { return digest_; }
  StoredNetwork stored() const override { return {}; }
  mutable std::atomic<int> calls = 0;

 private:
  std::string digest_;
};

std::vector<std::string> names(Index count) {
  std::vector<std::string> ids;
  for (Index i = 0; i < count; ++i) ids.push_back(str("photo", i, ".jpg"));
  return ids;
}

Image load(Index i) { return test_picture(20, 30, static_cast<std::uint64_t>(i)); }

// Returns how many rows of the cache differ from the encoder's output by more than a relative
// tolerance.
int wrong_rows(const FeatureCache& cache, float tolerance) {
  const MeanColour encoder;
  std::vector<float> want(18), got(18);
  int wrong = 0;
  for (Index i = 0; i < cache.size(); ++i) {
    if (!cache.has(i)) continue;
    encoder.encode(prepare(load(i), encoder.preparation()).image, {}, want);
    cache.read(i, got);
    for (std::size_t k = 0; k < want.size(); ++k)
      if (!(std::abs(got[k] - want[k]) <= tolerance * std::abs(want[k]))) {
        ++wrong;
        break;
      }
  }
  return wrong;
}

TEST_CASE("features are computed once and read back, in 32 and in 16 bits") {
  const test::TempFolder folder("cache-test");
  const MeanColour encoder;
  Index last = 0, total = 0, calls = 0;
  const FeatureCacheOptions exact{
      .dataset = "test", .half = false, .progress = [&](Index done, Index of) {
        ++calls;
        last = done;
        total = of;
      }};
  {
    const auto cache =
        FeatureCache::open_or_fill(folder / "cache", encoder, names(40), load, exact);
    CHECK(cache.encoded() == 40);
    CHECK(calls == 40);
    CHECK(last == 40);
    CHECK(total == 40);
    CHECK(wrong_rows(cache, 0) == 0);
    CHECK(cache.grid() == encoder.grid());
  }
  const auto again = FeatureCache::open_or_fill(folder / "cache", encoder, names(40), load, exact);
  CHECK(again.encoded() == 0);
  CHECK(encoder.calls == 40);
  const auto more = FeatureCache::open_or_fill(folder / "cache", encoder, names(50), load, exact);
  CHECK(more.encoded() == 10);
  CHECK(wrong_rows(more, 0) == 0);
  CHECK(more.path() == again.path());

  const auto half =
      FeatureCache::open_or_fill(folder / "cache", encoder, names(40), load, {.dataset = "test"});
  CHECK(half.path() != more.path());
  CHECK(wrong_rows(half, 0) > 0);
  CHECK(wrong_rows(half, 1e-3f) == 0);
  const MeanColour other("other weights");
  const auto fresh = FeatureCache::open_or_fill(folder / "cache", other, names(3), load, exact);
  CHECK(fresh.encoded() == 3);
  CHECK(fresh.path() != more.path());
  const auto twice = FeatureCache::open_or_fill(folder / "cache", other,
                                                {"photo1.jpg", "photo1.jpg"}, load, exact);
  CHECK(twice.size() == 2);
  CHECK(twice.encoded() == 0);
}

TEST_CASE(
    "images that cannot be read are an error, or left out and reported, and encoded once they are "
    "mended") {
  const test::TempFolder folder("cache-bad");
  const MeanColour encoder;
  std::set<Index> broken{3, 8};
  const auto load_some = [&](Index i) {
    if (broken.contains(i)) throw DataError(str("photo", i, ".jpg: is cut short"));
    return load(i);
  };
  CHECK_THROWS_WITH(FeatureCache::open_or_fill(folder.path(), encoder, names(12), load_some, {}),
                    Catch::Contains("cut short"));
  std::vector<Index> reported;
  const FeatureCacheOptions skip{
      .on_bad_image = [&](Index i, const DataError&) { reported.push_back(i); }};
  {
    const auto cache =
        FeatureCache::open_or_fill(folder.path(), encoder, names(12), load_some, skip);
    CHECK(reported == std::vector<Index>{3, 8});
    CHECK(encoder.calls == 10);  // the grids of the failed attempt were kept
    CHECK(wrong_rows(cache, 1e-3f) == 0);
    CHECK(cache.has(2));
    CHECK_FALSE(cache.has(3));
    std::vector<float> out(18);
    CHECK_THROWS_AS(cache.read(3, out), DataError);
  }
  reported.clear();
  const auto reopened =
      FeatureCache::open_or_fill(folder.path(), encoder, names(12), load_some, skip);
  CHECK(reported == std::vector<Index>{3, 8});
  CHECK(reopened.encoded() == 0);
  CHECK_THROWS_AS(FeatureCache::open_or_fill(folder.path(), encoder, names(12), load_some, {}),
                  DataError);
  broken = {8};
  reported.clear();
  const auto mended =
      FeatureCache::open_or_fill(folder.path(), encoder, names(12), load_some, skip);
  CHECK(mended.encoded() == 1);
  CHECK(reported == std::vector<Index>{8});
  CHECK(mended.has(3));
  CHECK(wrong_rows(mended, 1e-3f) == 0);
}

TEST_CASE("filling a cache continues where it was interrupted") {
  const test::TempFolder folder("cache-stop");
  const MeanColour encoder;
  const FeatureCacheOptions stop{.progress = [](Index done, Index) {
    if (done == 7) throw IoError("stopped");
  }};
  // A second thread could encode all images before the first one is stopped.
  const int threads = parallel::threads();
  parallel::set_threads(1);
  CHECK_THROWS_AS(FeatureCache::open_or_fill(folder.path(), encoder, names(30), load, stop),
                  IoError);
  parallel::set_threads(threads);
  const int before = encoder.calls;
  CHECK(before < 30);
  const auto cache = FeatureCache::open_or_fill(folder.path(), encoder, names(30), load, {});
  CHECK(cache.encoded() == 30 - before);
  CHECK(wrong_rows(cache, 1e-3f) == 0);
}

TEST_CASE("damage to a cache is detected: of a row by its digest, of a cut file by its layout") {
  const test::TempFolder folder("cache-damage");
  const MeanColour encoder;
  const FeatureCacheOptions exact{.half = false};
  const auto open = [&] {
    return FeatureCache::open_or_fill(folder.path(), encoder, names(20), load, exact);
  };
  const auto path = open().path();
  // Finds the bytes of row 11 by its numbers.
  std::vector<float> row(18);
  open().read(11, row);
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::string wanted(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(float));
  const std::size_t at = bytes.find(wanted);
  REQUIRE(at != std::string::npos);
  bytes[at + 20] = static_cast<char>(bytes[at + 20] ^ 1);
  const auto save = [&](const std::string& content) {
    write_bytes(path, {reinterpret_cast<const std::uint8_t*>(content.data()), content.size()});
  };
  save(bytes);
  {
    const auto cache = open();
    std::vector<float> out(18);
    CHECK_NOTHROW(cache.read(10, out));
    CHECK_THROWS_AS(cache.read(11, out), DataError);
    CHECK_THROWS_WITH(cache.read(11, out), Catch::Contains(path.string()));
  }
  save(bytes.substr(0, bytes.size() / 2));
  const auto refilled = open();
  CHECK(refilled.encoded() == 20);
  CHECK(wrong_rows(refilled, 0) == 0);
}

TEST_CASE("the first image that cannot be read is reported, whatever the number of threads") {
  const MeanColour encoder;
  const int before = parallel::threads();
  for (const int threads : {1, 2, 4, 8})
    for (const Index first : {0, 3, 17}) {
      INFO(threads << " threads");
      const test::TempFolder folder("cache-first");
      parallel::set_threads(threads);
      const auto load_some = [&](Index i) {
        if (i == first) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (i == first || i == first + 1 || i >= 20) throw DataError(str("photo", i, " is cut"));
        return load(i);
      };
      CHECK_THROWS_WITH(
          FeatureCache::open_or_fill(folder.path(), encoder, names(40), load_some, {}),
          str("photo", first, " is cut"));
    }
  parallel::set_threads(before);
}

TEST_CASE(
    "what the features take on disk is said before they are computed, and not once they are") {
  const test::TempFolder folder("cache-size");
  const MeanColour encoder;
  std::vector<std::string> lines;
  const FeatureCacheOptions options{.listener = [&](Severity, const std::string& text) {
    CHECK(encoder.calls == 0);
    lines.push_back(text);
  }};
  for (int i = 0; i < 2; ++i)
    FeatureCache::open_or_fill(folder.path(), encoder, names(30), load, options);
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::Contains("features of 30 images take 0.1 MB of ") &&
                           Catch::Contains(" that are free"));
}

TEST_CASE("files of the form before are named, and stay where they are") {
  for (const char* ending : {".h5", ".h5.part"}) {
    const test::TempFolder folder("cache-former");
    const MeanColour encoder;
    std::vector<std::string> lines;
    const FeatureCacheOptions options{
        .listener = [&](Severity, const std::string& text) { lines.push_back(text); }};
    const auto path = FeatureCache::open_or_fill(folder.path(), encoder, names(3), load, {}).path();
    const std::string former = path.stem().string() + ending;
    std::filesystem::remove(path);
    folder.write(former, "features of a year");
    for (const Index encoded : {3, 0})
      CHECK(FeatureCache::open_or_fill(folder.path(), encoder, names(3), load, options).encoded() ==
            encoded);
    REQUIRE(lines.size() == 2);  // the other one says what the features will take
    CHECK_THAT(lines[0], Catch::StartsWith((folder / former).string() + ": ") &&
                             Catch::EndsWith("; they are computed again, so delete the file"));
    CHECK(test::TempFolder::read(folder / former) == "features of a year");
  }
}

TEST_CASE("the id of a file is its name and its content, and nothing else") {
  const test::TempFolder folder("cache-id");
  const auto id_of = [&](const std::string& content) {
    return file_id(folder.write("a.jpg", content), "a.jpg");
  };
  const std::string before = id_of("a photo");
  CHECK(before.starts_with("a.jpg#"));
  for (const char* other : {"a photp", "b photo", "a photo ", "", "a phot\n"})
    CHECK(id_of(other) != before);
  const auto time = std::filesystem::file_time_type::clock::now() - std::chrono::hours(9);
  CHECK(id_of("a photo") == before);
  std::filesystem::last_write_time(folder / "a.jpg", time);
  CHECK(file_id(folder / "a.jpg", "a.jpg") == before);
  CHECK(file_id(folder / "a.jpg", "b.jpg") != before);
  CHECK(file_id(folder / "none.jpg", "a.jpg") == "a.jpg#");
}

}  // namespace
}  // namespace saccade
