// Dates as people write them, and the digits that they stand for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/base/real.h"

namespace saccade {

inline constexpr Index kDateDigits = 8;       // year, month, day: 1 9 9 8 0 5 0 3
inline constexpr Index kMostDateTokens = 10;  // wednesday the twenty first of may two thousand ...

// A token of a date, and for which of the digits it is read.
struct DateToken {
  std::string text;
  std::uint8_t digits = 0;  // bit k is set for digit k
};

struct WrittenDate {
  std::vector<DateToken> tokens;    // at most kMostDateTokens
  std::vector<std::string> digits;  // kDateDigits
};

struct CalendarDate {
  int year = 1900, month = 1, day = 1;  // of the years 1900 to 2099; month and day from 1
};

inline constexpr int kDateForms = 6;

// A date in one of the forms, from 0 on:
//   3 may 1998;  may 3 , 1998;  3 / 5 / 1998;  sunday , 3 may 1998;
//   the third of may , nineteen ninety eight;  sunday the third of may nineteen ninety eight
// Every digit of a number is a token.
WrittenDate write_date(const CalendarDate& date, int form);

// All tokens that dates are written with, in byte order.
std::vector<std::string> date_words();

// Any date in any form, all equally likely.
WrittenDate draw_date(Random& random);

}  // namespace saccade
