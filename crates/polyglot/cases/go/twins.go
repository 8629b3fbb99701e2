package p

func twice() {}
func twice() { twice() }

type T struct{}

func (T) m() {}
func (*T) m() {}

func f() {
	T{}.m()
	type T struct{}
	{
		type T int
		_ = T(1)
	}
	_ = T{}
}
