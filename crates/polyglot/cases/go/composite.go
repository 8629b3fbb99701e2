package p

type S struct {
	A, B int
	M    map[string]S
}

type M map[K]int
type K string

const A K = "a"

func B() int { return 1 }

var s = S{A: B(), B: 2, M: map[string]S{"x": {A: 1}}}
var m = M{A: 1}
var n = map[K]S{A: {B: B()}}
var o = [...]int{idx: B()}

const idx = 2
