package p

type thing struct{}

func (thing) act() {}

func value() int    { return 1 }
func other() thing  { return thing{} }
func url() string   { return "" }

func parameters(value int) int { return value }

func results() (value int) {
	value = 1
	return
}

func blocks() {
	value()
	{
		value := 1
		_ = value
	}
	if value := value(); value > 0 {
		_ = value
	} else if other := other(); value < 0 {
		other.act()
	}
	value()
	for value := 0; value < 1; value++ {
	}
	for value := range []int{1} {
		_ = value
	}
	switch value := other(); {
	default:
		value.act()
	}
	func(value string) { _ = value }("")
	value()
	var value = value()
	_ = value
}

func order(url url2) { url.act() }

type url2 = thing

func labels() {
value:
	for {
		break value
	}
	goto value
}

func predeclared() {
	len := func(s string) int { return 0 }
	_ = len("")
	print(cap([]int{}))
}
