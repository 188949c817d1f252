# A WSGI app under a server of the standard library, with a thread for each connection.
import os
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer


def app(environ, start_response):
    body = b'{"hello": "world"}'
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
    return [body]


class Quiet(WSGIRequestHandler):
    def log_message(self, format, *args):
        pass


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128


server = Server(("127.0.0.1", int(os.environ["PORT"])), Quiet)
server.set_app(app)
server.serve_forever()
