package p

type T struct{ next *T }

func (t *T) m() *T     { return t }
func make1() T         { return T{} }
func two() (T, error)  { return T{}, nil }
func three() (int, *T, []T)

type list []T
type table map[T]*T
type handler func(int) T
type same T

func (l list) first() T { return l[0] }

var global = make1()
var globals = []T{{}}

func f(p T, ps ...*T) {
	a := T{}
	a.m()
	b := &T{}
	b.m().m()
	c := new(T)
	c.m()
	d := make([]T, 1)
	d[0].m()
	d[1:][0].m()
	e, err := two()
	e.m()
	err.Error()
	_, g, gs := three()
	g.m()
	gs[0].m()
	var h *T
	h.m()
	var i, j = make1(), 1
	i.m()
	_ = j
	for _, k := range ps {
		k.m()
	}
	l := make(chan *T)
	(<-l).m()
	for o := range l {
		o.m()
	}
	q := func() *T { return nil }
	q().m()
	r := map[string][]T{}
	r["a"][0].m()
	if s, ok := r["b"]; ok {
		s[0].m()
	}
	t := append(d, a)
	t[0].m()
	global.m()
	globals[0].m()
	var u list
	u[0].m()
	u.first().m()
	var v table
	for w, x := range v {
		w.m()
		x.m()
	}
	var y handler
	y(1).m()
	list(nil)[0].m()
	var z same
	z.next.m()
	p.m()
	tests := []struct {
		name string
		t    T
	}{{"a", T{}}}
	for _, test := range tests {
		test.t.m()
	}
	select {
	case aa := <-l:
		aa.m()
	case l <- b:
	}
	unknown().m()
}
