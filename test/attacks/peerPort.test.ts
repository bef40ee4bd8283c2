import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import tls, { type ConnectionOptions } from 'node:tls';
import { createAuthority, issueCertificate } from '../../deploy/certificates.js';
import { peerRequest } from '../../deploy/pki.js';
import { Bystander } from './bystander.js';
import { Target } from './target.js';

const rounds = 60;
const growthMax = 1.5;

/** The port between replicas accepts only members' certificates, and only members' messages. */
describe('attacks/peerPort', function () {
  let target: Target;
  let bystander: Bystander;
  let standing: string;
  const pki = (name: string): string => fs.readFileSync(path.join(path.dirname(target.cluster.cluster.pki.caFile), name), 'utf8');
  const own = (name: string): { readonly cert: string; readonly key: string } => ({ cert: pki(`${name}.crt`), key: pki(`${name}.key`) });
  const port = (): number => Number(target.member(1).peerAddress.split(':')[1]);
  const state = async (): Promise<string> => {
    const { leaderId, term } = await target.cluster.status(target.member());
    return `${leaderId} in term ${term}`;
  };

  before(async () => {
    target = await Target.start({ replicas: 3 });
    bystander = await Bystander.start(target);
    await target.cluster.leader();
    standing = await state();
  });
  after(async () => {
    await bystander?.stop();
    await target?.stop();
  });
  afterEach(async () => {
    expect(await state()).to.equal(standing);
    await target.expectAlive();
    await bystander.served(1);
  });

  /** Sends bytes; returns everything until the server closes. */
  async function say(bytes: Buffer, options: ConnectionOptions = {}): Promise<Buffer> {
    const chunks: Buffer[] = [];
    const socket = tls.connect({ host: '127.0.0.1', port: port(), servername: 'r2.raft', rejectUnauthorized: false, ...options });
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('secureConnect', () => {
      socket.write(bytes);
    });
    await new Promise<void>((resolve) => {
      socket
        .once('close', () => {
          resolve();
        })
        .once('end', () => {
          resolve();
        });
    });
    socket.destroy();
    return Buffer.concat(chunks);
  }

  const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
  const frame = (kind: number, payload: Buffer): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(payload.length + 1);
    head[4] = kind;
    return Buffer.concat([head, payload]);
  };
  const hello = ({ version = 1, cluster = '0'.repeat(16), id = 'r1', incarnation = 'x', to = 'r2', purpose = 0 } = {}): Buffer =>
    frame(
      1,
      Buffer.concat([
        text('RAFT'),
        Buffer.from([version]),
        text(cluster),
        text(id),
        text(incarnation),
        text(to),
        Buffer.from([purpose]),
        text(''),
      ]),
    );
  const welcome = 2;

  describe('certificates', () => {
    const never = async (options: ConnectionOptions): Promise<void> => {
      expect((await say(hello(), options))[4]).not.to.equal(welcome);
    };
    it('none', async () => {
      await never({});
    });
    it('of an administrator', async () => {
      await never(own('admin'));
    });
    it('of the controller manager', async () => {
      await never(own('controller-manager'));
    });
    it('of the API server', async () => {
      await never(own('apiserver'));
    });
    it('of another authority', async () => {
      const pair = await issueCertificate(await createAuthority('kubernetes'), peerRequest('r1'));
      await never({ cert: pair.certificate, key: pair.key });
    });
    it('of the authority of clients', async () => {
      const pair = await issueCertificate({ certificate: pki('ca.crt'), key: pki('ca.key') }, peerRequest('r1'));
      await never({ cert: pair.certificate, key: pair.key });
    });
    const authority = (): { readonly certificate: string; readonly key: string } => ({
      certificate: pki('raft-ca.crt'),
      key: pki('raft-ca.key'),
    });
    for (const [what, request] of Object.entries({
      'a member only in the common name': { commonName: 'r1', usages: ['clientAuth' as const] },
      'a member only below another name': { commonName: 'r1', usages: ['clientAuth' as const], dnsNames: ['r1.raft.example.com'] },
      'every member': { commonName: 'r1', usages: ['serverAuth' as const, 'clientAuth' as const], dnsNames: ['*.raft'] },
      nobody: { commonName: 'r1', usages: ['clientAuth' as const], dnsNames: ['.raft'] },
      'a stranger': { ...peerRequest('mallory') },
      'one that must not be a client': { commonName: 'r1', usages: ['serverAuth' as const], dnsNames: ['r1.raft'] },
    })) {
      it(`that names ${what}`, async () => {
        const pair = await issueCertificate(authority(), request);
        await never({ cert: pair.certificate, key: pair.key });
      });
    }
    it('of a member, over TLS 1.2', async () => {
      await never({ ...own('raft-r1'), maxVersion: 'TLSv1.2' });
    });
  });

  describe('words of a member that are wrong', () => {
    const wrong: Readonly<Record<string, () => Buffer>> = {
      'another version': () => hello({ version: 99 }),
      'another cluster': () => hello(),
      'the name of another member': () => hello({ id: 'r3' }),
      'a call for another member': () => hello({ to: 'r3' }),
      'a purpose that is none': () => hello({ purpose: 9 }),
      'no hello at all': () => frame(4, Buffer.from('x')),
      'an append before hello': () => frame(4, Buffer.alloc(1_000)),
      'a snapshot before hello': () => frame(8, Buffer.alloc(1_000)),
      'a frame of 4 GiB': () => Buffer.from([0xff, 0xff, 0xff, 0xff, 1]),
      'a frame of nothing': () => Buffer.alloc(4),
      'a frame that nobody knows': () => frame(200, Buffer.alloc(10)),
      'a text beyond the frame': () => frame(1, Buffer.from([0xff, 0xff, 0xff, 0x7f])),
      HTTP: () => Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n'),
      'a megabyte of a hello': () => frame(1, Buffer.alloc(2 ** 20, 1)),
    };
    for (const [what, bytes] of Object.entries(wrong))
      it(what, async () => {
        expect((await say(bytes(), own('raft-r1')))[4]).not.to.equal(welcome);
      });
  });

  it('junk, before and behind the handshake, leaves memory as it was', async () => {
    const junk = async (seed: number): Promise<void> => {
      const bytes = Buffer.from(Array.from({ length: 200 }, (_, each) => (each * 31 + seed * 17) % 256));
      await Promise.all([say(bytes), say(bytes, own('raft-r1')), say(frame(seed % 12, bytes), own('raft-r1'))]);
    };
    for (let seed = 0; seed < 10; seed += 1) await junk(seed);
    const before = target.residentBytes(1);
    for (let seed = 0; seed < rounds; seed += 1) await junk(seed);
    expect(target.residentBytes(1) / before).to.be.below(growthMax);
  });
});
