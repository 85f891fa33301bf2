#include "captioning/data/sequences/written_dates.h"

#include <array>
#include <chrono>
#include <set>

#include "core/base/error.h"

namespace saccade {

namespace {

constexpr std::array<const char*, 20> kNumbers = {
    "oh",       "one",     "two",     "three",     "four",     "five",    "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<const char*, 20> kOrdinals = {
    "",           "first",     "second",    "third",       "fourth",     "fifth",     "sixth",
    "seventh",    "eighth",    "ninth",     "tenth",       "eleventh",   "twelfth",   "thirteenth",
    "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"};
constexpr std::array<const char*, 10> kTens = {"",      "",      "twenty",  "thirty", "forty",
                                               "fifty", "sixty", "seventy", "eighty", "ninety"};
constexpr std::array<const char*, 12> kMonths = {"january",   "february", "march",    "april",
                                                 "may",       "june",     "july",     "august",
                                                 "september", "october",  "november", "december"};
constexpr std::array<const char*, 7> kWeekdays = {"sunday",   "monday", "tuesday", "wednesday",
                                                  "thursday", "friday", "saturday"};

// The digits that a token is read for: those of the year, the month and the day.
constexpr std::uint8_t kYear1 = 1, kYear2 = 2, kYear3 = 4, kYear4 = 8, kMonth1 = 16, kMonth2 = 32,
                       kDay1 = 64, kDay2 = 128;
constexpr int kFirstYear = 1900, kYears = 200;

// The place of its day in kWeekdays.
int weekday_of(const CalendarDate& date) {
  using namespace std::chrono;
  const sys_days day =
      year(date.year) / month(static_cast<unsigned>(date.month)) / static_cast<int>(date.day);
  return static_cast<int>(weekday(day).c_encoding());
}

// Writes a date token by token.
class Writer {
 public:
  void word(const char* text, int digits = 0) {
    tokens.push_back({.text = text, .digits = static_cast<std::uint8_t>(digits)});
  }
  // A number below 100 in digits, without a 0 in front. `first` and `second` are its digits in a
  // date, of which a single one stands for both.
  void number(int value, int first, int second) {
    if (value >= 10) digit(value / 10, first);
    digit(value % 10, value >= 10 ? second : first | second);
  }
  void year(int value) {
    digit(value / 1000, kYear1);
    digit(value / 100 % 10, kYear2);
    digit(value / 10 % 10, kYear3);
    digit(value % 10, kYear4);
  }
  void ordinal(int day) {
    const auto unit = static_cast<std::size_t>(day % 10);
    if (day < 20) return word(kOrdinals[static_cast<std::size_t>(day)], kDay1 | kDay2);
    if (unit == 0) return word(day == 20 ? "twentieth" : "thirtieth", kDay1 | kDay2);
    word(kTens[static_cast<std::size_t>(day / 10)], kDay1);
    word(kOrdinals[unit], kDay2);
  }
  void year_in_words(int value) {
    if (value >= 2000 && value < 2010) {
      word("two", kYear1);
      word("thousand", value == 2000 ? kYear2 | kYear3 | kYear4 : kYear2 | kYear3);
      if (value == 2000) return;
      word("and");
      return word(kNumbers[static_cast<std::size_t>(value % 10)], kYear4);
    }
    word(value < 2000 ? "nineteen" : "twenty", kYear1 | kYear2);
    const int rest = value % 100;
    const auto unit = static_cast<std::size_t>(rest % 10);
    if (rest == 0) return word("hundred", kYear3 | kYear4);
    if (rest < 10) word(kNumbers[0], kYear3);
    if (rest >= 10 && rest < 20)
      return word(kNumbers[static_cast<std::size_t>(rest)], kYear3 | kYear4);
    if (rest >= 20)
      word(kTens[static_cast<std::size_t>(rest / 10)], unit == 0 ? kYear3 | kYear4 : kYear3);
    if (unit != 0) word(kNumbers[unit], kYear4);
  }
  void month(int value) { word(kMonths[static_cast<std::size_t>(value - 1)], kMonth1 | kMonth2); }
  void weekday(int value) { word(kWeekdays[static_cast<std::size_t>(value)]); }

  std::vector<DateToken> tokens;

 private:
  void digit(int value, int digits) { word(std::to_string(value).c_str(), digits); }
};

std::vector<DateToken> written(const CalendarDate& date, int form) {
  Writer out;
  switch (form) {
    case 0:
      out.number(date.day, kDay1, kDay2);
      out.month(date.month);
      out.year(date.year);
      break;
    case 1:
      out.month(date.month);
      out.number(date.day, kDay1, kDay2);
      out.word(",");
      out.year(date.year);
      break;
    case 2:
      out.number(date.day, kDay1, kDay2);
      out.word("/");
      out.number(date.month, kMonth1, kMonth2);
      out.word("/");
      out.year(date.year);
      break;
    case 3:
      out.weekday(weekday_of(date));
      out.word(",");
      out.number(date.day, kDay1, kDay2);
      out.month(date.month);
      out.year(date.year);
      break;
    default:
      if (form == 5) out.weekday(weekday_of(date));
      out.word("the");
      out.ordinal(date.day);
      out.word("of");
      out.month(date.month);
      if (form == 4) out.word(",");
      out.year_in_words(date.year);
  }
  return std::move(out.tokens);
}

}  // namespace

WrittenDate write_date(const CalendarDate& date, int form) {
  SACCADE_CHECK(form >= 0 && form < kDateForms, "[date] form ", form, " of ", kDateForms);
  WrittenDate out{.tokens = written(date, form), .digits = {}};
  SACCADE_ASSERT(static_cast<Index>(out.tokens.size()) <= kMostDateTokens, "a date of ",
                 out.tokens.size(), " tokens");
  const int number = date.year * 10000 + date.month * 100 + date.day;
  for (const char digit : std::to_string(number)) out.digits.emplace_back(1, digit);
  return out;
}

std::vector<std::string> date_words() {
  std::set<std::string> words{",",         "/",         "the",     "of",      "and",
                              "twentieth", "thirtieth", "hundred", "thousand"};
  const auto add = [&](const auto& list) { words.insert(list.begin(), list.end()); };
  add(kNumbers), add(kOrdinals), add(kTens), add(kMonths), add(kWeekdays);
  words.erase("");
  for (char digit = '0'; digit <= '9'; ++digit) words.emplace(1, digit);
  return {words.begin(), words.end()};
}

WrittenDate draw_date(Random& random) {
  using namespace std::chrono;
  const sys_days first = year(kFirstYear) / January / 1,
                 end = year(kFirstYear + kYears) / January / 1;
  const auto count = static_cast<std::uint64_t>((end - first).count());
  const year_month_day date(first + days(static_cast<int>(random.below(count))));
  return write_date({.year = static_cast<int>(date.year()),
                     .month = static_cast<int>(static_cast<unsigned>(date.month())),
                     .day = static_cast<int>(static_cast<unsigned>(date.day()))},
                    static_cast<int>(random.below(kDateForms)));
}

}  // namespace saccade
