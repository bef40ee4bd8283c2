import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { createChain } from '../../../../server/http/chain.js';

/** A chain behind a plain HTTP server on a free port, with upgrades. */
export async function listen(chain: ReturnType<typeof createChain>): Promise<{ readonly server: http.Server; readonly url: string }> {
  const server = http.createServer((request, response) => {
    chain.handle(request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    const response = new http.ServerResponse(request);
    response.assignSocket(socket as Socket);
    chain.handle(request, response, { socket, head });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
