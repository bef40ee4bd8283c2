import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { agedClientNodes } from '../clients/agedClients.js';
import { packageRoot } from '../fixtures/packageRoot.js';
import { ClusterUnderTest } from './clusterUnderTest.js';

interface Named {
  apiVersion?: string;
  kind?: string;
  metadata?: { name?: string; namespace?: string; labels?: Record<string, string>; resourceVersion?: string };
  data?: Record<string, string>;
}
interface Informer {
  on(verb: string, callback: (object: Named) => void): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}
/** The common part of all releases of the library. */
interface Library {
  readonly KubeConfig: new () => { loadFromFile(file: string): void };
  readonly KubernetesObjectApi: {
    makeApiClient(
      config: object,
    ): Record<'create' | 'read' | 'patch' | 'replace' | 'delete', (object: Named) => Promise<Named | { body: Named }>>;
  };
  readonly makeInformer: (config: object, path: string, list: () => Promise<unknown>, selector?: string) => Informer;
  readonly Watch: new (config: object) => {
    watch(
      path: string,
      query: object,
      each: (type: string, object: Named) => void,
      done: (error: unknown) => void,
    ): Promise<{ abort(): void }>;
  };
}

/** Releases before 1.0 return the response with the object in it. */
const bodyOf = (answer: Named | { body: Named }): Named => ('body' in answer ? answer.body : answer);

describe('cluster/client-node', function () {
  let test: ClusterUnderTest;

  before(async () => {
    test = await ClusterUnderTest.start({ replicas: 1 });
  });
  after(async () => {
    await test?.stop();
  });

  async function use(folder: string, name: string): Promise<void> {
    const library = (await import(pathToFileURL(path.join(folder, 'dist', 'index.js')).href)) as Library;
    const config = new library.KubeConfig();
    config.loadFromFile(test.cluster.kubeconfig);
    const objects = library.KubernetesObjectApi.makeApiClient(config);
    const identity = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } };

    const seen: string[] = [];
    let closed: (error: unknown) => void = () => undefined;
    const end = new Promise((resolve) => (closed = resolve));
    const deleted = new Promise<void>((resolve) => {
      void new library.Watch(config)
        .watch(
          '/api/v1/namespaces/default/configmaps',
          { fieldSelector: `metadata.name=${name}` },
          (type) => {
            seen.push(type);
            if (type === 'DELETED') resolve();
          },
          closed,
        )
        .then(async (request) => {
          // Only events after the watch has opened can be missed.
          const created = bodyOf(await objects.create({ ...identity, data: { a: '1' } }));
          expect(created.data).to.deep.equal({ a: '1' });
          const patched = bodyOf(await objects.patch({ ...identity, data: { b: '2' } }));
          expect(patched.data).to.deep.equal({ a: '1', b: '2' });
          const replaced = bodyOf(await objects.replace({ ...patched, data: { c: '3' } }));
          expect(replaced.data).to.deep.equal({ c: '3' });
          expect(bodyOf(await objects.read(identity)).metadata?.resourceVersion).to.equal(replaced.metadata?.resourceVersion);
          const stale = await objects.replace({ ...created, data: {} }).then(
            () => 0,
            (error: { statusCode?: number; code?: number }) => error.statusCode ?? error.code,
          );
          expect(stale, 'status of a replace of an old version').to.equal(409);
          await objects.delete(identity);
          await deleted;
          request.abort();
        })
        .catch(closed);
    });
    const failure = await Promise.race([end, deleted.then(() => null)]);
    expect(failure, String(failure)).to.equal(null);
    expect(seen).to.deep.equal(['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED']);
  }

  it('of the release at hand creates, patches, replaces, reads, watches and deletes', () =>
    use(path.join(packageRoot, 'node_modules', '@kubernetes', 'client-node'), 'client-now'));

  for (const [release, folder] of agedClientNodes())
    it(`of release ${release} does so, too`, () => use(folder, `client-${release.replace('.', '-')}`));
});
