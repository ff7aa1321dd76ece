#include "record/number_format.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace staged {
namespace {

std::string Show(std::string_view code, double number, DateEpoch epoch = DateEpoch::k1900) {
  return NumberFormat(code, epoch).Format(number);
}

TEST(NumberFormat, General) {
  EXPECT_EQ(FormatGeneral(42), "42");
  EXPECT_EQ(FormatGeneral(-0.5), "-0.5");
  EXPECT_EQ(FormatGeneral(0), "0");
  EXPECT_EQ(FormatGeneral(0.1 + 0.2), "0.3");
  EXPECT_EQ(FormatGeneral(947.8653606090633), "947.8653606");
  EXPECT_EQ(FormatGeneral(12345678901.0), "12345678901");
  EXPECT_EQ(FormatGeneral(1234567890123.0), "1.23457E+12");
  EXPECT_EQ(FormatGeneral(1e300), "1E+300");
  EXPECT_EQ(FormatGeneral(0.00001234567), "1.23457E-05");
  EXPECT_EQ(FormatGeneral(0.0001), "0.0001");
  EXPECT_EQ(FormatGeneral(99999999999.9), "1E+11");
  EXPECT_EQ(Show("General", -7), "-7");
  EXPECT_EQ(Show("", 7), "7");
}

TEST(NumberFormat, FixedGroupedPercentAndScaled) {
  EXPECT_EQ(Show("0", 2.5), "3");
  EXPECT_EQ(Show("0.00", 1.005), "1.01");
  EXPECT_EQ(Show("0.00", 6.66), "6.66");
  EXPECT_EQ(Show("#,##0", 1234567), "1,234,567");
  EXPECT_EQ(Show("#,##0.00", -1234.5), "-1,234.50");
  EXPECT_EQ(Show("#,##0", 999.5), "1,000");
  EXPECT_EQ(Show("#,##0", 0), "0");
  EXPECT_EQ(Show("#.##", 0.5), ".5");
  EXPECT_EQ(Show("0.0#", 2), "2.0");
  EXPECT_EQ(Show("0%", 0.125), "13%");
  EXPECT_EQ(Show("0.00%", 0.125), "12.50%");
  EXPECT_EQ(Show("0.0,,\"M\"", 12345678), "12.3M");
  EXPECT_EQ(Show("00000", 42), "00042");
  EXPECT_EQ(Show("000-00-0000", 123456789), "123-45-6789");
  EXPECT_EQ(Show("0", -0.2), "0");
}

TEST(NumberFormat, SectionsLiteralsAndConditions) {
  EXPECT_EQ(Show("0;(0)", -3), "(3)");
  EXPECT_EQ(Show("0;(0);\"none\"", 0), "none");
  EXPECT_EQ(Show("_(\"$\"* #,##0.00_);_(\"$\"* \\(#,##0.00\\)", -1234), "$(1,234.00)");
  EXPECT_EQ(Show("[$\xE2\x82\xAC-407] #,##0.00", 5), "\xE2\x82\xAC 5.00");
  EXPECT_EQ(Show("[Red][>=100]\"big\" 0;[<0]\"minus\" 0;0", 150), "big 150");
  EXPECT_EQ(Show("[Red][>=100]\"big\" 0;[<0]\"minus\" 0;0", -5), "minus 5");
  EXPECT_EQ(Show("[Red][>=100]\"big\" 0;[<0]\"minus\" 0;0", 7), "7");
  EXPECT_EQ(Show("\"a;b\"0;-0", 1), "a;b1");
  EXPECT_EQ(Show("0 \"units\"", 3), "3 units");
  EXPECT_EQ(NumberFormat("0;0;0;\"<\"@\">\"", DateEpoch::k1900).FormatText("x"), "<x>");
  EXPECT_EQ(NumberFormat("@", DateEpoch::k1900).FormatText("x"), "x");
  EXPECT_EQ(NumberFormat("0.00", DateEpoch::k1900).FormatText("x"), "x");
}

TEST(NumberFormat, ScientificAndFractions) {
  EXPECT_EQ(Show("0.00E+00", 12345), "1.23E+04");
  EXPECT_EQ(Show("0.00E+00", 0.00012), "1.20E-04");
  EXPECT_EQ(Show("0.00E+00", 9.999), "1.00E+01");
  EXPECT_EQ(Show("0.00E+00", 0), "0.00E+00");
  EXPECT_EQ(Show("##0.0E+0", 12345), "12.3E+3");
  EXPECT_EQ(Show("# ?/?", 1.5), "1 1/2");
  EXPECT_EQ(Show("# ?\?/?\?", 3.14159), "3 14/99");
  EXPECT_EQ(Show("# ?/8", 0.25), "2/8");
  EXPECT_EQ(Show("# ?/?", 2), "2");
}

TEST(NumberFormat, DatesInBothEpochs) {
  EXPECT_EQ(Show("yyyy-mm-dd", 45376), "2024-03-25");
  EXPECT_EQ(Show("yyyy-mm-dd", 43914, DateEpoch::k1904), "2024-03-25");
  EXPECT_EQ(Show("mm-dd-yy", 45376), "3/25/2024");
  EXPECT_EQ(Show("d-mmm-yy", 45376), "25-Mar-24");
  EXPECT_EQ(Show("dddd, mmmm d", 45376), "Monday, March 25");
  EXPECT_EQ(Show("ddd", 43914, DateEpoch::k1904), "Mon");
  EXPECT_EQ(Show("yyyy\\-mm\\-dd", 1), "1900-01-01");
  EXPECT_EQ(Show("yyyy-mm-dd", 59), "1900-02-28");
  EXPECT_EQ(Show("yyyy-mm-dd", 60), "1900-02-29");
  EXPECT_EQ(Show("yyyy-mm-dd", 61), "1900-03-01");
  EXPECT_EQ(Show("yyyy-mm-dd", 0), "1900-01-00");
  EXPECT_EQ(Show("yyyy-mm-dd", 0, DateEpoch::k1904), "1904-01-01");
  EXPECT_EQ(Show("yyyy-mm-dd", 2958465), "9999-12-31");
  EXPECT_EQ(Show("yyyy-mm-dd", -1), "-1");
  EXPECT_EQ(Show("[$-409]d\\ mmm;@", 45376), "25 Mar");
}

TEST(NumberFormat, TimesMinutesAndDurations) {
  EXPECT_EQ(Show("h:mm AM/PM", 0.75), "6:00 PM");
  EXPECT_EQ(Show("h:mm AM/PM", 0), "12:00 AM");
  EXPECT_EQ(Show("hh:mm:ss", 0.5), "12:00:00");
  EXPECT_EQ(Show("mm:ss.0", 0.000015), "00:01.3");
  EXPECT_EQ(Show("[h]:mm:ss", 1.5), "36:00:00");
  EXPECT_EQ(Show("[mm]:ss", 0.0625), "90:00");
  EXPECT_EQ(Show("m/d/yy h:mm", 45376.25), "3/25/2024 6:00");
  EXPECT_EQ(Show("hh:mm:ss", 0.999999), "00:00:00");
}

TEST(NumberFormat, TellsDatesFromNumbers) {
  for (const char* code : {"yyyy", "h:mm", "[h]:mm", "d", "mm-dd-yy", "[$-F800]dddd"}) {
    EXPECT_TRUE(NumberFormat(code, DateEpoch::k1900).is_date()) << code;
  }
  for (const char* code : {"General", "0", "\"day\" 0", "[Red]0", "0.00E+00", "@", "\\d0", "_d0",
                           "[$USD] 0", "[Magenta]0"}) {
    EXPECT_FALSE(NumberFormat(code, DateEpoch::k1900).is_date()) << code;
  }
}

TEST(FormatGeneral, HundredthsAsPrintedWithTwoPlaces) {
  for (int64_t count = 1; count < 9'999'999'999; count += 1 + count / 7) {
    for (const int sign : {1, -1}) {
      char text[40];
      std::snprintf(text, sizeof(text), "%.2f", sign * static_cast<double>(count) / 100);
      std::string expected = text;
      while (expected.back() == '0') expected.pop_back();
      if (expected.back() == '.') expected.pop_back();
      EXPECT_EQ(FormatGeneral(sign * static_cast<double>(count) / 100), expected);
    }
  }
  EXPECT_EQ(FormatGeneral(0.1 + 0.2), "0.3");
  EXPECT_EQ(FormatGeneral(12345.678), "12345.678");
}

}  // namespace
}  // namespace staged
