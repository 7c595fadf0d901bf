"""The server's timers do not follow the host's clock."""

import subprocess
import sys

PUT_BACK = """
import time

right, ahead = time.time, 86400
time.time = lambda: right() + ahead

from soni_admin import asgi
from twisted.internet import reactor

runs = 0

def run_each_second():
    global ahead, runs
    ahead, runs = 0, runs + 1
    if runs < 50:
        reactor.callLater(1, run_each_second)

reactor.callLater(0, run_each_second)
reactor.runUntilCurrent()
print(runs)
"""
"""The host's clock is a day ahead, and is put back while a timer runs that is set again each second."""


def test_a_clock_that_is_put_back_while_timers_run_does_not_make_each_new_one_due():
    ran = subprocess.run([sys.executable, "-c", PUT_BACK], capture_output=True, text=True, check=False)

    assert ran.stdout == "1\n", ran.stderr
