from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class Color(Enum):
    RED = 1
    GREEN = 2

    def mixed(self) -> "Color":
        return Color.RED.mixed()


class Reader(Protocol):
    """Reads."""

    name: str

    def read(self) -> bytes: ...


class Base(ABC):
    @abstractmethod
    def run(self): ...

    def start(self):
        return self.run()


@dataclass(frozen=True)
class Child(Base, metaclass=type):
    """A child.

    .. deprecated:: 2.0
    """

    color: Color
    reader: Reader = None
    limit = property(lambda self: 1)

    class Inner:
        def f(self):
            pass

    def run(self):
        super().start()
        self.color.mixed()
        self.reader.read()
        return self.Inner().f()

    @classmethod
    def make(cls) -> "Child":
        return cls(Color.RED)

    @staticmethod
    def helper():
        return Child.make().run()

    @property
    def size(self) -> Color:
        return self.color

    @size.setter
    def size(self, value):
        self.color = value

    def __private(self):
        return self.size.mixed()

    def __len__(self):
        return 0
