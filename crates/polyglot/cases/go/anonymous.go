package p

func used() {}

var handler = func(used int) { _ = used }

var nested = func() { func() { used() }() }

func outer() func() {
	count := 0
	if count > 0 {
		used()
	}
	return func() {
		for {
			count++
			used()
		}
	}
}

func deep(a, b bool) int {
	if a {
		for {
			select {
			case <-ch:
				if b && a || b {
					return 1
				}
			default:
			}
		}
	} else if b {
	} else {
	}
	return 0
}

var ch chan int
