def f(xs):
    for x in xs:
        if x:
            while x:
                x -= 1
        elif x and xs or x:
            pass
        else:
            pass
    try:
        y = 1 if xs else 2
    except ValueError:
        pass
    except (KeyError, TypeError):
        pass
    finally:
        pass
    match y:
        case 1 if xs:
            pass
        case _:
            pass
    return [x for x in xs if x]
