package p

type Number interface {
	~int | ~float64
}

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(x T) *Stack[T] { s.items = append(s.items, x); return s }

type Pair[K comparable, V Number,] struct {
	Key   K
	Value V
}

func Map[T, U any](in []T, f func(T) U) []U { return nil }

func NewStack[T any]() *Stack[T] { return &Stack[T]{} }

type T struct{}

func use() {
	NewStack[int]().Push(1).Push(2)
	var s Stack[T]
	s.Push(T{})
	Map[int, string](nil, nil)
	Map(nil, use2)
	_ = Pair[string, int]{Key: "a", Value: 1}
}

func use2() {}
