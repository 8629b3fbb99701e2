// Package ledger keeps accounts. It is a sample: small, and with one of each
// thing that a map can say.
package ledger

import (
	"errors"
	"fmt"
	"os"
	"time"

	"example.org/ledger/codes"
)

// ErrOverdrawn says that an account has too little.
var ErrOverdrawn = errors.New("overdrawn")

// Booker books amounts.
type Booker interface {
	Book(amount int64) error
}

// Account is a named sum.
type Account struct {
	Name    string
	Balance int64
	history []Entry
}

// Entry is one booking.
type Entry struct {
	At     time.Time
	Amount int64
	Code   int
}

// Open gives an empty account.
func Open(name string) *Account {
	return &Account{Name: name}
}

// Book changes the balance.
func (a *Account) Book(amount int64) error {
	if amount < 0 {
		return ErrOverdrawn
	}
	a.Balance += amount
	a.history = append(a.history, Entry{At: time.Now(), Amount: amount, Code: codes.Code000})
	return nil
}

// Move books from one account to another.
func Move(from, to *Account, amount int64) error {
	if err := from.Book(-amount); err != nil {
		return fmt.Errorf("move: %w", err)
	}
	return to.Book(amount)
}

// Save writes an account to a file.
func (a *Account) Save(path string) error {
	return os.WriteFile(path, []byte(a.String()), 0o600)
}

func (a *Account) String() string {
	return fmt.Sprintf("%s: %d", a.Name, a.Balance)
}
