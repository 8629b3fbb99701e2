def name():
    pass


def other():
    pass


def parameter(name):
    return name()


def assigned():
    name()
    name = 1


def comprehension(xs):
    return [name for name in xs] + [name]


def in_lambda():
    return (lambda name: name()), lambda: name()


def global_name():
    global name
    name = other
    return name()


def closure():
    other = 1

    def inner():
        nonlocal other
        other = name
        return other

    return inner


def handlers():
    try:
        pass
    except Exception as name:
        print(name)
    with open("f") as other:
        other.read()
    for print in []:
        print()


def captured(value):
    match value:
        case {"k": name, **other}:
            return name, other
        case [name, *_] | (name, _):
            return name()


class Body:
    name = 1

    def method(self):
        return name()


def walrus(xs):
    if any((other := x) for x in xs):
        return other()
    return name()
