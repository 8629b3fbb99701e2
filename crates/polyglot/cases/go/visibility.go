package p

func Public()  {}
func private() {}
func _()       {}
func Émile()   {}
func é()       {}

type T struct{}

func (T) Method() {}
func (T) method() {}

func f() {
	type Local struct{}
	_ = Local{}
}
