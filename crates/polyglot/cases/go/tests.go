package p_test

import (
	"fmt"
	"testing"
)

type Stack struct{}

func (Stack) Push(int) {}

// Double doubles.
func Double(n int) int { return 2 * n }

func TestDouble(t *testing.T)        { t.Log(Double(1)) }
func TestMain(m *testing.M)          {}
func Testable(t *testing.T)          {}
func TestHelper(n int)               {}
func BenchmarkDouble(b *testing.B)   {}
func FuzzDouble(f *testing.F)        {}
func Test(t *testing.T)              {}

func ExampleDouble() {
	fmt.Println(Double(2))
	// Output: 4
}

func ExampleStack_Push_twice() {}
