import { expect } from 'chai';
import fc from 'fast-check';
import { createRaftStorage, type RaftStorage } from '../../../../server/storage/raft.js';
import { selectableFieldsOf } from '../../../../server/kinds/index.js';
import { FakeReplica } from '../storage/fakeReplica.js';
import { startTestServer, type TestServer } from './harness.js';

/** Three servers over one history: all cached, one resource not cached (`--watch-cache-sizes`), nothing cached (`--watch-cache=false`). */
const modes: Readonly<Record<string, (resource: { readonly resource: string }) => boolean>> = {
  cached: () => true,
  'configmaps#0': ({ resource }) => resource !== 'configmaps',
  'not cached': () => false,
};
const namespaces = ['default', 'default-2', 'other'];
const names = ['a', 'b', 'c', 'd'];
const collection = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

interface Change {
  readonly namespace: string;
  readonly name: string;
  readonly label: string | null;
  readonly deletes: boolean;
}
const change: fc.Arbitrary<Change> = fc.record({
  namespace: fc.constantFrom(...namespaces),
  name: fc.constantFrom(...names),
  label: fc.option(fc.constantFrom('x', 'y'), { nil: null }),
  deletes: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
});

const selections = [
  '',
  'labelSelector=l%3Dx',
  'labelSelector=l!%3Dx',
  'labelSelector=l%20in%20(x,y)',
  'fieldSelector=metadata.name%3Da',
  'fieldSelector=metadata.namespace!%3Dother',
];
const forms = [
  'application/json',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];
const watchForms = forms.filter((form) => !form.includes('yaml')).map((form) => form.replace('MetadataList', 'Metadata'));

/** Tables contain ages, which may differ by a second. */
const withoutAges = (text: string): string => text.replace(/"\d+s"/g, '"age"');

describe('endpoints without a watch cache', function () {
  let storages: RaftStorage[];
  let servers: readonly TestServer[];

  beforeEach(async () => {
    const replica = new FakeReplica();
    storages = Object.values(modes).map((cached) =>
      createRaftStorage({ replica, selectableFields: selectableFieldsOf, cached, versionTimeoutMs: 20 }),
    );
    const started: TestServer[] = [];
    for (const storage of storages) started.push(await startTestServer(undefined, { wrap: () => storage }));
    servers = started;
    for (const name of namespaces.slice(1)) await send('POST', '/api/v1/namespaces', { metadata: { name } });
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.close()));
    for (const storage of storages) storage.close();
  });

  const send = async (method: string, path: string, body?: object): Promise<number> =>
    (
      await fetch(`${servers[0]?.url ?? ''}${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      })
    ).status;

  async function apply({ namespace, name, label, deletes }: Change, n: number): Promise<void> {
    const path = `${collection(namespace)}/${name}`;
    const body = { metadata: { name, ...(label === null ? {} : { labels: { l: label } }) }, data: { n: String(n) } };
    if (deletes) await send('DELETE', path);
    else if ((await send('PUT', path, body)) === 404) await send('POST', collection(namespace), body);
  }

  /** Each server's answer: status, type and body. */
  async function sameFromAll(path: string, accept: string): Promise<string> {
    const answers = await Promise.all(
      servers.map(async ({ url }) => {
        const response = await fetch(url + path, { headers: { accept } });
        const bytes = Buffer.from(await response.arrayBuffer());
        return `${response.status} ${response.headers.get('content-type') ?? ''} ${withoutAges(bytes.toString('latin1'))}`;
      }),
    );
    for (const [index, mode] of Object.keys(modes).entries()) expect(answers[index], `${mode}: ${path} as ${accept}`).to.equal(answers[0]);
    return answers[0] ?? '';
  }

  async function comparePages(path: string, accept: string): Promise<void> {
    for (let token: string | null = ''; token !== null;) {
      const page: string = await sameFromAll(`${path}&limit=3${token === '' ? '' : `&continue=${token}`}`, accept);
      token = /"continue":"([^"]+)"/.exec(page)?.[1] ?? null;
    }
  }

  it('lists, pages, gets and watches say the same, whatever the version, selection and form', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 15, maxLength: 30 }), fc.nat(), async (changes, seed) => {
        const from = storages[0]?.version ?? 0;
        for (const [n, each] of changes.entries()) await apply(each, n);
        const now = storages[0]?.version ?? 0;
        const versions = ['', '0', String(now), String(from + (seed % (now - from + 1))), String(now + 1_000)];
        const reads: Promise<unknown>[] = [];
        for (const [index, version] of versions.entries()) {
          const selection = selections[(seed + index) % selections.length] ?? '';
          const accept = forms[(seed + index) % forms.length] ?? '';
          const where = [collection('default'), '/api/v1/configmaps'][(seed + index) % 2] ?? '';
          const match =
            version === '' || version === '0' ? '' : `&resourceVersionMatch=${['Exact', 'NotOlderThan'][(seed + index) % 2] ?? ''}`;
          reads.push(
            sameFromAll(`${where}?${selection}&resourceVersion=${version}${match}`, accept),
            sameFromAll(`${collection('default')}/a?resourceVersion=${version}`, 'application/json'),
          );
          if (version === '') reads.push(comparePages(`${where}?${selection}`, 'application/json'));
          const watchAccept = watchForms[(seed + index) % watchForms.length] ?? '';
          if (version !== '' && version !== '0')
            reads.push(sameFromAll(`${where}?watch=1&timeoutSeconds=1&${selection}&resourceVersion=${version}`, watchAccept));
          else
            reads.push(
              sameFromAll(
                `${where}?watch=1&timeoutSeconds=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&${selection}&resourceVersion=${version}`,
                watchAccept,
              ),
            );
        }
        await Promise.all(reads);
      }),
      { numRuns: 6, endOnFailure: true },
    );
  });

  it('what was compacted is refused in the same words', async () => {
    const [first] = storages as [RaftStorage];
    const before = first.version;
    for (let n = 0; n < 5; n++) await apply({ namespace: 'default', name: 'a', label: null, deletes: false }, n);
    const page = await sameFromAll('/api/v1/namespaces?limit=1', 'application/json');
    const token = /"continue":"([^"]+)"/.exec(page)?.[1] ?? '';
    await apply({ namespace: 'default', name: 'a', label: null, deletes: false }, 9);
    await first.compact(first.version, 1_000);
    expect(await sameFromAll(`${collection('default')}?resourceVersion=${before}&resourceVersionMatch=Exact`, 'application/json')).to.match(
      /^410 /,
    );
    expect(await sameFromAll(`${collection('default')}?watch=1&resourceVersion=${before}&timeoutSeconds=1`, 'application/json')).to.match(
      /^200 .*"code":410/s,
    );
    expect(await sameFromAll(`/api/v1/namespaces?limit=1&continue=${token}`, 'application/json')).to.match(/^410 /);
  });
});
