"""Module doc.

More."""
import os.path
from typing import Optional, TYPE_CHECKING
if TYPE_CHECKING:
    from foo import Bar

__all__ = ["A", 'f']
X: int = 0XFF
try:
    import json
except ImportError:
    json = None

@dec(1)
class A(Base, metaclass=M):
    """A class."""
    x: "Optional[A]" = None
    def __init__(self, y: int) -> None:
        self.y = y
        self.z = A(2)
    def m(self):
        """Does.

        >>> A().m()
        """
        if not self.x:
            raise ValueError("no" 'pe')
        self.x.m()
        self.z.m()
        return self
    @property
    def p(self) -> "A": return self

def f(a, (b), *args, k=None, **kw):
    def inner(q):
        return inner(q) + X
    for i, (j, k) in enumerate(args):
        print(f"{i!r:>{k}} x {{}}" "abc")
    with open(os.path.join(a, 'x')) as fh, A(1) as g:
        fh.read()
    z = A(3)
    z.m().m().p.p.m()
    return [w.p for w in [z] if (w)]

if __name__ == "__main__":
    f((1 + 2) * 3, (4,), lambda: (yield))
