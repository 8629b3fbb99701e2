package ledger

// Even and Odd call each other and are otherwise not alike: one component of two.
func Even(n int) bool {
	if n == 0 {
		return true
	}
	return Odd(n - 1)
}

func Odd(n int) bool {
	if n == 0 {
		return false
	}
	return Even(n - 1)
}

// Ping and Pong are alike: one definition that calls itself, under two names.
func Ping(n int) int { return Pong(n - 1) }

func Pong(n int) int { return Ping(n - 1) }

// A circle of three, entered by a fourth.
func first(n int) int { return second(n) + 1 }

func second(n int) int { return third(n) + 2 }

func third(n int) int { return first(n) + 3 }

func enter(n int) int { return second(n) + 4 }
