package p

var (
	raw      = `a"b\n`
	same     = "a\"b\\n"
	escaped  = "\x41\u00e9\U0001F600\101\t"
	bytes    = "\xff\xc3\xa9"
	lines    = `one
two`
	quote    = '\''
	letter   = '\x41'
	hex      = 0XFF + 0B1 + 0O17
	float    = 1E5 + 0x1P-2
	imag     = 0123i
	under    = 1_000
)
