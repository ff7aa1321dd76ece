#pragma once

#include "formats/pdf/page_text.h"
#include "formats/pdf/pdfium_instance.h"

namespace staged::pdf {

// From the page's own coordinates (points, y upwards, before rotation) to those of Box.
class PageGeometry {
 public:
  PageGeometry() = default;
  // `crop`: the visible part in the page's coordinates, y upwards (y0 is its lower edge). REQUIRES:
  // finite.
  PageGeometry(const Box& crop, int quarter_turns) : crop_(crop), turns_(quarter_turns & 3) {}

  [[nodiscard]] int quarter_turns() const { return turns_; }
  [[nodiscard]] float width() const { return turns_ % 2 == 0 ? crop_.width() : crop_.height(); }
  [[nodiscard]] float height() const { return turns_ % 2 == 0 ? crop_.height() : crop_.width(); }
  // The box of a rectangle in the page's coordinates, its corners in any order.
  [[nodiscard]] Box Show(const Box& rectangle) const;
  // Whether nothing of `box` is on the page.
  [[nodiscard]] bool IsOff(const Box& box) const {
    return box.x1 <= 0 || box.y1 <= 0 || box.x0 >= width() || box.y0 >= height();
  }

 private:
  Box crop_;
  int turns_ = 0;
};

// The text of a loaded page; what there is of it when the instance stops.
[[nodiscard]] PageText ReadText(PdfiumInstance& pdfium, Address page, const PageGeometry& geometry);

}  // namespace staged::pdf
