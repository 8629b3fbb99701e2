import os

def before():
    return os.getcwd()

def broken(:
    x = = 1

class After:
    def method(self):
        return before()
