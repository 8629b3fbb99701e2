#!/usr/bin/env python
import logging
import sys

logger = logging.getLogger(__name__)
TIMEOUT: float = 1.5
a, b = 1, 2
c = d = TIMEOUT
for i in range(3):
    logger.info(i)
a += 1


def main():
    logger.info(a)
    print(TIMEOUT, c)


if __name__ == "__main__":
    sys.exit(main())
