class A:
    pass


def first(a: None | A) -> None | A:
    return a


def last(a: A | None) -> A | None:
    return a
