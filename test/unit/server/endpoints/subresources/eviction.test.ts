import { expect } from 'chai';
import { call } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

/** The preconditions and effects of an eviction. Source: `EvictionREST` of the reference. */
describe('endpoints, eviction', () => {
  let server: TestServer;
  const core = '/api/v1/namespaces/default';
  const pods = `${core}/pods`;

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  interface Seen {
    readonly metadata: { readonly resourceVersion: string; readonly uid: string; readonly deletionTimestamp?: string };
    readonly status: { readonly conditions?: readonly { readonly type: string; readonly reason?: string }[] };
  }
  const read = async (name: string): Promise<Seen> => (await call(server.url, 'GET', `${pods}/${name}`)).body as unknown as Seen;
  const evict = (name: string, more: object = {}): ReturnType<typeof call> =>
    call(server.url, 'POST', `${pods}/${name}/eviction`, {
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...more },
    });
  /** A pod on a node with a grace period, in a phase. */
  async function podIn(name: string, phase: string, ready: 'True' | 'False' = 'False'): Promise<Seen> {
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: { name }, finalizers: ['example.com/stays'] },
      spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
    };
    await call(server.url, 'POST', pods, { body });
    const status = { phase, conditions: [{ type: 'Ready', status: ready }] };
    await call(server.url, 'PATCH', `${pods}/${name}/status`, { body: { status }, type: 'application/merge-patch+json' });
    return read(name);
  }
  const reasons = ({ status }: Seen): readonly (string | undefined)[] =>
    (status.conditions ?? []).filter(({ type }) => type === 'DisruptionTarget').map(({ reason }) => reason);

  for (const phase of ['Pending', 'Running', 'Succeeded', 'Failed'])
    it(`says on a pod that is ${phase} why it goes`, async () => {
      const name = phase.toLowerCase();
      await podIn(name, phase);
      const answer = await evict(name);
      expect(answer.status, answer.text).to.equal(201);
      const after = await read(name);
      expect(reasons(after)).to.deep.equal(['EvictionByEvictionAPI']);
      expect(after.metadata.deletionTimestamp).to.be.a('string');
    });

  it('says so on a pod that goes uncounted because it is not healthy', async () => {
    await podIn('ill', 'Running');
    const body = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'ill' },
      spec: { minAvailable: 1, selector: { matchLabels: { name: 'ill' } }, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    };
    expect((await call(server.url, 'POST', '/apis/policy/v1/namespaces/default/poddisruptionbudgets', { body })).status).to.equal(201);
    expect((await evict('ill')).status).to.equal(201);
    expect(reasons(await read('ill'))).to.deep.equal(['EvictionByEvictionAPI']);
  });

  it('takes any value of its options but for two', async () => {
    const refused = async (deleteOptions: object, query = ''): Promise<unknown[]> => {
      const path = `${pods}/none/eviction${query}`;
      const { status, body: answer } = await call(server.url, 'POST', path, { body: { metadata: { name: 'none' }, deleteOptions } });
      return [status, answer['message']];
    };
    const odd = { propagationPolicy: 'Odd', dryRun: ['Odd'] };
    expect(await refused(odd)).to.deep.equal([404, 'pods "none" not found']);
    expect(await refused(odd, '?dryRun=All')).to.deep.equal([500, 'Non-matching dry-run options in request and content: [All] and [Odd]']);
    expect(await refused({ ignoreStoreReadErrorWithClusterBreakingPotential: true })).to.deep.equal([
      422,
      'Eviction.policy "none" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option',
    ]);
  });

  it('leaves a pod alone in a dry run', async () => {
    const before = await podIn('dry', 'Pending');
    expect((await evict('dry', { deleteOptions: { dryRun: ['All'] } })).status).to.equal(201);
    expect(await read('dry')).to.deep.equal(before);
  });

  it('marks the pod that the client has seen, and removes it although the mark has changed it', async () => {
    const { metadata } = await podIn('seen', 'Running');
    const preconditions = { uid: metadata.uid, resourceVersion: metadata.resourceVersion };
    expect((await evict('seen', { deleteOptions: { preconditions } })).status).to.equal(201);
    const after = await read('seen');
    expect(reasons(after)).to.deep.equal(['EvictionByEvictionAPI']);
    expect(after.metadata.deletionTimestamp).to.be.a('string');
  });

  const refused: readonly (readonly [what: string, preconditions: (seen: Seen) => object, text: (seen: Seen) => string])[] = [
    [
      'uid',
      () => ({ uid: 'u' }),
      ({ metadata }) =>
        `the UID in the precondition (u) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    ],
    [
      'version',
      () => ({ resourceVersion: '1' }),
      ({ metadata }) =>
        `the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    ],
  ];
  for (const [what, preconditions, text] of refused)
    it(`does nothing to a pod of another ${what}`, async () => {
      const name = `other-${what}`;
      const before = await podIn(name, 'Running');
      const answer = await evict(name, { deleteOptions: { preconditions: preconditions(before) } });
      expect(answer.status).to.equal(409);
      expect(answer.body['message']).to.equal(`Operation cannot be fulfilled on Pod "${name}": ${text(before)}`);
      expect(await read(name)).to.deep.equal(before);
    });
});
