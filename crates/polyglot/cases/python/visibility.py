__all__ = ["shown", "_also"]
__all__ += ("Third",)


def shown(): ...


def _also(): ...


def not_listed(): ...


class Third:
    def method(self): ...

    def _internal(self): ...
