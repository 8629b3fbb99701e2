x := compute()
fmt.Println(x)

func compute() int { return 1 }

if x > 1 {
	compute()
}
