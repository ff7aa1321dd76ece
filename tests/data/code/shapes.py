"""Shapes."""
import os
from math import pi as PI

LIMIT: int = 100
a = b = 1
type Sized = tuple[int, int]

if os.name == "nt":
    SEPARATOR = "\\"
else:
    SEPARATOR = "/"


@dataclass(frozen=True)
class Shape(Base):
    """A shape.

    Of some kind.
    """

    sides: int = 0
    name = "none"

    class Meta:
        ordering = ["name"]

    @property
    def area(self) -> float:
        r'''Its area.'''
        local = 1

        def helper():
            return local
        return helper()

    @area.setter
    def area(self, value): self.sides = value

    async def draw(self, *shapes: "Shape", **options) -> None:
        pass


try:
    import fast
except ImportError:
    def fast(): ...

square = lambda x: x * x
