import { expect } from 'chai';
import { call } from './client.js';
import { startTestServer, type TestServer } from './harness.js';

/** A PUT to an absent object: first errors of its name, then that it does not exist, or that the precondition's object is gone where it could be created. */
const namespace = '/api/v1/namespaces/default';
const places: readonly (readonly [what: string, path: string, gone: readonly [status: number, message: string]])[] = [
  ['an object', `${namespace}/configmaps/gone`, [404, 'configmaps "gone" not found']],
  ['a status', `${namespace}/pods/gone/status`, [404, 'pods "gone" not found']],
  [
    'an object that a PUT may create',
    `${namespace}/endpoints/gone`,
    [
      409,
      'Operation cannot be fulfilled on endpoints "gone": StorageError: invalid object, Code: 4, Key: /registry/services/endpoints/default/gone, ' +
        'ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: u, UID in object meta: ',
    ],
  ],
];

describe('endpoints/absent objects', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());
  const put = async (path: string, metadata: object): Promise<readonly unknown[]> => {
    const { status, body } = await call(server.url, 'PUT', path, { body: { metadata } });
    return [status, body['message']];
  };

  for (const [what, path, gone] of places) {
    it(`${what}: the name comes first`, async () => {
      expect(await put(path, { name: 'other', uid: 'u' })).to.deep.equal([
        400,
        'the name of the object (other) does not match the name on the URL (gone)',
      ]);
      expect(await put(path, {})).to.deep.equal([
        400,
        'the name of the object (gone based on URL) was undeterminable: name must be provided',
      ]);
    });

    it(`${what}: who means one of a uid reads what became of it`, async () => {
      expect(await put(path, { name: 'gone', uid: 'u' })).to.deep.equal(gone);
    });
  }

  it('a scale: the name comes first', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments/gone/scale';
    expect((await put(path, { name: 'other' }))[0]).to.equal(400);
    expect(await put(path, { name: 'gone' })).to.deep.equal([404, 'deployments.apps "gone" not found']);
  });
});
