"""Users that come one after the other and each ask at a pace of their own.

What bench/engines/locust.js orders stands in HOPBENCH_GENERATOR.
"""
import json
import os

import gevent
import geventhttpclient.client
from locust import FastHttpUser, constant_throughput, events, stats, task

order = json.loads(os.environ["HOPBENCH_GENERATOR"])

# A line of history for every second, on disk at once: the last ones count as much as the first.
stats.CSV_STATS_INTERVAL_SEC = 1
stats.CSV_STATS_FLUSH_INTERVAL_SEC = 0.5

# Where a connection is closed under a request its client asks again by itself, up to eleven times, and counts nothing.
# What a user loses is what is asked here. (The version is pinned; where it has no such function, nothing may be measured.)
if not hasattr(geventhttpclient.client, "_may_retry_after_send_error"):
    raise SystemExit("geventhttpclient asks again in a way that is not known here")
geventhttpclient.client._may_retry_after_send_error = lambda method: False

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
        self.client.get(order["path"], headers=dict(order["headers"]))


@events.quitting.add_listener
def wait_for_csv(**_):
    # The files are written once a second, and Locust does not wait for the last time.
    gevent.sleep(2 * stats.CSV_STATS_INTERVAL_SEC)
