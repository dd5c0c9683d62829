# SPDX-License-Identifier: Apache-2.0
"""Serves this folder on a free port of loopback, which it tells through the FIFO 'port'."""
import http.server

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
with open("port", "w", encoding="ascii") as port:
    print(server.server_port, file=port)
server.serve_forever()
