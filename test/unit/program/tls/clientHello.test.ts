import net from 'node:net';
import { once } from 'node:events';
import tls from 'node:tls';
import { expect } from 'chai';
import { askedName, serverNameIn } from '../../../../program/tls/clientHello.js';

/** The first bytes of Node's client. */
async function helloOf(options: tls.ConnectionOptions): Promise<Buffer> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = tls.connect({ host: '127.0.0.1', port: (server.address() as net.AddressInfo).port, ...options });
  client.on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [net.Socket];
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return bytes;
}

describe('the server name in the first message of TLS', () => {
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
    it(`is read from a client of ${maxVersion}, and awaited while bytes are missing`, async () => {
      const hello = await helloOf({ servername: 'a.example', maxVersion });
      expect(serverNameIn(hello)).to.equal('a.example');
      for (let length = 0; length < hello.length; length++)
        expect(serverNameIn(hello.subarray(0, length)), `${length} bytes`).to.equal('more');
      expect(serverNameIn(await helloOf({ maxVersion }))).to.equal(null);
    });

  it('is read from a message that several records carry', async () => {
    const hello = await helloOf({ servername: 'a.example' });
    const message = hello.subarray(5);
    const record = (part: Buffer): Buffer => Buffer.concat([Buffer.of(22, 3, 1, part.length >> 8, part.length & 0xff), part]);
    expect(
      serverNameIn(Buffer.concat([record(message.subarray(0, 3)), record(message.subarray(3, 60)), record(message.subarray(60))])),
    ).to.equal('a.example');
  });

  it('is none in a message of more records than clients send', async () => {
    const message = (await helloOf({ servername: 'a.example' })).subarray(5);
    const records = Array.from({ length: 9 }, (_item, at) => Buffer.concat([Buffer.of(22, 3, 1, 0, 1), message.subarray(at, at + 1)]));
    expect(serverNameIn(Buffer.concat(records.slice(0, 7)))).to.equal('more');
    expect(serverNameIn(Buffer.concat(records))).to.equal(null);
  });

  it('is none in other bytes, whatever they are', async () => {
    expect(serverNameIn(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).to.equal(null);
    const hello = await helloOf({ servername: 'a.example' });
    for (let at = 5; at < hello.length; at++) {
      const damaged = Buffer.from(hello);
      damaged[at] = 0xff;
      expect(serverNameIn(damaged), `byte ${at}`).to.satisfy((name: unknown) => name === null || typeof name === 'string');
    }
  });

  it('arrives in pieces, which stay readable for whoever comes next', async () => {
    const hello = await helloOf({ servername: 'a.example' });
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1').setNoDelay(true);
    const [socket] = (await once(server, 'connection')) as [net.Socket];
    const found = new Promise((resolve) => {
      askedName(socket, resolve);
    });
    client.write(hello.subarray(0, 40));
    await once(socket, 'readable');
    client.write(hello.subarray(40));
    expect(await found).to.equal('a.example');
    expect(Buffer.compare(socket.read() as Buffer, hello)).to.equal(0);
    client.destroy();
    socket.destroy();
    server.close();
  });
});
