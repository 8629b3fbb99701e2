// Copyright notice that is not documentation.

/*
Package docs has a block comment
over two lines.

Second paragraph.
*/
package docs

import "embed"

// One line,
// and another.
//
// Another paragraph.
func A() {}

// Not above: a blank line follows.

func B() {}

var x = 1 // trailing, not of C
func C() {}

/* Block. */
func D() {}

//go:noinline
func E() {}

// Files to serve.
//
//go:embed static
var files embed.FS

//go:generate stringer
//nolint:all
// Real text.
func F() {}

// Deprecated: use A.
func G() {}

// H does it.
//
// Deprecated: use A.
func H() {}

// Of the group.
const (
	// Of I.
	I = 1
	J = 2
)

type (
	// Of K.
	K int
	L int
)
