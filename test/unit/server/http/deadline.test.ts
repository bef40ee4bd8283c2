import { expect } from 'chai';
import { writeJson } from '../../../../program/port/errors.js';
import type { Exchange } from '../../../../server/http/exchange.js';
import { call1, openFrontDoor } from '../../../fixtures/frontDoor.js';
import { createIdentities } from '../../../fixtures/identities.js';

describe('the deadline of requests', () => {
  it('may be further away than timers reach', async () => {
    const identities = await createIdentities();
    const admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    const door = await openFrontDoor({
      identities,
      server: await identities.issue({ name: 'server', usage: 'serverAuth' }),
      chain: { requestTimeoutMs: 1_000 * 3_600_000 },
      resources: async (context) => {
        // An overflowing timer would fire within a few turns, before this one.
        await new Promise((resolve) => {
          setTimeout(resolve, 5);
        });
        writeJson(context as Exchange, 200, {});
      },
    });
    for (const path of ['/api/v1/things/x', '/api/v1/things/x?timeout=900h'])
      expect((await call1(door.port, { path, identity: admin })).status).to.equal(200);
    await door.listener.close();
  });
});
