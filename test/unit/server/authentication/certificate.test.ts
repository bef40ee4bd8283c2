import { expect } from 'chai';
import { writeJson } from '../../../../program/port/errors.js';
import type { Exchange } from '../../../../server/http/exchange.js';
import { call1, openFrontDoor, type FrontDoor } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../../fixtures/identities.js';

/** Uids in subjects of client certificates. */
describe('uids in client certificates', () => {
  const doors: FrontDoor[] = [];
  let identities: Identities;
  let server: Identity;

  before(async () => {
    identities = await createIdentities();
    server = await identities.issue({ name: 'server', usage: 'serverAuth' });
  });
  after(() => Promise.all(doors.map(({ listener }) => listener.close())));

  /** The user for these uids, or the status of a refusal. */
  const known = async (options: { readonly uids?: boolean }, ...uids: readonly string[]): Promise<unknown> => {
    const door = await openFrontDoor({
      identities,
      server,
      ...options,
      chain: { authorize: () => ({ decision: 'allow', reason: '' }) },
      resources: (context) => {
        writeJson(context as Exchange, 200, { user: (context as Exchange).user });
        return Promise.resolve();
      },
    });
    doors.push(door);
    const identity = await identities.issue({ name: 'ann', groups: ['team'], uids });
    const { status, body } = await call1(door.port, { path: '/api/v1/things/x', identity });
    return status === 200 ? body['user'] : status;
  };

  it('are those of users', async () => {
    expect(await known({}, 'one')).to.deep.include({ name: 'ann', uid: 'one', groups: ['team', 'system:authenticated'] });
    expect(await known({})).to.deep.include({ name: 'ann', uid: '' });
  });

  it('are refused where there are several, or an empty one', async () => {
    expect(await known({}, 'one', 'two')).to.equal(401);
    expect(await known({}, '')).to.equal(401);
  });

  it('are not looked at while the feature is off', async () => {
    for (const uids of [['one'], ['one', 'two'], ['']])
      expect(await known({ uids: false }, ...uids)).to.deep.include({ name: 'ann', uid: '' });
  });
});
