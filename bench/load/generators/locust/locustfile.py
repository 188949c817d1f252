"""Users that start one after the other and send requests at a pace of their own.

HOPBENCH_GENERATOR holds the order of bench/engines/locust.js.
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

# Writes a line of history every second at once, because the last lines count like the first ones.
stats.CSV_STATS_INTERVAL_SEC = 1
stats.CSV_STATS_FLUSH_INTERVAL_SEC = 0.5


def is_alive(_, sock):
    """Whether an idle connection is open. Readable data on an idle connection means that it has ended.

    The client itself uses select(), which supports no descriptor above 1023, so that users beyond that number would
    open a new connection for each request. Like select() here, poll() lets other users run before it returns, so a
    connection may end between the check and the request, as in any network.
    """
    if sock is None or sock.fileno() < 0:
        return False
    poll = gevent.select.poll()
    poll.register(sock.fileno(), gevent.select.POLLIN)
    return not poll.poll(0)


# The versions are pinned. Refuses to measure with an unknown version.
if not (hasattr(client, "_may_retry_after_send_error") and hasattr(connectionpool.ConnectionPool, "_is_socket_alive")):
    raise SystemExit("this version of geventhttpclient is not known here")
connectionpool.ConnectionPool._is_socket_alive = is_alive
# Turns off retries: the client would repeat a request whose connection was closed up to eleven times, and would not
# count these errors.
client._may_retry_after_send_error = lambda method: False

RIGHT = frozenset([*range(200, 300), 304])


class Visitor(FastHttpUser):
    host = order["host"]
    # Time from one request to the next, or none if the response took longer.
    wait_time = constant_throughput(order["perSecond"])
    network_timeout = order["timeoutSeconds"]
    connection_timeout = order["timeoutSeconds"]

    # A redirect is an error, like any other status that is not 2xx.
    max_redirects = 0

    def on_start(self):
        self.client.client.valid_response_codes = RIGHT

    @task
    def ask(self):
        self.client.request(order["method"], order["path"], data=body, headers=dict(order["headers"]))


@events.quitting.add_listener
def wait_for_csv(**_):
    # The files are written once a second, and Locust does not wait for the last write.
    gevent.sleep(2 * stats.CSV_STATS_INTERVAL_SEC)
