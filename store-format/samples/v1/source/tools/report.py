"""Reports on accounts."""

import json
import os
from urllib.request import urlopen


class Report:
    """What happened to an account."""

    def __init__(self, name, entries=()):
        self.name = name
        self.entries = list(entries)

    def total(self):
        return sum(entry["amount"] for entry in self.entries)

    @property
    def title(self):
        return f"{self.name}: {self.total()}"


class SignedReport(Report):
    def total(self):
        return -super().total()


def fetch(url):
    """Reads a report from a server."""
    with urlopen(url) as answer:
        return Report("fetched", json.load(answer))


def walk(tree):
    return [item for part in tree for item in step(part)]


def step(part):
    if isinstance(part, list):
        return walk(part)
    return [part]


def home():
    if "LEDGER" not in os.environ:
        raise KeyError("LEDGER")
    return os.environ["LEDGER"]
