"""A module.

With more to say."""

import os


def plain(a, b=1, /, *args, c: int = 2, **kwargs) -> str:
    """Does one thing
    on two lines.

    >>> plain(1, 2)
    """
    return str(a)


async def later(path: "os.PathLike") -> None:
    await later(path)


def _hidden():
    def inner(x):
        if x:
            return inner(x - 1)
        return plain(x)

    class Local:
        def method(self):
            return inner(1)

    return Local().method()


def generic[T: int](x: T) -> T:
    return x
