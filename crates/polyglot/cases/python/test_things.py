from unittest import TestCase


def test_adds():
    assert add(1, 2) == 3


def helper_test():
    pass


class TestAdd:
    def test_one(self):
        pass

    def helper(self):
        pass


class AddCase(TestCase):
    def testTwo(self):
        self.assertEqual(add(1, 1), 2)

    def setUp(self):
        pass


class Other:
    def test_not(self):
        pass


def add(a, b):
    return a + b
