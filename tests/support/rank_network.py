#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ranks that see each other only over a slow and lossy network.

    tests/support/rank_network.py --ranks N [--delay-ms MS] [--loss SHARE] [--seed N] -- COMMAND...

Each rank has a network namespace of its own, with one interface: a TUN device. This program passes
the packets on between them, each after the delay, and drops a share of them; the kernel's TCP does
the rest. The command is started by mpirun (Open MPI 4), which starts its daemons in the namespaces
with this program as its remote shell. Needs the rights to make namespaces and /dev/net/tun.
Returns what mpirun returns; 77 if the rights or this mpirun are missing.
"""
import argparse
import contextlib
import ctypes
import fcntl
import heapq
import os
import random
import select
import shlex
import struct
import subprocess
import sys
import threading
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
NETWORK = "10.77.0"
SKIPPED = 77
MAX_PACKET = 65536  # bytes


def address(rank):
    return f"{NETWORK}.{rank + 1}"


def namespace(name, rank):
    return f"{name}-{rank}"


def inside(name, rank, command):
    """Runs a shell command in the namespace of a rank, under a host name of its own: Open MPI takes
    processes of the same host for neighbours, which share memory."""
    shell = f"hostname rank{rank} && {command}"
    return ["ip", "netns", "exec", namespace(name, rank), "unshare", "--uts", "sh", "-c", shell]


def be_remote_shell(name, host, words):
    rank = int(host.rsplit(".", 1)[1]) - 1
    line = inside(name, rank, " ".join(words))
    os.execvp(line[0], line)


class Network:
    """The namespaces, and the thread that passes packets on between them."""

    def __init__(self, arguments):
        self.name = f"temper-{os.getpid()}"
        self.ranks = arguments.ranks
        self.delay = arguments.delay_ms / 1000
        self.loss = arguments.loss
        self.random = random.Random(arguments.seed)
        self.devices = []
        self.passed = self.dropped = 0
        self.ends = threading.Event()
        self.undo = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as undo:  # also if a namespace can't be made
            for rank in range(self.ranks):
                self.add_namespace(rank, undo)
            thread = threading.Thread(target=self.pass_packets_on)
            thread.start()
            undo.callback(thread.join)
            undo.callback(self.ends.set)
            self.undo = undo.pop_all()
        return self

    def __exit__(self, *_):
        self.undo.close()

    def add_namespace(self, rank, undo):
        own = namespace(self.name, rank)
        subprocess.run(["ip", "netns", "add", own], check=True)
        undo.callback(subprocess.run, ["ip", "netns", "delete", own], stderr=subprocess.DEVNULL)
        device = self.device_of(own)
        undo.callback(os.close, device)
        self.devices.append(device)
        for command in (["ip", "link", "set", "lo", "up"],
                        ["ip", "address", "add", f"{address(rank)}/24", "dev", "tun0"],
                        ["ip", "link", "set", "tun0", "up"]):
            subprocess.run(["ip", "netns", "exec", own, *command], check=True)

    @staticmethod
    def device_of(own):
        """A new TUN device of a namespace; it belongs to that in which it is made."""
        libc = ctypes.CDLL(None, use_errno=True)

        def enter(file):
            if libc.setns(file.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), f"setns: {os.strerror(ctypes.get_errno())}")

        with open("/proc/self/ns/net", "rb") as home, open(f"/run/netns/{own}", "rb") as there:
            enter(there)
            try:
                device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
                fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", b"tun0", IFF_TUN | IFF_NO_PI))
                return device
            finally:
                enter(home)

    def pass_packets_on(self):
        late = []  # (time, number, device, packet)
        number = 0
        while not self.ends.is_set():
            wait = min(max(late[0][0] - time.monotonic(), 0), 0.05) if late else 0.05
            for device in select.select(self.devices, [], [], wait)[0]:
                packet = self.read(device)
                to = self.destination(packet)
                if to is None:
                    continue
                if self.random.random() < self.loss:
                    self.dropped += 1
                    continue
                number += 1
                heapq.heappush(late, (time.monotonic() + self.delay, number, to, packet))
            while late and late[0][0] <= time.monotonic():
                _, _, device, packet = heapq.heappop(late)
                self.write(device, packet)
                self.passed += 1

    def destination(self, packet):
        """IPv4 only, and only between the ranks."""
        if len(packet) < 20 or packet[0] >> 4 != 4:
            return None
        rank = packet[19] - 1
        return self.devices[rank] if 0 <= rank < self.ranks else None

    @staticmethod
    def read(device):
        try:
            return os.read(device, MAX_PACKET)
        except BlockingIOError:
            return b""

    @staticmethod
    def write(device, packet):
        try:
            os.write(device, packet)
        except OSError:  # its queue is full: lost, as on any network
            pass


def check_launcher():
    """Open MPI 5 starts its daemons by PRRTE, whose settings have other names.

    Throws OSError unless mpirun is that of Open MPI 4."""
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    first = (version.splitlines() or ["nothing"])[0]
    if not first.startswith("mpirun (Open MPI) 4."):
        raise OSError(f"mpirun has to be that of Open MPI 4, but says '{first}'")


def run(arguments):
    check_launcher()
    with Network(arguments) as network:
        hosts = ",".join(f"{address(rank)}:1" for rank in range(arguments.ranks))
        agent = f"{sys.executable} {os.path.abspath(__file__)} --remote-shell {network.name}"
        settings = {
            "btl": "tcp,self",
            "btl_tcp_if_include": f"{NETWORK}.0/24",
            "oob_tcp_if_include": f"{NETWORK}.0/24",
            "plm_rsh_agent": agent,
            "plm_rsh_no_tree_spawn": "1",
            "hwloc_base_binding_policy": "none",
            "mpi_yield_when_idle": "1",
        }
        command = ["mpirun", "-np", str(arguments.ranks), "--host", hosts]
        for key, value in settings.items():
            command += ["--mca", key, value]
        command += arguments.command
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                           OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        status = subprocess.run(inside(network.name, 0, "exec " + shlex.join(command)),
                                env=environment).returncode
        print(f"{network.passed} packets passed on, {network.dropped} dropped", file=sys.stderr)
        return status


def main():
    if len(sys.argv) > 3 and sys.argv[1] == "--remote-shell":
        be_remote_shell(sys.argv[2], sys.argv[3], sys.argv[4:])
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--delay-ms", type=float, default=0)
    parser.add_argument("--loss", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    try:
        return run(arguments)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"no network of ranks: {error}", file=sys.stderr)
        return SKIPPED


if __name__ == "__main__":
    sys.exit(main())
