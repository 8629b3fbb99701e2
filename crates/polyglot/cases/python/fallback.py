try:
    import json
    from fast import loads
except ImportError:
    json = None
    from slow import loads

if json:
    VALUE = 1
else:
    VALUE = 2

FLAG = False
try:
    import extra

    FLAG = True
except ImportError:
    pass


def use():
    json.dumps(loads(VALUE))
    return FLAG
