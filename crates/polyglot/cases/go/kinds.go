// Package shapes holds one of each kind.
//
// And more.
package shapes

import (
	"errors"
	"fmt"
	str "strings"
)

// Pi is near enough.
const Pi = 3.14

const (
	// Red is first.
	Red Color = iota
	Green
	_
	Blue
)

// Color of a shape.
type Color int

// Names of colors.
var names = map[Color]string{Red: "red", Green: "green"}

var first, second = pair()

var _ Shape = (*Square)(nil)

// Shape has an area.
type Shape interface {
	fmt.Stringer
	Area() float64
	// Scale makes it bigger.
	Scale(by float64) (Shape, error)
}

// Square is a Shape.
//
// Deprecated: use a circle.
type Square struct {
	Side   float64 `json:"side"`
	parent *Square
	Color
}

type alias = Square

// ErrNegative is returned by Scale.
var ErrNegative = errors.New("negative")

// Area of the square.
func (s *Square) Area() float64 { return s.Side * s.Side }

// Scale scales.
func (s *Square) Scale(by float64) (Shape, error) {
	if by < 0 {
		return nil, ErrNegative
	}
	for i := 0; i < 3; i++ {
		switch {
		case i > 1 && by > 2:
			s.parent.Area()
		default:
			continue
		}
	}
	return &Square{Side: s.Side * by, parent: s}, nil
}

func (s Square) String() string { return str.ToUpper(s.Color.name()) }

func (c Color) name() string { return names[c] }

func pair() (int, error) {
	return 1, nil
}

func init() { fmt.Println("once") }
func init() { fmt.Println("twice") }

func outer() {
	type inner struct{ next *inner }
	var v inner
	_ = v.next
	a := alias{}
	a.Area()
}
