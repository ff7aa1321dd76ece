"""Revenue of one region."""


def revenue(units: int, price: float) -> float:
    """Units sold times the price of one, in EUR."""
    return units * price
