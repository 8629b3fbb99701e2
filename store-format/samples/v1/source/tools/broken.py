"""Ends in the middle: broken source is read as far as it goes."""


def whole():
    return 1


def half(
