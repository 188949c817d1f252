"""Users that come one after the other and each ask at a pace of their own.

What bench/engines/locust.js orders stands in HOPBENCH_GENERATOR.
"""
import json
import os

import gevent
from locust import FastHttpUser, constant_throughput, events, stats, task

order = json.loads(os.environ["HOPBENCH_GENERATOR"])

# A line of history for every second, on disk at once: the last ones count as much as the first.
stats.CSV_STATS_INTERVAL_SEC = 1
stats.CSV_STATS_FLUSH_INTERVAL_SEC = 0.5

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
