#include "diff/kept_runs.h"

#include <charconv>
#include <utility>

namespace staged {
namespace {

bool IsDigit(char byte) { return byte >= '0' && byte <= '9'; }

// The next run of digits at or after `position`; empty at the end when there is none.
std::pair<size_t, size_t> NextNumber(std::string_view text, size_t position) {
  while (position < text.size() && !IsDigit(text[position])) ++position;
  size_t end = position;
  while (end < text.size() && IsDigit(text[end])) ++end;
  return {position, end};
}

// A number that printing gives back as it was: no leading zero, no overflow.
std::optional<int64_t> ReadNumber(std::string_view digits) {
  if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

// The one number shift from `before` to `after`, if there is one.
std::optional<NumberShift> FindShift(std::string_view before, std::string_view after) {
  if (before == after) return NumberShift{};
  size_t left = 0, right = 0;
  for (uint32_t number_index = 0;; ++number_index) {
    const auto [left_begin, left_end] = NextNumber(before, left);
    const auto [right_begin, right_end] = NextNumber(after, right);
    if (left_begin == left_end || right_begin == right_end ||
        before.substr(left, left_begin - left) != after.substr(right, right_begin - right)) {
      return std::nullopt;
    }
    const std::string_view left_digits = before.substr(left_begin, left_end - left_begin);
    const std::string_view right_digits = after.substr(right_begin, right_end - right_begin);
    if (left_digits != right_digits) {
      const auto left_number = ReadNumber(left_digits), right_number = ReadNumber(right_digits);
      if (!left_number || !right_number || before.substr(left_end) != after.substr(right_end)) {
        return std::nullopt;
      }
      return NumberShift{number_index, *right_number - *left_number};
    }
    left = left_end;
    right = right_end;
  }
}

Placement PlacementOf(const Record& record) {
  return {record.locator, record.parent, record.key, record.span};
}

bool SameShifts(const KeptRun& left, const KeptRun& right) {
  return left.span_begin_shift == right.span_begin_shift &&
         left.span_end_shift == right.span_end_shift && left.locator == right.locator &&
         left.parent == right.parent && left.key == right.key && !left.placements &&
         !right.placements;
}

}  // namespace

void KeptRunBuilder::Add(const Record& before, size_t before_index, const Record& after,
                         size_t after_index) {
  KeptRun run;
  run.before_index = before_index;
  run.after_index = after_index;
  run.count = 1;
  const auto locator = FindShift(before.locator, after.locator);
  const auto parent = FindShift(before.parent, after.parent);
  const auto key = FindShift(before.key, after.key);
  if (locator && parent && key && before.span.has_value() == after.span.has_value()) {
    run.locator = *locator;
    run.parent = *parent;
    run.key = *key;
    if (before.span) {
      run.span_begin_shift = static_cast<int64_t>(after.span->begin - before.span->begin);
      run.span_end_shift = static_cast<int64_t>(after.span->end - before.span->end);
    }
  } else {
    run.placements.emplace(PlacementOf(before), PlacementOf(after));
  }
  KeptRun* last = runs_.empty() ? nullptr : &runs_.back();
  if (last != nullptr && last->before_index + last->count == before_index &&
      last->after_index + last->count == after_index) {
    // A record without a span fits any shift of spans.
    if (!before.span && !run.placements) {
      run.span_begin_shift = last->span_begin_shift;
      run.span_end_shift = last->span_end_shift;
    }
    if (SameShifts(*last, run)) {
      ++last->count;
      return;
    }
  }
  runs_.push_back(std::move(run));
}

void KeptRunBuilder::AddUnshifted(size_t before_index, size_t after_index, size_t count) {
  if (count == 0) return;
  KeptRun run;
  run.before_index = before_index;
  run.after_index = after_index;
  run.count = count;
  KeptRun* last = runs_.empty() ? nullptr : &runs_.back();
  if (last != nullptr && last->before_index + last->count == before_index &&
      last->after_index + last->count == after_index && SameShifts(*last, run)) {
    last->count += count;
    return;
  }
  runs_.push_back(std::move(run));
}

std::string ShiftNumber(const std::string& text, const NumberShift& shift) {
  if (shift.delta == 0) return text;
  size_t position = 0;
  for (uint32_t number_index = 0;; ++number_index) {
    const auto [begin, end] = NextNumber(text, position);
    if (begin == end) return text;
    position = end;
    if (number_index < shift.number_index) continue;
    const auto number = ReadNumber(std::string_view(text).substr(begin, end - begin));
    if (!number) return text;
    return text.substr(0, begin) + std::to_string(*number + shift.delta) + text.substr(end);
  }
}

void ApplyRun(const KeptRun& run, Record& record) {
  if (run.placements) {
    const Placement& after = run.placements->second;
    record.locator = after.locator;
    record.parent = after.parent;
    record.key = after.key;
    record.span = after.span;
    return;
  }
  record.locator = ShiftNumber(record.locator, run.locator);
  record.parent = ShiftNumber(record.parent, run.parent);
  record.key = ShiftNumber(record.key, run.key);
  if (record.span) {
    record.span->begin += static_cast<uint64_t>(run.span_begin_shift);
    record.span->end += static_cast<uint64_t>(run.span_end_shift);
  }
}

}  // namespace staged
