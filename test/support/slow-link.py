"""A link that delays and loses packets, for kernels without netem (tc-netem(8)). A packet to 10.78.0.2 returns with
source and destination exchanged, so that a server at 10.78.0.1 gets it, and its response takes the same way back. The
checksums stay right, because they are sums. Run as root of a network namespace: slow-link.py <ms in each direction>
<share of lost packets> <file that is written when the link is up>."""
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000  # linux/if_tun.h

delay, loss = float(sys.argv[1]) / 1000, float(sys.argv[2])
random.seed(1)
link = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
fcntl.ioctl(link, TUNSETIFF, struct.pack('16sH', b'slow0', IFF_TUN | IFF_NO_PI))
for words in ('addr add 10.78.0.1/24 dev slow0', 'link set slow0 up', 'link set lo up'):
    subprocess.run(['ip', *words.split()], check=True)
with open(sys.argv[3], 'w'):
    pass

waiting = []
number = 0
while True:
    timeout = max(0, waiting[0][0] - time.monotonic()) if waiting else None
    if select.select([link], [], [], timeout)[0]:
        packet = os.read(link, 65536)
        is_ipv4 = packet[0] >> 4 == 4
        if is_ipv4 and random.random() >= loss:
            number += 1
            exchanged = packet[:12] + packet[16:20] + packet[12:16] + packet[20:]
            heapq.heappush(waiting, (time.monotonic() + delay, number, exchanged))
    while waiting and waiting[0][0] <= time.monotonic():
        os.write(link, heapq.heappop(waiting)[2])
