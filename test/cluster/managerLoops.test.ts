import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as x509 from '@peculiar/x509';
import { expect } from 'chai';
import {
  controllerOf,
  controllerProgram,
  isTerminating,
  loadKubeconfig,
  nameOf,
  uidOf,
  type ControllerEnvironment,
} from '../../controllers/client/index.js';
import { certificateSigningRequests, type CertificateSigningRequest } from '../../api/types/certificates/v1.js';
import {
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  serviceAccounts,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
} from '../../api/types/core/v1.js';
import { ClusterUnderTest } from './clusterUnderTest.js';
import { activeManager } from './rollout.js';

const each = 20;
const tolerationSeconds = 5;
const namespace = 'loops';
const pollMs = 50;
const quick = ['--leader-elect-lease-duration=4s', '--leader-elect-renew-deadline=3s', '--leader-elect-retry-period=1s'];
const names = Array.from({ length: each }, (_, index) => `n${index}`);

/** Controllers other than those of workloads, while the active manager and the leading server are killed: nothing is lost or done twice. */
describe('cluster/managerLoops', function () {
  this.timeout(240_000);
  let test: ClusterUnderTest;
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  after(async () => {
    stopping.abort();
    await running;
    await test?.stop();
  });

  it('bind, sign, protect, make claims and evict exactly once', async () => {
    test = await ClusterUnderTest.start({ replicas: 3, managers: 2, fakeNodes: 2, managerFlags: quick });
    const program = controllerProgram(loadKubeconfig(test.cluster.kubeconfig), {
      name: 'test',
      signal: stopping.signal,
      qps: -1,
      log: () => undefined,
    });
    const { environment } = program;
    const seen = watched(environment);
    running = program.run();
    const { api } = environment;
    await again(() => api.create(namespaces, { metadata: { name: namespace } }));
    await again(() => api.get(serviceAccounts, { namespace, name: 'default' }));
    const taintedNode = await nodeOf(environment);
    await Promise.all(names.map((name) => again(() => api.create(pods, podOn(name, taintedNode)))));
    const request = await certificateRequest();

    // All work at once, with a kill in the middle.
    await Promise.all(
      names.flatMap((name) => [
        again(() => api.create(persistentVolumes, volume(name))),
        again(() => api.create(persistentVolumeClaims, claim(name))),
        approved(environment, name, request),
      ]),
    );
    const taint = { key: 'loops', effect: 'NoExecute', timeAdded: new Date().toISOString().replace(/\.\d+Z/, 'Z') };
    await again(() =>
      api.patch(nodes, { namespace: '', name: taintedNode }, { type: 'application/merge-patch+json', body: { spec: { taints: [taint] } } }),
    );
    const [active, leader] = await Promise.all([activeManager(test.cluster), test.leader()]);
    await Promise.all([active.kill('SIGKILL'), test.kill(leader)]);

    const { informers } = environment;
    const claims = (): readonly PersistentVolumeClaim[] => informers.of(persistentVolumeClaims).cache.inNamespace(namespace);
    const bound = (): number =>
      claims().filter(({ metadata, status }) => names.includes(metadata.name ?? '') && status?.phase === 'Bound').length;
    const evicted = (): boolean =>
      informers
        .of(pods)
        .cache.inNamespace(namespace)
        .every((pod) => isTerminating(pod) || pod.metadata.labels?.['stays'] === 'yes');
    const staying = names.filter((_, index) => index % 2 === 1);
    const provided = (): boolean => staying.every((name) => seen.claimsOfPods.has(name));
    while (bound() < each || seen.certificates.size < each || !evicted() || !provided()) await delay(pollMs);
    expect((await activeManager(test.cluster)).spec.name).not.to.equal(active.spec.name);

    const volumesOf = names.map((name) => claims().find((one) => nameOf(one) === name)?.spec?.volumeName);
    expect(new Set(volumesOf).size, 'no volume is bound twice').to.equal(each);
    expect(
      [...seen.bindings.values()].filter((all) => all.size !== 1),
      'and none changes hands',
    ).to.deep.equal([]);
    expect(
      [...seen.certificates.values()].filter((all) => all.size !== 1),
      'one certificate for each request',
    ).to.deep.equal([]);
    expect(claims().filter(({ metadata }) => metadata.finalizers?.includes('kubernetes.io/pvc-protection') !== true)).to.deep.equal([]);
    // A pod evicted before it has a claim gets none; otherwise its claim is deleted with it.
    expect(
      [...seen.claimsOfPods.values()].filter((all) => all.size !== 1),
      'one claim for the volume of each pod',
    ).to.deep.equal([]);
    expect(seen.deletedPods.size).to.equal(each / 2);
    const stays = informers.of(pods).cache.inNamespace(namespace);
    expect(
      stays
        .filter((pod) => !isTerminating(pod))
        .map(nameOf)
        .sort(),
    ).to.deep.equal(staying.toSorted());
  });
});

