package ledger

// Two definitions that say the same.
func clampLow(n int64) int64 {
	if n < 0 {
		return 0
	}
	return n
}

func floorAtZero(n int64) int64 {
	if n < 0 {
		return 0
	}
	return n
}

func both(n int64) int64 { return clampLow(n) + floorAtZero(n) }
