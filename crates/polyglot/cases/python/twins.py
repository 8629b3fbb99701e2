import sys
from typing import overload


@overload
def f(x: int) -> int: ...
@overload
def f(x: str) -> str: ...
def f(x):
    return x


if sys.platform == "win32":

    def g(): ...

else:

    def g(): ...


LIMIT = 1
LIMIT = LIMIT + 1


class C:
    @overload
    def m(self, x: int) -> int: ...
    @overload
    def m(self, x: str) -> str: ...
    def m(self, x):
        return self.m(x)

    if sys.platform == "win32":

        def n(self): ...

    else:

        def n(self): ...


def use():
    f(1), g(), C().m(1), C().n(), LIMIT


class C:
    def m(self): ...
