import { expect } from 'chai';
import type { Authorizer } from '../../../../server/authorization/authorizer.js';
import type { ObjectKey, Storage } from '../../../../server/storage/contract.js';
import { DamagedListError, DamagedValueError } from '../../../../server/storage/encoding.js';
import { call, type Answer, type Call } from './client.js';
import { startTestServer, type TestServer } from './harness.js';

const force = { kind: 'DeleteOptions', apiVersion: 'v1', ignoreStoreReadErrorWithClusterBreakingPotential: true };
const maps = '/api/v1/namespaces/default/configmaps';

const undecryptable = (key: ObjectKey): DamagedValueError => new DamagedValueError(key, 'no matching prefix found', { step: 'transform' });

/** Objects named `broken` have undecodable values. */
const damaging = (storage: Storage): Storage => ({
  get: async (key: ObjectKey, consistency) => {
    const result = await storage.get(key, consistency);
    if (key.name !== 'broken' || result.outcome !== 'found') return result;
    throw Object.assign(new DamagedValueError(key, 'its checksum does not match'), { version: result.object.version });
  },
  list: async (request) => {
    const result = await storage.list(request);
    const broken = result.outcome === 'found' ? result.items.filter(({ name }) => name.startsWith('broken')) : [];
    if (broken.length === 0) return result;
    throw new DamagedListError(broken.map(({ namespace, name }) => undecryptable({ resource: request.resource, namespace, name })));
  },
  watch: (request, sink) => storage.watch(request, sink),
  ready: () => storage.ready(),
  isStale: (key) => storage.isStale(key),
  create: (key, object, terms) => storage.create(key, object, terms),
  update: (key, object, expected, terms) => storage.update(key, object, expected, terms),
  delete: (key, expected, terms) => storage.delete(key, expected, terms),
});

describe('deletion of objects that cannot be read', () => {
  let server: TestServer;
  let allowed: boolean;
  const authorize: Authorizer = ({ verb }) => ({
    decision: verb !== 'unsafe-delete-ignore-read-errors' || allowed ? 'allow' : 'noOpinion',
    reason: 'nobody said so',
  });
  const send = (method: string, path: string, options: Call = {}): Promise<Answer> => call(server.url, method, path, options);
  const start = async (forcesDeletion: boolean): Promise<void> => {
    allowed = true;
    server = await startTestServer(undefined, { wrap: damaging, endpoints: { forcesDeletion, authorize } });
    for (const name of ['whole', 'broken'])
      await send('POST', maps, { body: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, finalizers: ['example.com/hold'] } } });
  };
  const left = async (): Promise<string[]> =>
    (
      await server.storage
        .list({
          resource: { group: '', resource: 'configmaps' },
          namespace: 'default',
          labels: [],
          fields: [],
          consistency: { at: 'any' },
          limit: null,
          after: null,
        } as Parameters<Storage['list']>[0])
        .then((result) => (result.outcome === 'found' ? result.items.map(({ name }) => name) : []))
    ).filter((name) => name !== 'kube-root-ca.crt');
  afterEach(() => server.close());

  it('is done by the option, whatever finalizers there were', async () => {
    await start(true);
    expect((await send('GET', `${maps}/broken`)).status).to.equal(500);
    expect((await send('DELETE', `${maps}/broken`)).status).to.equal(500);
    const { status, body } = await send('DELETE', `${maps}/broken`, { body: force });
    expect(status).to.equal(200);
    expect(body).to.deep.include({ kind: 'Status', status: 'Success', details: { name: 'broken', kind: 'ConfigMap' } });
    expect(await left()).to.deep.equal(['whole']);
    expect((await send('DELETE', `${maps}/broken?ignoreStoreReadErrorWithClusterBreakingPotential=true`)).status).to.equal(422);
  });

  it('takes a right of its own', async () => {
    await start(true);
    allowed = false;
    const { status, body } = await send('DELETE', `${maps}/broken`, { body: force });
    expect([status, body['message']]).to.deep.equal([
      403,
      'configmaps "broken" is forbidden: not permitted to do "unsafe-delete-ignore-read-errors", reason: nobody said so',
    ]);
    expect(await left()).to.deep.equal(['broken', 'whole']);
  });

  it('leaves objects alone that can be read, and collections', async () => {
    await start(true);
    const one = await send('DELETE', `${maps}/whole`, { body: force });
    expect([one.status, one.body['message']]).to.deep.equal([
      422,
      'configmaps "whole" is invalid: ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: is exclusively used to delete corrupt object(s), try again by removing this option',
    ]);
    const all = await send('DELETE', maps, { body: force });
    expect([all.status, all.body['message']]).to.deep.equal([
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: is not allowed with DELETECOLLECTION, try again after removing the option',
    ]);
    expect(await left()).to.deep.equal(['broken', 'whole']);
  });

  for (const [member, value] of Object.entries({
    dryRun: ['All'],
    propagationPolicy: 'Background',
    orphanDependents: true,
    gracePeriodSeconds: 0,
    preconditions: { uid: 'x' },
  })) {
    it(`excludes ${member}`, async () => {
      await start(true);
      const { status, body } = await send('DELETE', `${maps}/broken`, { body: { ...force, [member]: value } });
      expect([status, body['message']]).to.deep.equal([
        422,
        `DeleteOptions.meta.k8s.io "" is invalid: ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .${member}`,
      ]);
      expect(await left()).to.deep.equal(['broken', 'whole']);
    });
  }

  it('does not exist without its gate: the option is not looked at', async () => {
    await start(false);
    expect((await send('DELETE', `${maps}/broken`, { body: force })).status).to.equal(500);
    const dry = await send('DELETE', `${maps}/whole`, { body: { ...force, dryRun: ['All'] } });
    expect([dry.status, dry.body['kind']]).to.deep.equal([200, 'ConfigMap']);
    expect(await left()).to.deep.equal(['broken', 'whole']);
  });

  it('is preceded by an answer that says what failed, and for lists where', async () => {
    const corrupt = (name: string, why: string): string =>
      `StorageError: corrupt object, Code: 7, Key: /configmaps/default/${name}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
    const undecrypted = 'data from the storage is not transformable revision=0: no matching prefix found';
    await start(true);
    const { body: object } = await send('GET', `${maps}/broken`);
    expect(object['message']).to.match(
      /^Internal error occurred: StorageError: corrupt object.* object not decodable revision=\d+: its checksum does not match$/,
    );
    const { status, body } = await send('GET', maps);
    expect([status, body['reason'], body['message']]).to.deep.equal([
      500,
      'StorageReadError',
      'failed to read one or more configmaps from the storage',
    ]);
    expect(body['details']).to.deep.equal({
      name: 'list',
      kind: 'configmaps',
      causes: [{ reason: 'UnexpectedServerResponse', message: corrupt('broken', undecrypted), field: '/configmaps/default/broken' }],
    });
  });

  it('is not offered without the feature, where only the first one is named', async () => {
    await start(false);
    const { status, body } = await send('GET', maps);
    expect([status, body['reason'], body['message']]).to.deep.equal([
      500,
      'InternalError',
      'Internal error occurred: unable to transform key "/configmaps/default/broken": no matching prefix found',
    ]);
  });
});
