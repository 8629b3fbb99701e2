package p

import "os"

type ParseError struct{}

func a() error                               { return nil }
func b() (int, error)                        { return 0, nil }
func c() (n int, err error)                  { return }
func d() *ParseError                         { return nil }
func e() (*os.PathError, error)              { return nil, nil }
func f() func() error                        { return nil }
func g(error) (x struct{ err error }, _ bool) { return }
