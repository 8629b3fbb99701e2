import functools
import warnings

import click


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


@logged
@click.command(name="x")
def command():
    """Runs."""


@warnings.deprecated("no")
def old():
    command()


class Lazy:
    @functools.cached_property
    def value(self):
        return Lazy()

    def use(self):
        return self.value.value.use()
