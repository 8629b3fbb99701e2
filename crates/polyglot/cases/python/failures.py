import socket
import errors


def f(error, make):
    if error:
        raise ValueError("no") from error
    if make:
        raise errors.Custom
    try:
        g()
    except (KeyError, socket.error) as e:
        raise
    except OSError as e:
        raise e
    raise make()


def g():
    raise (NotImplementedError)
