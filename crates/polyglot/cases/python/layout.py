def f(a, b,): x = 1; y = 2;
def g(a,
      b  # first
      ,):
    # comment
    x = \
        1

    y = 2


class A(object,): x = 1; y = 2
class B(
    object
):

    x = 1

    # between
    y = 2


def calls():
    f(1, 2,); f(
        1,  # one
        2,
    )
    [1, 2,]; {1: 2,}; {1,}; (1, 2,)
