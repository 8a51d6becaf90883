#!/usr/bin/env python3
"""A bad link between two network namespaces: packets of two TUN devices, delayed, reordered, lost (as root).

    packet-trouble.py NAMESPACE_A NAMESPACE_B DEVICE --delay MS --spread MS --loss SHARE

Each packet waits `delay` milliseconds and a random part of `spread` more, so that later ones overtake earlier ones; `loss` of them do not
arrive. For kernels without netem. Says "ready" once both devices are there, and at its end, on SIGTERM, how many packets passed,
overtook others and were lost.
"""
import argparse
import ctypes
import fcntl
import heapq
import os
import random
import selectors
import signal
import struct
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI, CLONE_NEWNET = 0x400454CA, 0x0001, 0x1000, 0x40000000


def tun_in(namespace, device):
    """A TUN device of the namespace: it stays there, its file with us."""
    with open(f'/var/run/netns/{namespace}') as there:
        if ctypes.CDLL(None, use_errno=True).setns(there.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f'setns {namespace}')
    fd = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack('16sH22x', device.encode(), IFF_TUN | IFF_NO_PI))
    return fd


class Link:
    def __init__(self, ends, how):
        self.ends, self.how = ends, how
        self.waiting, self.random = [], random.Random(1)
        self.count = self.passed = self.overtook = self.lost = 0
        self.newest = {fd: -1 for fd in ends}

    def take(self, fd):
        other = self.ends[1] if fd == self.ends[0] else self.ends[0]
        for _ in range(64):
            try:
                packet = os.read(fd, 65536)
            except BlockingIOError:
                return
            self.count += 1
            if self.random.random() < self.how.loss:
                self.lost += 1
                continue
            due = time.monotonic() + (self.how.delay + self.how.spread * self.random.random()) / 1000
            heapq.heappush(self.waiting, (due, self.count, other, packet))

    def give(self):
        while self.waiting and self.waiting[0][0] <= time.monotonic():
            _, number, fd, packet = heapq.heappop(self.waiting)
            self.overtook += number < self.newest[fd]
            self.newest[fd] = max(self.newest[fd], number)
            self.passed += 1
            try:
                os.write(fd, packet)
            except (BlockingIOError, OSError):  # a full queue, a device that is down: lost
                self.lost += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('namespaces', nargs=2)
    parser.add_argument('device')
    parser.add_argument('--delay', type=float, default=1)
    parser.add_argument('--spread', type=float, default=0)
    parser.add_argument('--loss', type=float, default=0)
    how = parser.parse_args()
    link = Link([tun_in(name, how.device) for name in how.namespaces], how)
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    watched = selectors.DefaultSelector()
    for fd in link.ends:
        watched.register(fd, selectors.EVENT_READ)
    print('ready', flush=True)
    while not ended:
        wait = max(0, link.waiting[0][0] - time.monotonic()) if link.waiting else 0.2
        for key, _ in watched.select(min(wait, 0.2)):
            link.take(key.fd)
        link.give()
    print(f'{link.passed} packets, {link.overtook} behind later ones, {link.lost} lost', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
