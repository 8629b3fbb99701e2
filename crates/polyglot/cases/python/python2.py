import sys

print "hello", name
print >>sys.stderr, "bye"


def f((a, b), c):
    try:
        exec "x = 1" in {}
    except ValueError, e:
        print e
    raise TypeError, "no"
    return 0777L <> `c`
