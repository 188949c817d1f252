"""Users that come one after the other and each ask at a pace of their own.

What bench/engines/locust.js orders stands in HOPBENCH_GENERATOR.
"""
import base64
import json
import os

import gevent
import gevent.select
from geventhttpclient import client, connectionpool
from locust import FastHttpUser, constant_throughput, events, stats, task

order = json.loads(os.environ["HOPBENCH_GENERATOR"])
body = base64.b64decode(order["body"]) if order["body"] else None

# A line of history for every second, on disk at once: the last ones count as much as the first.
stats.CSV_STATS_INTERVAL_SEC = 1
stats.CSV_STATS_FLUSH_INTERVAL_SEC = 0.5


def is_alive(_, sock):
    """Whether an idle connection is still there: whatever can be read on one is its end.

    As the client does it itself, but for its select(), which knows no descriptor above 1023: of a process with more
    users than that, the others would open a new connection for every request. Like select() here, poll() lets other
    users go on before it answers, so a connection may end between the look and the request, as it may in any network.
    """
    if sock is None or sock.fileno() < 0:
        return False
    poll = gevent.select.poll()
    poll.register(sock.fileno(), gevent.select.POLLIN)
    return not poll.poll(0)


# Its versions are pinned; where these are not what they were, nothing may be measured.
if not (hasattr(client, "_may_retry_after_send_error") and hasattr(connectionpool.ConnectionPool, "_is_socket_alive")):
    raise SystemExit("this version of geventhttpclient is not known here")
connectionpool.ConnectionPool._is_socket_alive = is_alive
# Where a connection is closed under a request it asks again by itself, up to eleven times, and counts nothing: what
# users lose is what is measured here.
client._may_retry_after_send_error = lambda method: False

RIGHT = frozenset([*range(200, 300), 304])


class Visitor(FastHttpUser):
    host = order["host"]
    # The next request leaves so long after the last one did, or at once where its answer took longer.
    wait_time = constant_throughput(order["perSecond"])
    network_timeout = order["timeoutSeconds"]
    connection_timeout = order["timeoutSeconds"]

    # An answer that leads elsewhere is an error like any other that is not 2xx.
    max_redirects = 0

    def on_start(self):
        self.client.client.valid_response_codes = RIGHT

    @task
    def ask(self):
        self.client.request(order["method"], order["path"], data=body, headers=dict(order["headers"]))


@events.quitting.add_listener
def wait_for_csv(**_):
    # The files are written once a second, and Locust does not wait for the last time.
    gevent.sleep(2 * stats.CSV_STATS_INTERVAL_SEC)
