package p

type A struct{}
type B struct{}

func (A) a() {}
func (B) b() {}

func f(x interface{}) {
	x.(A).a()
	if y, ok := x.(*B); ok {
		y.b()
	}
	switch z := x.(type) {
	case A:
		z.a()
	case *A, B:
		z.a()
	case nil:
	default:
		z.b()
	}
	switch x.(type) {
	}
	A(x).a()
	(*B)(x).b()
}
