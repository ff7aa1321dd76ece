// Package shapes draws.
package shapes

import (
	"fmt"
	m "math"
)

// Limit is how many there may be.
const Limit = 100

const (
	// Red is first.
	Red Color = iota
	Green
	Blue, Black = 3, 4
)

var cache, spare = map[string]int{}, 1
var (
	verbose bool
	logger  = fmt.Println
)

type Color int
type Alias = Color

// Shape has an area.
type Shape interface {
	fmt.Stringer
	Area(scale float64) (float64, error)
}

type (
	// Square is a shape.
	Square struct {
		Side, Depth float64 `json:"side"`
		name        string
		*Base
	}
	Stack[T any] []T
)

// Area is its side squared.
func (s *Square) Area(scale float64) (float64, error) {
	inner := func() float64 { return m.Pow(s.Side, 2) }
	return inner(), nil
}

func (Square) String() string { return "square" }

func (s *Stack[T]) Push(value T) { *s = append(*s, value) }

func New[T any](side float64) *Square {
	const local = 1
	return &Square{Side: side}
}
