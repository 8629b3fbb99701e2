package p

type P struct{ X, Y int }
type Ps []P

var a = []P{P{1, 2}, {3, 4}}
var b = []*P{&P{1, 2}, {3, 4}}
var c = map[P]P{P{1, 2}: P{3, 4}}
var d = [][]P{[]P{P{1, 2}}, {{3, 4}}}
var e = Ps{P{1, 2}}
var f = []interface{}{P{1, 2}}
var g = [...]P{0: P{X: 1}}
var h = map[string]map[string]P{"a": map[string]P{"b": P{}}}

func loop(s []int) {
	for i, _ := range s {
		_ = i
	}
	for _ = range s {
	}
	for _, _ = range s {
	}
	for range s {
	}
	for ; len(s) > 0; {
	}
	for ;; {
	}
	for i := 0; ; {
		_ = i
	}
	_ = s[1:len(s)]
	_ = s[:len(s)]
	_ = s[1:len(a)]
	var ()
	_ = [...]int{
		1,
		2,
	}
	loop(
		s,
	)
	;;
	{ ; }
}
