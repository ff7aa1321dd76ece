#include <vector>
#define AREA(w, h) ((w) * (h))
using std::vector;

extern "C" int c_area(int width);

namespace app::shapes {
namespace {
constexpr int kLimit = 100;
}

/// A shape.
/// Of some kind.
template <typename T>
class Shape : public Base {
 public:
  Shape() = default;
  explicit Shape(int width) : width_(width) {}
  virtual ~Shape();
  Shape& operator=(const Shape&) = delete;
  explicit operator bool() const;
  int operator()(int x) const { return x; }
  virtual int area() const = 0;  // in pixels
  template <typename U>
  void Visit(U visitor);

  enum class Color { kRed, kGreen = 2 };
  using Value = T;
  static constexpr int kSides = 4;

 private:
  struct Corner {
    int x, y;
  } corner_;
  int width_ = 0;
};

template <>
struct Hash<Shape<int>> {
  size_t operator()(const Shape<int>& shape) const;
};

// Draws it.
void Draw(const Shape<int>& shape);

bool operator==(const Point& a, const Point& b) { return a.x == b.x; }
auto square = [](int x) { return x * x; };

}  // namespace app::shapes

app::shapes::Shape<int>::~Shape() {}
