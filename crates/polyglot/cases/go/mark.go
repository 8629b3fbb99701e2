// Package p has a mark.
package p

func f() { g() }

func g() {}
