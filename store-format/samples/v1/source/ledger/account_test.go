package ledger

import "testing"

func TestMove(t *testing.T) {
	from, to := Open("from"), Open("to")
	if err := Move(from, to, 1); err != ErrOverdrawn {
		t.Fatal(err)
	}
}
