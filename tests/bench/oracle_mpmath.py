#!/usr/bin/env python3
"""The smaller problem of oracle.c in mpmath's interval arithmetic, rows 0, 16, 32 ...: seconds for all
of it, as if the other rows took as long a key. Without mpmath: says so, exit 0."""
import sys
import time

try:
    from mpmath import iv
except ImportError:
    print("no mpmath")
    sys.exit(0)

LENGTH, WIDTH, BITS = 128, 64, 128
LONG = 1024
state = 1


def noise():
    global state
    total = 0.0
    for _ in range(4):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        total += float(state >> 48) - 32767.5
    return total / 37837


def rows(count):
    return [[noise() for _ in range(WIDTH)] for _ in range(count)]


def main():
    iv.prec = BITS
    q, k, v = rows(LONG), rows(LONG), rows(LONG)
    begin = time.process_time()
    keys = 0
    for i in range(0, LENGTH, 16):
        scores = [sum(iv.mpf(a) * iv.mpf(b) for a, b in zip(q[i], k[j])) / iv.sqrt(WIDTH)
                  for j in range(i + 1)]
        top = max(s.b for s in scores)
        weights = [iv.exp(s - top) for s in scores]
        total = sum(weights)
        for c in range(WIDTH):
            sum(w * iv.mpf(v[j][c]) for j, w in enumerate(weights)) / total
        keys += i + 1
    print("%.6f" % ((time.process_time() - begin) * LENGTH * (LENGTH + 1) / 2 / keys))


main()
