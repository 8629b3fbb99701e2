package p

import "fmt"

func good() { fmt.Println() }

func bad( {
	x :=
}

type T struct {
	a int
	b ]
}

func after() { good() }

func (t *T) unfinished() {
	if good( {
