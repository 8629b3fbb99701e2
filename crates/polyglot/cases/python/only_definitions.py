"""Only definitions: no module statements."""
from typing import TYPE_CHECKING
import a

if TYPE_CHECKING:
    import b

X = 1
type Pair[T] = tuple[T, X]


def f(): ...
