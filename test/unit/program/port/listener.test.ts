import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { join } from 'node:path';
import tls from 'node:tls';
import * as x509 from '@peculiar/x509';
import { expect } from 'chai';
import { connectionsMax } from '../../../../program/port/connections/connectionLimit.js';
import { CredentialError, checkTlsSettings, readAuthorities, readKeyPair, selfSignedPair } from '../../../../program/tls/credentials.js';
import { writeJson } from '../../../../program/port/errors.js';
import type { Exchange } from '../../../../server/http/exchange.js';
import { ListenError } from '../../../../program/port/bind.js';
import { listen, secureContextOptions } from '../../../../program/port/listener.js';
import { fixed, LiveFiles } from '../../../../program/files/liveFile.js';
import { readApiServerOptions } from '../../../../server/options/read.js';
import { servingOptions } from '../../../../server/assembly/serving.js';
import { sniChooser } from '../../../../program/tls/sni.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { call1, call2, openFrontDoor, recordingLogger, untilRefused } from '../../../fixtures/frontDoor.js';
import { createIdentities } from '../../../fixtures/identities.js';
import type { Identities, Identity } from '../../../fixtures/identities.js';

async function rejection(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: unknown) => error as Error,
  );
}

const pairOf = ({ cert, key }: Identity): { cert: Buffer; key: Buffer } => ({ cert: Buffer.from(cert), key: Buffer.from(key) });

/** Node's library accepts 1,000 resets at once and 33 a second, then sends GOAWAY. This leaves room for resets in transit. */
const resetsMax = 3_000;

const frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.set([type, flags], 3);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};
/** `GET https://x/version` in HPACK's static table, then a reset. A client library would not send a cancelled request. */
const resetStream = (stream: number): Buffer =>
  Buffer.concat([
    frame(1, 5, stream, Buffer.concat([Buffer.of(0x82, 0x87, 0x01, 1), Buffer.from('x'), Buffer.of(0x04, 8), Buffer.from('/version')])),
    frame(3, 0, stream, Buffer.of(0, 0, 0, http2.constants.NGHTTP2_CANCEL)),
  ]);
/** The codes of the received GOAWAY frames; the server sends little else here. */
function goawaysIn(bytes: Buffer): number[] {
  const codes: number[] = [];
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3))
    if (bytes[at + 3] === 7 && at + 17 <= bytes.length) codes.push(bytes.readUInt32BE(at + 13));
  return codes;
}

