import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** Child process: the limit for reads over HTTP/2. `/N` answers with N bytes. Ends with its parent. */
const [certFile = '', keyFile = '', caFile = ''] = process.argv.slice(2);
const bodies = new Map<string, Buffer>();
const server = createSecureServer(
  { cert: readFileSync(certFile), key: readFileSync(keyFile), ca: readFileSync(caFile), requestCert: true },
  (request, response) => {
    let body = bodies.get(request.url);
    if (body === undefined) bodies.set(request.url, (body = Buffer.alloc(Number(request.url.slice(1)), 120)));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  },
);
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit(0));
