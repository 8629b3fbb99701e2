// Package signatures: the names of parameters are no part of a signature.
package signatures

type Point struct{ x, y int }

// The same signature in all spellings, other bodies.
func Both(a, b int) int { return a - b }

func Apart(b int, a int) int { return a - b }

func Unnamed(int, int) int { return 0 }

func (Point) Anonymous(string) (err error) { return }

func (p *Point) Named(name string, _ ...int) (n int, err error) { return }

type Shape interface {
	Area(scale float64) (area float64)
}

func Call(f func(a, b int) (sum int, err error)) {
	g := func(a, b int) (sum int) { return a + b }
	g(1, 2)
}

func external(a, b int) (sum int)