describe('the listener', () => {
  let identities: Identities;
  let server: Identity;
  const quick = (context: unknown): Promise<void> => {
    writeJson(context as Exchange, 200, {});
    return Promise.resolve();
  };

  before(async () => {
    identities = await createIdentities();
    server = await identities.issue({ name: 'server', usage: 'serverAuth', dns: ['plain.example', '*.wild.example'] });
  });

  it('names the port that is in use', async () => {
    const first = await openFrontDoor({ identities, server, resources: quick });
    const error = await rejection(openFrontDoor({ identities, server, resources: quick, listener: { port: first.port } }));
    expect(error).to.be.instanceOf(ListenError);
    expect(error.message).to.include(`127.0.0.1:${first.port}`).and.include('another process listens there already');
    await first.listener.close();
  });
  it('names an address that this machine does not have', async () => {
    const pair = { cert: Buffer.from(server.cert), key: Buffer.from(server.key) };
    const error = await rejection(
      listen({
        host: '192.0.2.1',
        port: 0,
        credentials: fixed({ certificate: pair, clientCa: null, sni: null }),
        tls: {},
        http2: true,
        http2StreamsMax: 0,
        goawayChance: 0,
        handle: () => {},
      }),
    );
    expect(error.message).to.match(/cannot listen on 192\.0\.2\.1:0: this machine has no such address; check --bind-address/);
  });

  it('offers HTTP/2 unless it is switched off', async () => {
    const protocolOf = async (port: number): Promise<string | false | null> => {
      const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['h2', 'http/1.1'] });
      await once(socket, 'secureConnect');
      const { alpnProtocol } = socket;
      socket.destroy();
      return alpnProtocol;
    };
    const both = await openFrontDoor({ identities, server, resources: quick });
    const one = await openFrontDoor({ identities, server, resources: quick, listener: { http2: false } });
    expect([await protocolOf(both.port), await protocolOf(one.port)]).to.deep.equal(['h2', 'http/1.1']);
    expect((await call1(one.port, { path: '/readyz' })).text).to.equal('ok');
    await both.listener.close();
    await one.listener.close();
  });
  it('refuses old TLS versions when told to', async () => {
    const door = await openFrontDoor({ identities, server, resources: quick, listener: { tls: { minVersion: 'TLSv1.3' } } });
    const socket = tls.connect({ host: '127.0.0.1', port: door.port, rejectUnauthorized: false, maxVersion: 'TLSv1.2' });
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).to.match(/ALERT_PROTOCOL_VERSION/);
    await door.listener.close();
  });

  for (const protocol of ['h2', 'http/1.1'])
    it(`refuses to renegotiate, over ${protocol}`, async () => {
      const door = await openFrontDoor({ identities, server, resources: quick });
      const socket = tls.connect({
        host: '127.0.0.1',
        port: door.port,
        rejectUnauthorized: false,
        maxVersion: 'TLSv1.2',
        ALPNProtocols: [protocol],
      });
      await once(socket, 'secureConnect');
      const renegotiated = new Promise<string>((resolve) => {
        socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
          resolve(code);
        });
        socket.renegotiate({}, () => {
          resolve('renegotiated');
        });
      });
      const outcome = await renegotiated;
      socket.destroy();
      await door.listener.close();
      expect(outcome).to.equal('ERR_SSL_NO_RENEGOTIATION');
    });

  it('tells clients how many streams a connection may have', async () => {
    const settingsOf = async (http2StreamsMax: number): Promise<number | undefined> => {
      const door = await openFrontDoor({ identities, server, resources: quick, listener: { http2StreamsMax } });
      const session = http2.connect(`https://127.0.0.1:${door.port}`, { rejectUnauthorized: false });
      const [settings] = (await once(session, 'remoteSettings')) as [http2.Settings];
      session.destroy();
      await door.listener.close();
      return settings.maxConcurrentStreams;
    };
    expect([await settingsOf(7), await settingsOf(0)]).to.deep.equal([7, 1_000]);
  });
  it('sends a client away that opens streams and resets them as fast as it can, and goes on serving the others', async () => {
    let handled = 0;
    const door = await openFrontDoor({
      identities,
      server,
      resources: quick,
      listener: {
        handle: (_request, response) => {
          handled += 1;
          response.end();
        },
      },
    });
    const attacker = tls.connect({ port: door.port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    const codes: number[] = [];
    attacker
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        codes.push(...goawaysIn(chunk));
      });
    await once(attacker, 'secureConnect');
    attacker.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0, Buffer.alloc(0))]));
    let streamId = 1;
    for (let batch = 0; batch < 200; batch += 1) {
      const frames = Array.from({ length: 100 }, () => resetStream((streamId += 2) - 2));
      await new Promise<void>((resolve) => {
        attacker.write(Buffer.concat(frames), () => {
          setImmediate(resolve);
        });
      });
    }
    while (codes.length === 0) await once(attacker, 'data');
    expect(handled, 'what was handled of 20,000').to.be.below(resetsMax);
    attacker.destroy();
    const other = http2.connect(`https://127.0.0.1:${door.port}`, { rejectUnauthorized: false });
    const [headers] = (await once(other.request({ ':path': '/version' }).end(), 'response')) as [
      http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader,
    ];
    expect(headers[':status']).to.equal(200);
    other.destroy();
    await door.listener.close();
  });

  it('has no more connections than its bound: the one that is needed least goes', async () => {
    expect([connectionsMax(1_000), connectionsMax(Infinity), connectionsMax() > 0]).to.deep.equal([750, 20_000, true]);
    const door = await openFrontDoor({ identities, server, resources: quick, listener: { connectionsMax: 2 } });
    const connect = (): Promise<tls.TLSSocket | null> =>
      new Promise((resolve) => {
        const socket = tls.connect({ port: door.port, host: '127.0.0.1', rejectUnauthorized: false });
        socket
          .on('error', () => undefined)
          .once('secureConnect', () => {
            resolve(socket);
          })
          .once('close', () => {
            resolve(null);
          });
      });
    const [first, second] = [await connect(), await connect()];
    expect([first, second]).not.to.include(null);
    const gone = once((first as tls.TLSSocket).resume(), 'close');
    const third = await connect();
    await gone;
    expect([second?.destroyed, third?.destroyed], 'those that stay').to.deep.equal([false, false]);
    for (const socket of [second, third]) socket?.destroy();
    await door.listener.close();
  });

  it('talks in the suites that it was given', async () => {
    const options = readApiServerOptions([
      '--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA',
      `--tls-cert-file=${server.certFile}`,
      `--tls-private-key-file=${server.keyFile}`,
      '--tls-min-version=VersionTLS12',
    ]);
    if (!options.ok) throw new Error(options.errors.join());
    const live = new LiveFiles();
    const { tls: settings } = servingOptions(options.options, live, recordingLogger([]));
    live.stop();
    const door = await openFrontDoor({ identities, server, resources: quick, listener: { tls: settings } });
    const talk = async (ciphers: string): Promise<string> => {
      const socket = tls.connect({ host: '127.0.0.1', port: door.port, rejectUnauthorized: false, maxVersion: 'TLSv1.2', ciphers });
      const outcome = await Promise.race([
        once(socket, 'secureConnect').then(() => socket.getCipher().name),
        once(socket, 'error').then(() => 'refused'),
      ]).catch(() => 'refused');
      socket.destroy();
      return outcome;
    };
    expect([
      await talk('ECDHE-ECDSA-AES128-GCM-SHA256'),
      await talk('ECDHE-ECDSA-AES256-SHA'),
      await talk('ECDHE-ECDSA-CHACHA20-POLY1305'),
    ]).to.deep.equal(['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-SHA', 'refused']);
    await door.listener.close();
  });

  it('agrees on keys in the ways that it was given', async () => {
    const options = readApiServerOptions([
      '--tls-curve-preferences=23',
      `--tls-cert-file=${server.certFile}`,
      `--tls-private-key-file=${server.keyFile}`,
    ]);
    if (!options.ok) throw new Error(options.errors.join());
    const live = new LiveFiles();
    const { tls: settings } = servingOptions(options.options, live, recordingLogger([]));
    live.stop();
    const door = await openFrontDoor({ identities, server, resources: quick, listener: { tls: settings } });
    const agrees = async (ecdhCurve: string): Promise<boolean> => {
      const socket = tls.connect({ host: '127.0.0.1', port: door.port, rejectUnauthorized: false, ecdhCurve });
      const outcome = await Promise.race([once(socket, 'secureConnect').then(() => true), once(socket, 'error').then(() => false)]).catch(
        () => false,
      );
      socket.destroy();
      return outcome;
    };
    expect([await agrees('P-256'), await agrees('X25519')]).to.deep.equal([true, false]);
    await door.listener.close();
  });

  it('shows a certificate of a name that was replaced as soon as its files are looked at', async () => {
    const [first, second] = await Promise.all(
      ['first', 'second'].map((name) => identities.issue({ name, usage: 'serverAuth', dns: ['sni.example'] })),
    );
    const directory = temporaryDirectory('sni');
    const [certFile, keyFile] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
    const put = ({ cert, key }: Identity): void => {
      writeFileSync(certFile, cert);
      writeFileSync(keyFile, key);
    };
    put(first!);
    const options = readApiServerOptions([
      `--tls-sni-cert-key=${certFile},${keyFile}:sni.example`,
      `--tls-cert-file=${server.certFile}`,
      `--tls-private-key-file=${server.keyFile}`,
    ]);
    if (!options.ok) throw new Error(options.errors.join());
    const live = new LiveFiles();
    const { credentials } = servingOptions(options.options, live, recordingLogger([]));
    const door = await openFrontDoor({ identities, server, resources: quick, listener: { credentials } });
    const shown = async (): Promise<unknown> => {
      const socket = tls.connect({ host: '127.0.0.1', port: door.port, servername: 'sni.example', rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      return subject.CN;
    };
    expect(await shown()).to.equal('first');
    put(second!);
    live.look();
    expect(await shown()).to.equal('second');
    live.stop();
    await door.listener.close();
  });

  describe('certificates of names whose keys are of another type than the default one', () => {
    let rsa: { cert: Buffer; key: Buffer };
    before(async () => {
      const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) };
      const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
      const cert = await x509.X509CertificateGenerator.createSelfSigned({ name: 'CN=rsa', keys, signingAlgorithm: algorithm }, webcrypto);
      rsa = {
        cert: Buffer.from(cert.toString('pem')),
        key: Buffer.from(KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }) as string),
      };
    });

    for (const [standard, http2] of [
      ['ecdsa', true],
      ['rsa', true],
      ['rsa', false],
    ] as const)
      it(`are shown beside a default one of ${standard}, ${http2 ? 'with' : 'without'} HTTP/2, whatever the client can read`, async () => {
        const clientCa = Buffer.from(identities.ca);
        const [certificate, other] = standard === 'rsa' ? [rsa, pairOf(server)] : [pairOf(server), rsa];
        const directory = temporaryDirectory('types');
        const files = [join(directory, 'tls.crt'), join(directory, 'tls.key')] as const;
        writeFileSync(files[0], other.cert);
        writeFileSync(files[1], other.key);
        const sni = sniChooser([`${files[0]},${files[1]}:named.example`], (pair) =>
          secureContextOptions({ certificate: pair, clientCa }, {}),
        );
        const listener = { http2, credentials: fixed({ certificate, clientCa, sni }) };
        const door = await openFrontDoor({ identities, server, resources: quick, listener });
        const shown = async (options: tls.ConnectionOptions): Promise<unknown> => {
          const socket = tls.connect({ host: '127.0.0.1', port: door.port, rejectUnauthorized: false, ...options });
          await once(socket, 'secureConnect');
          const name = socket.getPeerCertificate().subject.CN;
          socket.destroy();
          return name;
        };
        const [own, named] = standard === 'rsa' ? ['rsa', 'server'] : ['server', 'rsa'];
        for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
          const versions = { minVersion: version, maxVersion: version };
          expect(await shown({ ...versions, servername: 'named.example' })).to.equal(named);
          expect(await shown({ ...versions, servername: 'other.example' })).to.equal(own);
          expect(await shown(versions)).to.equal(own);
        }
        const admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
        const ask = { path: '/metrics', identity: admin, servername: 'named.example' };
        expect((await call1(door.port, ask)).status).to.equal(200);
        await door.listener.close();
      });

    it('lets clients resume their sessions', async () => {
      const clientCa = Buffer.from(identities.ca);
      const texts = [`${server.certFile},${server.keyFile}:named.example`];
      const sni = sniChooser(texts, (pair) => secureContextOptions({ certificate: pair, clientCa }, {}));
      const door = await openFrontDoor({
        identities,
        server,
        resources: quick,
        listener: { credentials: fixed({ certificate: rsa, clientCa, sni }) },
      });
      const options = {
        host: '127.0.0.1',
        port: door.port,
        rejectUnauthorized: false,
        servername: 'named.example',
        maxVersion: 'TLSv1.2',
      } as const;
      const first = tls.connect(options);
      const [session] = (await once(first, 'session')) as [Buffer];
      first.destroy();
      const second = tls.connect({ ...options, session });
      await once(second, 'secureConnect');
      expect(second.isSessionReused()).to.equal(true);
      second.destroy();
      await door.listener.close();
    });
  });

  it('shows the certificate of the name that is asked for', async () => {
    const given = await identities.issue({ name: 'given', usage: 'serverAuth', dns: ['other.example'] });
    const clientCa = Buffer.from(identities.ca);
    const texts = [`${server.certFile},${server.keyFile}`, `${given.certFile},${given.keyFile}:plain.example,*.deep.example`];
    const sni = sniChooser(texts, (certificate) => secureContextOptions({ certificate, clientCa }, {}));
    const door = await openFrontDoor({
      identities,
      server,
      resources: quick,
      listener: { credentials: fixed({ certificate: pairOf(server), clientCa, sni }) },
    });
    const nameFor = async (servername: string): Promise<unknown> => {
      const socket = tls.connect({ host: '127.0.0.1', port: door.port, servername, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      return subject.CN;
    };
    expect(await nameFor('plain.example')).to.equal('given');
    expect(await nameFor('x.deep.example')).to.equal('given');
    expect(await nameFor('x.wild.example')).to.equal('server');
    expect(await nameFor('unknown.example')).to.equal('server');
    const admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    expect((await call1(door.port, { path: '/metrics', identity: admin, servername: 'plain.example' })).status).to.equal(200);
    await door.listener.close();
  });

  it('shows a new certificate and trusts new authorities once the files have changed, and keeps open connections', async () => {
    const [certFile, keyFile, caFile] = ['live.crt', 'live.key', 'live-ca.crt'].map((name) => join(identities.directory, name)) as [
      string,
      string,
      string,
    ];
    const others = await createIdentities('another authority');
    const stranger = await others.issue({ name: 'admin', groups: ['system:masters'] });
    const renewed = await identities.issue({ name: 'renewed', usage: 'serverAuth' });
    const put = (identity: Identity, ca: string): void => {
      writeFileSync(certFile, identity.cert);
      writeFileSync(keyFile, identity.key);
      writeFileSync(caFile, ca);
    };
    put(server, identities.ca);
    const live = new LiveFiles();
    const failures: string[] = [];
    const credentials = live.follow({
      files: [certFile, keyFile, caFile],
      read: () => ({
        certificate: readKeyPair(certFile, keyFile),
        clientCa: readAuthorities(caFile, '--ca').pem,
        sni: null,
      }),
      failed: ({ message }) => {
        failures.push(message);
      },
    });
    const anchors = live.follow({ files: [caFile], read: () => readAuthorities(caFile, '--ca').certificates });
    const door = await openFrontDoor({ identities, server, resources: quick, anchors, listener: { credentials } });
    const nameShown = async (): Promise<unknown> => {
      const socket = tls.connect({ host: '127.0.0.1', port: door.port, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      return subject.CN;
    };
    const statusOf = async (identity: Identity): Promise<number> => (await call1(door.port, { path: '/metrics', identity })).status;
    const open = http2.connect(`https://127.0.0.1:${door.port}`, { rejectUnauthorized: false });
    await once(open, 'connect');
    expect([await nameShown(), await statusOf(stranger)]).to.deep.equal(['server', 401]);
    writeFileSync(keyFile, renewed.key);
    live.look();
    expect([await nameShown(), failures.length]).to.deep.equal(['server', 1]);
    put(renewed, identities.ca + others.ca);
    live.look();
    expect([await nameShown(), await statusOf(stranger)]).to.deep.equal(['renewed', 200]);
    const [answer] = (await once(open.request({ ':path': '/readyz' }), 'response')) as [Record<string, unknown>];
    expect(answer[':status']).to.equal(200);
    open.destroy();
    live.stop();
    await door.listener.close();
  });

  it('drains: finishes what is under way, closes idle connections, takes no new ones', async () => {
    let entered = (): void => {};
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    let release = (): void => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    const door = await openFrontDoor({
      identities,
      server,
      chain: { authorize: () => ({ decision: 'allow', reason: '' }) },
      resources: async (context) => {
        entered();
        await waiting;
        await quick(context);
      },
    });
    const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
    const idle = await new Promise<tls.TLSSocket>((resolve) => {
      https.get({ host: '127.0.0.1', port: door.port, path: '/readyz', agent }, (response) => {
        response.resume();
      });
      agent.once('free', resolve);
    });
    const session = http2.connect(`https://127.0.0.1:${door.port}`, { rejectUnauthorized: false });
    const goaway = once(session, 'goaway');
    const busy1 = call1(door.port, { path: '/api/v1/things' });
    const busy2 = session.request({ ':path': '/api/v1/things' });
    const answer2 = once(busy2, 'response');
    await inside;
    while (door.chain.active.size < 2)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    const idleClosed = once(idle, 'close');
    door.listener.drain();
    await Promise.all([idleClosed, goaway]);
    await untilRefused(door.port);
    release();
    const { status, headers } = await busy1;
    expect([status, headers['connection']], 'it was there before, and is told to leave').to.deep.equal([200, 'close']);
    expect((await answer2)[0]).to.include({ ':status': 200 });
    busy2.resume();
    await once(session, 'close');
    agent.destroy();
    await door.listener.close();
  });
  it('answers those who come while connections linger, and tells them to leave', async () => {
    const door = await openFrontDoor({ identities, server, resources: quick });
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
    const ask = (): Promise<string | undefined> =>
      new Promise((resolve, reject) => {
        const free = once(agent, 'free');
        https
          .get({ host: '127.0.0.1', port: door.port, path: '/readyz', agent }, (response) => {
            response.resume();
            response.on('end', () => {
              void Promise.race([free, once(response.socket, 'close')]).then(() => {
                resolve(response.headers.connection);
              });
            });
          })
          .on('error', reject);
      });
    expect(await ask()).to.not.equal('close');
    const [lingering] = Object.values(agent.freeSockets).flat();
    door.listener.drain(60_000);
    expect(lingering?.destroyed, 'the idle connection').to.equal(false);
    expect(await ask()).to.equal('close');
    agent.destroy();
    await door.listener.close();
  });
  it('refuses new requests while the chain drains, on connections that are still open, but answers those who watch over the process', async () => {
    const door = await openFrontDoor({ identities, server, resources: quick });
    door.chain.drain('retryAfter');
    const answer = await call1(door.port, { path: '/api/v1/things' });
    expect([answer.status, answer.headers['retry-after'], answer.headers['connection']]).to.deep.equal([429, '5', 'close']);
    expect((await call2(door.port, { path: '/api/v1/things' })).status).to.equal(429);
    for (const path of ['/livez', '/readyz', '/healthz']) expect((await call1(door.port, { path })).status, path).to.equal(200);
    for (const path of ['/livez/ping', '/metrics'])
      expect((await call1(door.port, { path })).status, `${path}, which not everybody may see`).to.equal(403);
    expect((await call1(door.port, { path: '/livezz' })).status).to.equal(429);
    await door.listener.close();
  });
});

describe('credentials', () => {
  let identities: Identities;
  let pair: Identity;
  before(async () => {
    identities = await createIdentities();
    pair = await identities.issue({ name: 'server', usage: 'serverAuth' });
  });
  const write = (name: string, text: string): string => {
    const file = join(identities.directory, name);
    writeFileSync(file, text);
    return file;
  };

  it('names the file that is missing, malformed, expired or does not match', async () => {
    const other = await identities.issue({ name: 'other', usage: 'serverAuth' });
    const old = await identities.issue({ name: 'old', usage: 'serverAuth', expired: true });
    const junk = write('junk.pem', 'junk');
    expect(() => readKeyPair('/nope.crt', pair.keyFile)).to.throw(CredentialError, /cannot read the certificate \/nope\.crt/);
    expect(() => readKeyPair(identities.directory, pair.keyFile)).to.throw(CredentialError, /EISDIR/);
    expect(() => readKeyPair(junk, pair.keyFile)).to.throw(CredentialError, /junk\.pem does not begin with a PEM certificate/);
    expect(() => readKeyPair(pair.certFile, junk)).to.throw(CredentialError, /junk\.pem does not hold an unencrypted PEM private key/);
    expect(() => readKeyPair(pair.certFile, other.keyFile)).to.throw(CredentialError, /does not belong to the certificate/);
    expect(() => readKeyPair(old.certFile, old.keyFile)).to.throw(CredentialError, /expired at/);
    expect(() => readAuthorities(junk, '--ca')).to.throw(CredentialError, /^--ca: .*junk\.pem holds no PEM certificate/);
    expect(() => readAuthorities(write('broken.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'), '--ca')).to.throw(
      CredentialError,
      /broken\.pem/,
    );
    expect(() => sniChooser(['only-one'], (one) => one)).to.throw(CredentialError, /want certFile,keyFile/);
    expect(() => {
      checkTlsSettings({ ciphers: 'NOPE' });
    }).to.throw(CredentialError, /--tls-cipher-suites/);
  });
  it('makes a self-signed pair once and uses it again', async () => {
    const directory = join(temporaryDirectory('certs'), 'new');
    const names = { dns: ['localhost'], ip: ['127.0.0.1'] };
    const first = selfSignedPair(directory, names);
    const second = selfSignedPair(directory, names);
    expect(second).to.deep.equal(first);
    const made = readKeyPair(first.certFile, first.keyFile);
    const door = await openFrontDoor({
      identities,
      server: { cert: made.cert.toString(), key: made.key.toString(), ...first },
      resources: () => Promise.resolve(),
    });
    const socket = tls.connect({ host: '127.0.0.1', port: door.port, ca: made.cert, servername: 'localhost' });
    await once(socket, 'secureConnect');
    expect(socket.authorized).to.equal(true);
    socket.destroy();
    await door.listener.close();
  });
  it('says when the directory cannot be written to', () => {
    const directory = temporaryDirectory('certs');
    mkdirSync(join(directory, 'apiserver.key.new'));
    expect(() => selfSignedPair(directory, { dns: ['localhost'], ip: [] })).to.throw(
      CredentialError,
      /cannot keep the self-signed certificate in .*\(--cert-dir\)/,
    );
  });
});
