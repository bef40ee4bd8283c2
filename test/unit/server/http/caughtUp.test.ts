import { expect } from 'chai';
import http2 from 'node:http2';
import { openFrontDoor, type FrontDoor } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../../fixtures/identities.js';

describe('http, where several threads serve', () => {
  let identities: Identities;
  let server: Identity;
  let client: Identity;
  before(async () => {
    identities = await createIdentities();
    server = await identities.issue({ name: 'localhost', usage: 'serverAuth' });
    client = await identities.issue({ name: 'admin', groups: ['system:masters'], usage: 'clientAuth' });
  });

  it('looks at nothing of a request before the thread knows what its client may have seen', async () => {
    const steps: string[] = [];
    let arrived = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    let take = (): void => undefined;
    const known = new Promise<void>((resolve) => {
      take = resolve;
    });
    const front: FrontDoor = await openFrontDoor({
      identities,
      server,
      resources: async ({ response }) => {
        steps.push('answer');
        response.end('done');
        await Promise.resolve();
      },
      chain: {
        caughtUp: () => {
          arrived();
          return known;
        },
        authorize: () => {
          steps.push('authorize');
          return { decision: 'allow', reason: '' };
        },
      },
    });
    const session = http2.connect(`https://localhost:${front.port}`, {
      ca: identities.ca,
      cert: client.cert,
      key: client.key,
      lookup: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    try {
      const stream = session.request({ ':path': '/api/v1/namespaces/n/pods/p' });
      const ended = new Promise((resolve) => stream.resume().once('end', resolve));
      await asked;
      await new Promise((resolve) => setImmediate(resolve));
      expect(steps).to.deep.equal([]);
      take();
      await ended;
      expect(steps).to.deep.equal(['authorize', 'answer']);
    } finally {
      session.destroy();
      await front.listener.close();
    }
  });
});
