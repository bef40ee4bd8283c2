"""Sends the requests that come as lines of JSON on standard input over one kept connection, and prints the responses likewise."""

import http.client
import json
import ssl
import sys
import urllib.parse

address, ca, certificate, key = sys.argv[1:]
context = ssl.create_default_context(cafile=ca)
context.load_cert_chain(certificate, key)
server = urllib.parse.urlsplit(address)
connection = http.client.HTTPSConnection(server.hostname, server.port, context=context)

for line in sys.stdin:
    request = json.loads(line)
    body = request.get("body")
    headers = {} if body is None else {"content-type": request["type"]}
    try:
        connection.request(request["method"], request["path"], None if body is None else body.encode(), headers)
        response = connection.getresponse()
        answer = {"status": response.status, "body": response.read().decode()}
    except (OSError, http.client.HTTPException) as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
