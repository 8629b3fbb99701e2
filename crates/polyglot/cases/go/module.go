package p

var _ I = T{};;
var _ = register("a")

type I interface{}
type T struct{}

func register(string) int { return 0 }

const _ = uint(limit - 1)
const limit = 1
