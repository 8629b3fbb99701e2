from typing import Annotated, Dict, List, Literal, Optional, Self, Type, TypeVar, Union
from contextlib import contextmanager

T = TypeVar("T")


class A:
    def m(self) -> "A": ...

    def me(self) -> Self: ...

    async def wait(self) -> "A": ...

    def __enter__(self):
        return self

    def __iter__(self):
        yield self

    def __getitem__(self, i) -> "A": ...

    def __call__(self) -> "A": ...


class B(A):
    def n(self): ...


Alias = Optional[A]
Ids = List["A"]


@contextmanager
def opened() -> "Iterator[A]":
    yield A()


def annotated(a: A, b: Optional[A], c: "A | None", d: Union[A, None], e: Union[A, B], f: Alias, g: Ids, t: T):
    a.m(), b.m(), c.m(), d.m(), e.m(), f.m(), g[0].m(), t.m()


def containers(xs: List[A], d: Dict[str, A], k: dict[A, int], t: tuple[A, B], many: tuple[A, ...]):
    for x in xs:
        x.m()
    for i, x in enumerate(xs):
        x.m()
    for key, value in d.items():
        value.m()
    for value in d.values():
        value.m()
    for key in k:
        key.m()
    d["x"].m(), d.get("x").m(), xs[0].m(), xs[1:][0].m(), xs.pop().m()
    first, second = t
    first.m(), second.n()
    [x.m() for x in many if x.me()]
    sorted(xs)[0].m()
    for x, y in zip(xs, many):
        x.m(), y.m()


def classes(c: Type[A], d: type[B], l: Literal["A"], n: Annotated[A, "m"]):
    c().m(), d().n(), n.m()


def constructed():
    a = A()
    a.m().m()
    B().me().n()
    with A() as w, opened() as o:
        w.m(), o.m()
    for x in A():
        x.m()
    a[0].m(), a().m()
    (b := B()).n()
    b.n()


async def awaited(a: A):
    (await a.wait()).m()
    a.wait().m()


def inferred():
    return B()


def flow(x, y: A, z=None):
    inferred().n()
    if isinstance(x, B):
        x.n()
    x.n()
    if not isinstance(y, B):
        return
    y.n()
    if x:
        v = A()
    else:
        v = B()
    v.m()
    w = None
    if x:
        w = B()
    w.n()
    while w:
        w.n()
        w = w.next
    match x:
        case B():
            x.n()
        case A() as captured:
            captured.m()
