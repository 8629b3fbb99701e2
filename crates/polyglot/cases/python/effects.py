import os
import random
import subprocess
import time
from pathlib import Path
from urllib.request import urlopen

import requests


def reads():
    return open("f").read(), Path("x").read_text()


def writes(path: Path):
    path.write_text("x")
    os.remove(path)


def runs():
    subprocess.run(["ls"], env=os.environ)


def fetches():
    requests.get("http://x").json()
    return urlopen("http://x")


def waits():
    time.sleep(random.random())
    print("done")


def computes():
    return os.path.join("a", "b")
