def one():
    return 'it\'s', "it's", """it's""", r"it's", u"it's"


def escapes():
    return "\x41\u0041\N{latin small letter a}\101", R"\d", "\\d", "\d", b"\xff\x00a", B'a'


def joined():
    return ("a" 'b'
            r"\c"), "a" f"{one!r:>{escapes}}" "{}", f"plain", f"{{{one}}}", f"{ {one} }", "line \
continued"


def formatted(x):
    return f'{x=}', f"{x['a']}", f"{x:%Y-%m}", f"{x!s}" + f'''{
        x}'''


def docs():
    'Documentation is no text.'
    "neither is this"
    return """a
b"""
