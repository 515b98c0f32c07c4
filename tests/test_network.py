"""With embedded stores nothing is contacted: in a network namespace that has loopback alone everything works, and the
kernel counts no attempt to go further."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.running_processes import COMMAND, environment

pytestmark = [pytest.mark.exhaustive, pytest.mark.timeout(240)]

ROOT = Path(__file__).parents[1]
#: Brings loopback up, runs the command, and says what the kernel counted: packets without a route, and datagrams, which
#: questions for names are.
WITHIN = 'ip link set lo up || exit 99; "$@"; status=$?; cat /proc/net/snmp /proc/net/snmp6 >"$COUNTERS"; exit $status'
SESSION = """
from pathlib import Path
import sys
from tests.eventually import eventually
from tests.running_processes import Bridged, owner
home = Path(sys.argv[1])
with Bridged(home) as client:
    client.call("remember", content="We decided to paint the boat house green.", context="meeting", wait=True)
    print(client.call("recall", query="colour of the boat house")["results"][0]["content"])
eventually(lambda: owner(home) is None)
"""


def alone(folder: Path, *command: str) -> tuple[str, dict[str, int]]:
    """Run a command where there is loopback alone; return its output, and how often it tried to go further."""
    if not shutil.which("unshare") or not shutil.which("ip"):
        pytest.skip("Needs unshare and ip: on Debian, apt-get install util-linux iproute2")
    counters = folder / "counters"
    done = subprocess.run(
        ["unshare", "--map-root-user", "--net", "sh", "-c", WITHIN, "sh", *command],
        env=environment(folder, COUNTERS=str(counters), PYTHONPATH=str(ROOT)),
        cwd=folder, capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    if done.returncode and not counters.exists():
        pytest.skip(f"A network namespace is not permitted here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return done.stdout, attempts(counters.read_text(encoding="utf-8"))


def attempts(counters: str) -> dict[str, int]:
    """Return the counters of packets without a route and of datagrams, of both versions of IP."""
    found = dict(re.findall(r"^(Ip6OutNoRoutes|Udp6OutDatagrams)\s+(\d+)$", counters, re.MULTILINE))
    for protocol, name in (("Ip", "OutNoRoutes"), ("Udp", "OutDatagrams")):
        names, values = re.findall(rf"^{protocol}: (.*)$", counters, re.MULTILINE)
        found[protocol + name] = dict(zip(names.split(), values.split(), strict=True))[name]
    return {name: int(count) for name, count in found.items()}


NONE = dict.fromkeys(("Ip6OutNoRoutes", "Udp6OutDatagrams", "IpOutNoRoutes", "UdpOutDatagrams"), 0)


def test_the_counters_see_what_goes_further(tmp_path: Path) -> None:
    """Connections and datagrams, of which none arrives, are counted."""
    program = (
        "import contextlib, socket\n"
        "for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):\n"
        "    with contextlib.suppress(OSError), socket.socket(type=kind) as other:\n"
        "        other.connect(('192.0.2.1', 53))\n"
    )

    _, counted = alone(tmp_path, sys.executable, "-c", program)

    assert counted["IpOutNoRoutes"] >= 2


def test_the_demo_needs_no_network(tmp_path: Path) -> None:
    """README: no key, no server, no network."""
    told, counted = alone(tmp_path, COMMAND, "demo")

    assert "?" in told
    assert counted == NONE


def test_a_session_over_stdio_needs_no_network(tmp_path: Path) -> None:
    """The bridge and the owner with its models, from the first message until the owner has ended."""
    home = tmp_path / "home"
    home.mkdir()

    told, counted = alone(tmp_path, sys.executable, "-c", SESSION, str(home))

    assert told.strip() == "We decided to paint the boat house green."
    assert counted == NONE
