import { readFileSync } from 'node:fs';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** Child process, the limit for watches: answers 200, keeps streams open, and writes each frame from its parent to all, without queues. */
const [certFile = '', keyFile = '', caFile = ''] = process.argv.slice(2);
const streams = new Set<ServerHttp2Stream>();
const server = createSecureServer({
  cert: readFileSync(certFile),
  key: readFileSync(keyFile),
  ca: readFileSync(caFile),
  requestCert: true,
  settings: { maxConcurrentStreams: 1000 },
});
server.on('stream', (stream) => {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  streams.add(stream);
  stream.on('close', () => streams.delete(stream));
  stream.on('error', () => undefined);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', (text: string) => {
  const bytes = Buffer.from(text);
  for (const stream of streams) stream.write(bytes);
  process.send?.('sent');
});
process.on('disconnect', () => process.exit(0));
