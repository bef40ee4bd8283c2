import fs from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import type { Prng } from '../simulation/prng.js';
import type { Target } from '../attacks/target.js';
import { within, type Campaign, type Step } from './campaign.js';
import { mutatedBytes } from './mutations.js';

/** Longer than a member's limit for the handshake. */
const closesWithinMs = 15_000;
const sent = ['RAFT', 'r1', 'r2', '', 'x'.repeat(300), '0'.repeat(16)] as const;

const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length & 0x7f]), Buffer.from(value)]);
function frame(kind: number, payload: Buffer, length = payload.length + 1): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(length >>> 0);
  head[4] = kind;
  return Buffer.concat([head, payload]);
}

function hello(prng: Prng): Buffer {
  const word = (usual: string): Buffer => text(prng.chance(700) ? usual : prng.pick(sent));
  return frame(
    1,
    Buffer.concat([
      word('RAFT'),
      Buffer.of(prng.chance(800) ? 1 : prng.below(256)),
      word('0'.repeat(16)),
      word('r1'),
      word('x'),
      word('r1'),
      Buffer.of(prng.below(4)),
      word(''),
    ]),
  );
}

/** Sends what clients with and without a member's certificate may send to the peer port before the handshake ends; none gets in. */
export function peerCampaign(target: Target): Campaign {
  const { pki } = target.cluster.cluster;
  const member = {
    cert: fs.readFileSync(pki.peer(target.member().id).certFile),
    key: fs.readFileSync(pki.peer(target.member().id).keyFile),
  };
  const admin = { cert: fs.readFileSync(pki.admin.certFile), key: fs.readFileSync(pki.admin.keyFile) };
  const port = Number(target.member().peerAddress.split(':')[1]);
  return {
    name: 'peer',
    async step(prng: Prng): Promise<Step> {
      const plain = prng.chance(100);
      const frames = Array.from({ length: prng.between(1, 4) }, () =>
        prng.chance(500)
          ? hello(prng)
          : frame(prng.below(20), Buffer.alloc(prng.below(500), prng.below(256)), prng.chance(800) ? undefined : prng.below(2 ** 32)),
      );
      const bytes = prng.chance(500) ? mutatedBytes(prng, Buffer.concat(frames)) : Buffer.concat(frames);
      const credentials = prng.pick([{}, member, member, member, admin]);
      const socket = plain
        ? net.connect(port, '127.0.0.1')
        : tls.connect({ host: '127.0.0.1', port, servername: `${target.member().id}.raft`, rejectUnauthorized: false, ...credentials });
      const chunks: Buffer[] = [];
      socket.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.once(plain ? 'connect' : 'secureConnect', () => {
        socket.write(bytes);
      });
      const closed = new Promise<boolean>((resolve) => {
        socket
          .once('close', () => {
            resolve(true);
          })
          .once('end', () => {
            resolve(true);
          });
      });
      const outcome = await within(closed, closesWithinMs);
      socket.destroy();
      const welcomed = Buffer.concat(chunks)[4] === 2;
      return {
        did: bytes.toString('hex'),
        outcome: outcome === 'late' ? 'left open' : 'closed',
        wrong: welcomed ? 'a stranger was welcomed' : outcome === 'late' ? 'the connection stays open' : null,
      };
    },
  };
}
