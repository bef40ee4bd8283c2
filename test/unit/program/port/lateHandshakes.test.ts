import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { HeldHandshake } from '../../../attacks/wire/heldHandshake.js';
import { settingsFrame } from '../../../attacks/wire/http2Frames.js';
import { http2Preface } from '../../../bench/http2/frames.js';
import { openFrontDoor, type FrontDoor } from '../../../fixtures/frontDoor.js';
import { createIdentities } from '../../../fixtures/identities.js';

const handshakeMs = 20;
const behind = {
  'nothing behind it': Buffer.alloc(0),
  'a session of HTTP/2 behind it': Buffer.concat([http2Preface, settingsFrame({})]),
  'a request of HTTP/1.1 behind it': Buffer.from('GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n'),
};

describe('a handshake that is finished after its time', () => {
  let door: FrontDoor;
  before(async () => {
    const identities = await createIdentities();
    const server = await identities.issue({ name: 'server', usage: 'serverAuth' });
    door = await openFrontDoor({ identities, server, resources: () => Promise.resolve(), listener: { times: { handshakeMs } } });
  });
  after(async () => {
    await door.listener.close();
  });

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
    for (const protocol of ['h2', 'http/1.1'] as const)
      for (const [what, bytes] of Object.entries(behind))
        it(`ends its connection and nothing else: ${version}, ${protocol}, with ${what}`, async () => {
          const { handshakeErrors } = door.listener;
          const client = await HeldHandshake.begin({ port: door.port, protocol, version });
          while (door.listener.handshakeErrors === handshakeErrors) await turn();
          client.finish(bytes);
          await client.closed;
          expect(client.received).to.equal('');
        });
});
