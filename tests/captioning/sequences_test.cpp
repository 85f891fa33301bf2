// The built-in tasks on texts: what a text should be turned into, where each word comes from, and
// that the splits share no result.
#include "captioning/data/load_data.h"
#include "captioning/data/sequences/source_picture.h"
#include "captioning/data/sequences/written_dates.h"
#include "captioning/scoring/words/tokenizer.h"
#include "tests/support/catch.h"

namespace saccade::test::sequences_test {
namespace {

using Catch::Matchers::Contains;
using Words = std::vector<std::string>;

SequencesConfig small(SequenceTask task) {
  return {.task = task, .train = 200, .val = 30, .test = 30, .symbols = 6, .longest = 7};
}

Words result_of(const SequencesDataset& data, std::size_t i) {
  return split_words(data.dataset.images[i].captions.at(0));
}

TEST_CASE("the letters of a text are repeated, turned round or sorted") {
  for (const SequenceTask task :
       {SequenceTask::kCopy, SequenceTask::kReverse, SequenceTask::kSort}) {
    INFO(enum_name(task));
    const SequencesDataset data = sequences_dataset(small(task));
    REQUIRE(data.texts.size() == 260);
    std::set<std::size_t> lengths;
    for (std::size_t i = 0; i < data.texts.size(); ++i) {
      const SourceText& text = data.texts[i];
      Words expected = text.tokens;
      if (task == SequenceTask::kReverse) std::reverse(expected.begin(), expected.end());
      if (task == SequenceTask::kSort) std::sort(expected.begin(), expected.end());
      const Words words = result_of(data, i);
      CHECK(words == expected);
      lengths.insert(words.size());
      REQUIRE(text.origins.size() == words.size());
      for (std::size_t t = 0; t < words.size(); ++t) {
        REQUIRE(!text.origins[t].empty());
        for (const Index place : text.origins[t])
          CHECK(text.tokens.at(static_cast<std::size_t>(place)) == words[t]);
        if (task == SequenceTask::kSort) continue;
        const std::size_t place = task == SequenceTask::kCopy ? t : words.size() - 1 - t;
        CHECK(text.origins[t] == std::vector<Index>{static_cast<Index>(place)});
      }
    }
    CHECK(lengths == std::set<std::size_t>{3, 4, 5, 6, 7});
  }
}

TEST_CASE("a date in any form is turned into its digits, each from the tokens that say it") {
  Random random({5, Stream::kTest, 0, 0});
  std::set<std::string> texts;
  std::map<std::string, std::string> months;  // by their digits
  for (int k = 0; k < 4000; ++k) {
    const WrittenDate date = draw_date(random);
    Words tokens;
    unsigned said = 0;
    for (const DateToken& token : date.tokens) {
      tokens.push_back(token.text);
      said |= token.digits;
      if (token.text.size() > 1 || token.text < "0" || token.text > "9") continue;
      // A digit says what it is, or a 0 stands in front of it.
      for (int digit = 0; digit < kDateDigits; ++digit)
        if ((token.digits >> digit & 1) != 0) {
          const std::string& own = date.digits.at(static_cast<std::size_t>(digit));
          CHECK((own == token.text || own == "0"));
        }
    }
    CHECK(said == 255);
    REQUIRE(date.digits.size() == kDateDigits);
    CHECK(static_cast<Index>(tokens.size()) <= kMostDateTokens);
    CHECK((date.digits[0] + date.digits[1] == "19" || date.digits[0] + date.digits[1] == "20"));
    const std::string month = date.digits[4] + date.digits[5];
    CHECK((month >= "01" && month <= "12"));
    for (const DateToken& token : date.tokens)
      if (token.digits == 48 && token.text.size() > 2) {
        const std::string& known = months.emplace(month, token.text).first->second;
        CHECK(known == token.text);
      }
    // What a person would write is read as the same tokens.
    CHECK(source_tokens(join_words(tokens)) == tokens);
    texts.insert(join_words(tokens));
  }
  CHECK(months.size() == 12);
  CHECK(months.at("05") == "may");
  CHECK(texts.size() > 3900);
}

TEST_CASE("the words of dates are those that some date is written with") {
  std::set<std::string> used;
  for (int form = 0; form < kDateForms; ++form)
    for (int year = 1900; year < 2100; ++year)
      for (int day = 1; day <= 31; ++day) {
        const int month = 1 + 2 * (day % 4);  // 1, 3, 5, 7: with 31 days
        for (const CalendarDate& date :
             {CalendarDate{year, month, day}, CalendarDate{year, 1 + year % 12, 1 + day % 28}})
          for (const DateToken& token : write_date(date, form).tokens) used.insert(token.text);
      }
  const Words words = date_words();
  CHECK(Words(used.begin(), used.end()) == words);
}

TEST_CASE("dates are written as people write them") {
  const auto text = [](const CalendarDate& date, int form) {
    std::string out;
    for (const DateToken& token : write_date(date, form).tokens)
      out += (out.empty() ? "" : " ") + token.text;
    return out;
  };
  const CalendarDate may{.year = 1998, .month = 5, .day = 3};
  CHECK(text(may, 0) == "3 may 1 9 9 8");
  CHECK(text(may, 1) == "may 3 , 1 9 9 8");
  CHECK(text(may, 2) == "3 / 5 / 1 9 9 8");
  CHECK(text(may, 3) == "sunday , 3 may 1 9 9 8");
  CHECK(text(may, 4) == "the third of may , nineteen ninety eight");
  CHECK(text(may, 5) == "sunday the third of may nineteen ninety eight");
  CHECK_THROWS_AS(text(may, kDateForms), ShapeError);
  CHECK(write_date(may, 0).digits == Words{"1", "9", "9", "8", "0", "5", "0", "3"});
  CHECK(text({2000, 2, 29}, 5) == "tuesday the twenty ninth of february two thousand");
  CHECK(text({2009, 1, 1}, 5) == "thursday the first of january two thousand and nine");
  CHECK(text({1905, 9, 30}, 5) == "saturday the thirtieth of september nineteen oh five");
  CHECK(text({1900, 12, 31}, 5) == "monday the thirty first of december nineteen hundred");
  CHECK(text({2017, 11, 20}, 5) == "monday the twentieth of november twenty seventeen");
  CHECK(text({2040, 10, 12}, 5) == "friday the twelfth of october twenty forty");
  CHECK(text({2040, 10, 12}, 2) == "1 2 / 1 0 / 2 0 4 0");
}

TEST_CASE("no result of validation or test occurs in training, and more texts change no text") {
  for (const auto& task : enum_table(SequenceTask{})) {
    INFO(task.name);
    SequencesConfig config = small(task.value);
    const SequencesDataset data = sequences_dataset(config);
    std::map<std::string, std::set<Split>> splits;
    for (const CaptionedImage& image : data.dataset.images)
      splits[image.captions.at(0)].insert(image.split);
    for (const auto& [result, of] : splits) CHECK(of.size() == 1);
    CHECK(sequences_dataset(config).dataset.digest == data.dataset.digest);
    CHECK(std::is_sorted(data.words.begin(), data.words.end()));
    for (const SourceText& text : data.texts)
      for (const std::string& token : text.tokens)
        CHECK(std::binary_search(data.words.begin(), data.words.end(), token));
    config.train = 300;
    const SequencesDataset more = sequences_dataset(config);
    CHECK(more.dataset.digest != data.dataset.digest);
    for (std::size_t i = 0; i < 200; ++i) CHECK(more.texts[i].tokens == data.texts[i].tokens);
    for (std::size_t i = 200; i < 260; ++i)
      CHECK(more.texts[100 + i].tokens == data.texts[i].tokens);
    config.seed = 2;
    CHECK(sequences_dataset(config).texts[0].tokens != more.texts[0].tokens);
  }
}

TEST_CASE("test texts may be longer than those of training") {
  SequencesConfig config = small(SequenceTask::kCopy);
  config.longest_test = 12;
  std::map<Split, std::size_t> longest;
  const SequencesDataset data = sequences_dataset(config);
  for (std::size_t i = 0; i < data.texts.size(); ++i) {
    std::size_t& most = longest[data.dataset.images[i].split];
    most = std::max(most, data.texts[i].tokens.size());
  }
  CHECK(longest.at(Split::kTrain) == 7);
  CHECK(longest.at(Split::kVal) == 7);
  CHECK(longest.at(Split::kTest) > 9);
  CHECK(config.most_tokens() == 12);
}

TEST_CASE("texts that cannot be drawn are refused") {
  SequencesConfig config = small(SequenceTask::kCopy);
  config.symbols = 2, config.shortest = 1, config.longest = 1;
  CHECK_THROWS_WITH(sequences_dataset(config), Contains("too few different texts"));
  config = small(SequenceTask::kCopy);
  config.shortest = 8;
  CHECK_THROWS_WITH(sequences_dataset(config), Contains("data.sequences.shortest is 8"));
}

TEST_CASE("a text has a picture on which its tokens stand in the first cells of the grid") {
  const Words tokens = {"wednesday", ",", "may", "3"};
  const Image picture = draw_source(tokens);
  const ImageSize size = source_size(tokens);
  CHECK(picture.height == size.height);
  CHECK(picture.width == size.width);
  const Geometry geometry = source_geometry(tokens, 10);
  CHECK(geometry.original_width == size.width);
  std::vector<std::uint8_t> mask;
  add_mask(picture_area(geometry), {.rows = 1, .cols = 10}, mask);
  CHECK(mask == std::vector<std::uint8_t>{1, 1, 1, 1, 0, 0, 0, 0, 0, 0});
  const Rect third = cell_box(geometry, {.rows = 1, .cols = 10}, 2);
  CHECK(third.x == Approx(static_cast<double>(size.width) / 2));
  CHECK(third.right() == Approx(static_cast<double>(size.width) * 3 / 4));
  // Every cell has something written in it.
  const Index cell = picture.width / 4;
  for (Index c = 0; c < 4; ++c) {
    Index dark = 0;
    for (Index y = 0; y < picture.height; ++y)
      for (Index x = c * cell + 1; x < (c + 1) * cell; ++x)
        dark += picture.rgb[static_cast<std::size_t>((y * picture.width + x) * 3)] < 128;
    CHECK(dark > 0);
  }
  CHECK_THROWS_AS(source_geometry(tokens, 3), ShapeError);
}

TEST_CASE("what a person writes becomes tokens") {
  CHECK(source_tokens("Sunday, the Third of May 1998") ==
        Words{"sunday", ",", "the", "third", "of", "may", "1", "9", "9", "8"});
  CHECK(source_tokens("  3/12/2001 ") == Words{"3", "/", "1", "2", "/", "2", "0", "0", "1"});
  CHECK(source_tokens("twenty-first") == Words{"twenty", "first"});
  CHECK(source_tokens(" - ").empty());
}

TEST_CASE("a data set of texts is loaded as others are") {
  DataConfig config;
  config.type = DataKind::kSequences;
  config.sequences = small(SequenceTask::kReverse);
  config.limit_train = 50;
  const LoadedData data = load_data(config);
  CHECK(data.is_drawn());
  CHECK(images_of(data.dataset, Split::kTrain).size() == 50);
  CHECK(data.default_split() == Split::kTest);
  CHECK(data.text(0)->tokens.size() >= 3);
  CHECK(data.source_words() == Words{"a", "b", "c", "d", "e", "f"});
  CHECK(data.image(0).width == data.image_size(0).width);
}

}  // namespace
}  // namespace saccade::test::sequences_test
