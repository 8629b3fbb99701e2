// Package p.
package p

// Doc of f
// over two.
func f() string {
	return `a
b`
}
