import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import tls from 'node:tls';
import { expect } from 'chai';
import { writeJson } from '../../../../program/port/errors.js';
import type { Exchange } from '../../../../server/http/exchange.js';
import { frameTypes, RawHttp2 } from '../../../attacks/wire/http2Frames.js';
import { openFrontDoor, untilRefused } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../../fixtures/identities.js';

describe('a listener that drains', () => {
  let identities: Identities;
  let server: Identity;
  const quick = (context: unknown): Promise<void> => {
    writeJson(context as Exchange, 200, {});
    return Promise.resolve();
  };

  before(async () => {
    identities = await createIdentities();
    server = await identities.issue({ name: 'server', usage: 'serverAuth', dns: ['plain.example'] });
  });

  it('leaves a connection open whose response did not say that it ends: its client may have asked again', async () => {
    const door = await openFrontDoor({
      identities,
      server,
      resources: (context) => {
        writeJson(context as Exchange, 200, {});
        // The head is written, and the end of the response is not yet noticed.
        door.listener.announceEnd();
        return Promise.resolve();
      },
      chain: { authorize: () => ({ decision: 'allow', reason: '' }) },
    });
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
    const ask = async (): Promise<readonly unknown[]> => {
      const request = https.get({ host: '127.0.0.1', port: door.port, path: '/api/v1/things', agent });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      await once(request, 'close');
      return [response.statusCode, request.reusedSocket, response.headers.connection];
    };
    expect(await ask()).to.deep.equal([200, false, 'keep-alive']);
    expect(await ask()).to.deep.equal([200, true, 'close']);
    agent.destroy();
    await door.listener.close();
  });
  it('answers no stream beyond the one that its GOAWAY names', async () => {
    const answered: string[] = [];
    const door = await openFrontDoor({
      identities,
      server,
      resources: (context) => {
        answered.push((context as Exchange).request.url ?? '');
        return quick(context);
      },
      chain: { authorize: () => ({ decision: 'allow', reason: '' }) },
    });
    const client = await RawHttp2.open({ port: door.port });
    client.request('GET', '/api/v1/things');
    await client.until(() => client.complete.has(1));
    // After a timer the server reads before it writes, so the arrived stream precedes the GOAWAY.
    await new Promise<void>((resolve) => {
      setTimeout(() => {
        client.request('GET', '/api/v1/late');
        for (const arrived = performance.now() + 5; performance.now() < arrived;);
        door.listener.drain(60_000);
        resolve();
      });
    });
    await client.closed;
    const [goaway] = client.frames.filter(({ type }) => type === frameTypes.goaway);
    expect(goaway?.payload.readUInt32BE(0)).to.equal(1);
    expect(answered).to.deep.equal(['/api/v1/things']);
    await door.listener.close();
  });
  it('serves those who came before it refused connections, and waits for those who have not asked yet', async () => {
    const door = await openFrontDoor({ identities, server, resources: quick });
    const late = tls.connect({ host: '127.0.0.1', port: door.port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    // The connection is in the kernel's queue when the listener begins to drain.
    await once(late, 'connect');
    door.listener.drain(1);
    await once(late, 'secureConnect');
    expect(door.listener.unusedConnections).to.equal(1);
    await untilRefused(door.port);
    late.write('GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n');
    const [head] = (await once(late, 'data')) as [Buffer];
    expect(head.toString()).to.match(/^HTTP\/1\.1 200 [^]*connection: close/i);
    await once(late, 'close');
    expect(door.listener.unusedConnections).to.equal(0);
    await door.listener.close();
  });
  it('serves all that were in the queue of the kernel when it began', async () => {
    const door = await openFrontDoor({ identities, server, resources: quick });
    const clients = Array.from({ length: 20 }, () => tls.connect({ host: '127.0.0.1', port: door.port, rejectUnauthorized: false }));
    const secured = Promise.all(clients.map((client) => once(client, 'secureConnect')));
    await Promise.all(clients.map((client) => once(client, 'connect')));
    door.listener.drain(60_000);
    await secured;
    expect(door.listener.unusedConnections).to.equal(clients.length);
    for (const client of clients) client.destroy();
    await door.listener.close();
  });
  it('tells clients of HTTP/2 that came late of its end with their first answer', async () => {
    const door = await openFrontDoor({ identities, server, resources: quick });
    const client = http2.connect(`https://127.0.0.1:${door.port}`, { rejectUnauthorized: false });
    const goaway = once(client, 'goaway');
    door.listener.drain(60_000);
    await once(client, 'connect');
    const stream = client.request({ ':path': '/readyz' });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).to.equal(200);
    expect((await goaway).slice(0, 2)).to.deep.equal([http2.constants.NGHTTP2_NO_ERROR, stream.id]);
    await once(stream.resume(), 'close');
    await door.listener.close();
  });
});