function watched({ informers }: ControllerEnvironment): {
  readonly certificates: ReadonlyMap<string, ReadonlySet<string>>;
  readonly bindings: ReadonlyMap<string, ReadonlySet<string>>;
  readonly deletedPods: ReadonlySet<string>;
  readonly claimsOfPods: ReadonlyMap<string, ReadonlySet<string>>;
} {
  const certificates = new Map<string, Set<string>>();
  const bindings = new Map<string, Set<string>>();
  const deletedPods = new Set<string>();
  const claimsOfPods = new Map<string, Set<string>>();
  const note = (to: Map<string, Set<string>>, name: string, value: string | undefined): void => {
    if (value) to.set(name, (to.get(name) ?? new Set()).add(value));
  };
  const request = (one: CertificateSigningRequest): void => note(certificates, nameOf(one), one.status?.certificate);
  informers.of(certificateSigningRequests).addHandlers({ added: request, changed: (_, one) => request(one) });
  const volume = (one: PersistentVolume): void => note(bindings, nameOf(one), one.spec?.claimRef?.uid);
  informers.of(persistentVolumes).addHandlers({ added: volume, changed: (_, one) => volume(one) });
  const ownedClaim = (one: PersistentVolumeClaim): void => {
    const owner = controllerOf(one);
    if (owner !== null) note(claimsOfPods, owner.name, uidOf(one));
  };
  informers.of(persistentVolumeClaims).addHandlers({ added: ownedClaim, changed: (_, one) => ownedClaim(one) });
  const pod = (one: Pod): void => {
    if (isTerminating(one)) deletedPods.add(uidOf(one));
  };
  informers.of(pods).addHandlers({ changed: (_, one) => pod(one), removed: (one) => void deletedPods.add(uidOf(one)) });
  informers.of(nodes);
  return { certificates, bindings, deletedPods, claimsOfPods };
}

async function nodeOf({ informers }: ControllerEnvironment): Promise<string> {
  for (;;) {
    const [node] = informers.of(nodes).cache.list();
    if (node) return nameOf(node);
    await delay(pollMs);
  }
}

/** Retries a request, whose server may be dying or whose prerequisites may be missing. */
async function again<T>(ask: () => Promise<T>): Promise<T | undefined> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code === 409) return undefined;
      await delay(pollMs);
    }
  }
}

const volume = (name: string): PersistentVolume => ({
  metadata: { name },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    hostPath: { path: `/${name}` },
  },
});
const claimSpec = { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1Gi' } } };
const claim = (name: string): PersistentVolumeClaim => ({ metadata: { name, namespace }, spec: claimSpec });

/** An unprovisioned claim keeps the pod pending; every second pod tolerates the taint forever. */
const podOn = (name: string, nodeName: string): Pod => {
  const stays = names.indexOf(name) % 2 === 1;
  const toleration = { key: 'loops', operator: 'Exists', effect: 'NoExecute' };
  return {
    metadata: { name, namespace, labels: { stays: stays ? 'yes' : 'no' } },
    spec: {
      nodeName,
      tolerations: [stays ? toleration : { ...toleration, tolerationSeconds }],
      containers: [{ name: 'c', image: 'x' }],
      volumes: [{ name: 'own', ephemeral: { volumeClaimTemplate: { spec: { ...claimSpec, storageClassName: 'nobody' } } } }],
    },
  } as Pod;
};

async function certificateRequest(): Promise<string> {
  x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = (await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const request = await x509.Pkcs10CertificateRequestGenerator.create({ name: 'CN=somebody', keys, signingAlgorithm });
  return Buffer.from(request.toString('pem')).toString('base64');
}

async function approved({ api }: ControllerEnvironment, name: string, request: string): Promise<void> {
  const spec = { request, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] };
  await again(() => api.create(certificateSigningRequests, { metadata: { name }, spec } as CertificateSigningRequest));
  await again(async () => {
    const now = await api.get(certificateSigningRequests, { namespace: '', name });
    const condition = { type: 'Approved', status: 'True', reason: 'Test', message: '' };
    if (now.status?.conditions?.some(({ type }) => type === 'Approved')) return;
    await api.update(certificateSigningRequests, { ...now, status: { conditions: [condition] } } as CertificateSigningRequest, {
      subresource: 'approval',
    });
  });
}
