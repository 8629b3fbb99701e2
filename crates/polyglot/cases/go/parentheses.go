package p

func f(a, b, c int, p *int, g func() int, ch chan (<-chan int)) (int) {
	if (a == b) {
	}
	for (a < b) {
	}
	switch (a) {
	}
	x := ((a + b)) * c
	x = (a * b) + c
	x = a - (b - c)
	x = (a - b) - c
	x = -(-a)
	x = -(a + b)
	x = (*p)
	x = (g)()
	x = (g())
	_ = !(a == b && b == c)
	_ = (*T)(nil)
	_ = (func())(nil)
	_ = (<-chan int)(nil)
	_ = ([]int)(nil)
	_ = (&T{}).x
	_ = (T{}).x
	var y (int) = (1)
	_ = y
	return (x)
}

func g() () {}

type T struct{ x (int) }
