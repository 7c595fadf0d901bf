"""No test reaches another machine."""

import socket

import pytest
from pytest_socket import SocketConnectBlockedError

DOCUMENTATION_ONLY = "192.0.2.1"  # an address that is nobody's (RFC 5737)


@pytest.mark.filterwarnings("ignore:A test tried to use")
def test_a_socket_to_another_machine_stays_closed():
    with pytest.raises(SocketConnectBlockedError):
        socket.create_connection((DOCUMENTATION_ONLY, 80), timeout=1)


def test_a_socket_to_this_machine_opens():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()
