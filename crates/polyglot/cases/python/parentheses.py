def f(a, b, c):
    x = (a + b) * c
    x = a + b * c
    x = a + (b + c)
    x = (a + b) + c
    x = -(a ** b), (-a) ** b, not (a in b), not a in b, (not a) in b
    x = (a if b else c).d, (lambda: a)(), (lambda: (yield))
    x = a and (b and c) or (a and b) and c
    x = (a < b) < c, a < b < c, a is not b, a not in b
    x = (((a)))
    x = (a,), (), (a, b), [(a), (b)]
    (y) = a
    (y, z) = a, b
    y, z = (a, b)
    [y, z] = a, b
    for (y) in (a): pass
    for (y, z) in (a, b): pass
    for y, z in a, b: pass
    del (x)
    del (y, z)
    assert (a), (b)
    with (a): pass
    with (a as b, c): pass
    with a as b, c: pass
    with (a, b): pass
    if (a): pass
    elif (b): pass
    while (a): break
    try: pass
    except (ValueError): pass
    except (ValueError, KeyError): pass
    print((yield))
    g((x for x in a))
    g(x for x in (a))
    a[(b)], a[(b, c)], a[b, c], a[b,], a[(b):(c)], a[b:c:]
    x = yield (a)
    x = (a).b, (a)(b), "a".b, (1).real
    lambda x=(a): (x)
    x = a if (b) else (c if a else b)
    x = {(a): (b), **(c)}
    x = [a for a in (b) if (c)]
    x = (*a, b), [*(a), b]
    return (a)


class A(): pass
class B: pass


@(f)
def g(*, a): return (
    # nothing
    a
)
