package p

type Weekday int

const (
	Sunday Weekday = iota + offset
	Monday
	Tuesday, Wednesday = iota, iota * 2
	Thursday, Friday
)

const (
	one = "x"
	again
)

const offset, limit = 1, 2

var a, b int
var c, d = 1, "two"
var e, f = g()

func g() (int, string) { return Sunday.h(), "" }

func (w Weekday) h() int {
	const local, other = iota, limit
	var (
		x int
		y = local
	)
	return x + y + other
}
