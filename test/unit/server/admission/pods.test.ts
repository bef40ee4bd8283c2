import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import type { AdmissionRequest, MutationPass } from '../../../../server/registry/admission.js';
import { serviceAccount } from '../../../../server/admission/pods/serviceAccount.js';
import { createSample, refusal, type Sample } from '../registry/sample.js';

/** Each admission plugin for pods alone. */

const pod = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const account = (name: string, more: JsonObject = {}, annotations: Record<string, string> = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, annotations },
  ...more,
});
const priorityClass = (name: string, value: number, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  ...more,
});
const specOf = (object: ApiObject): JsonObject => object['spec'] as JsonObject;
const only = (name: string): Promise<Sample> => createSample({ admission: new Set([name]) });
const messageOf = async (write: Promise<unknown>): Promise<string> => (await refusal(write)).message;

describe('admission of pods', () => {
  describe('ServiceAccount', () => {
    let sample: Sample;
    beforeEach(async () => {
      sample = await only('ServiceAccount');
    });

    it('needs the account', async () => {
      expect(await messageOf(sample.create(pod({ serviceAccountName: 'other' })))).to.contain(
        'error looking up service account default/other: serviceaccount "other" not found',
      );
    });

    it('keeps secrets from mirror pods', async () => {
      const annotations = { 'kubernetes.io/config.mirror': 'x' };
      const container = { name: 'c', image: 'i' };
      for (const spec of [
        { imagePullSecrets: [{ name: 's' }] },
        { volumes: [{ name: 'v', secret: { secretName: 's' } }] },
        { volumes: [{ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } }] },
        { volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 's' } }] } }] },
        { containers: [{ ...container, envFrom: [{ secretRef: { name: 's' } }] }] },
        { containers: [{ ...container, env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }] },
      ])
        expect(await messageOf(sample.create(pod({ nodeName: 'n', ...spec }, { annotations }))), JSON.stringify(spec)).to.contain(
          'a mirror pod may not reference secrets',
        );
      await sample.create(pod({ nodeName: 'n' }, { annotations }));
    });

    it('waits a while for the default account, which a controller makes', async () => {
      let waits = 0;
      const step = (madeAfter: number): ReturnType<typeof serviceAccount> =>
        serviceAccount({
          lookup: {
            find: async () => Promise.resolve(waits < madeAfter ? null : (account('default') as unknown as ApiObject)),
            list: async () => Promise.resolve([]),
          },
          random: () => 0,
          pause: async () => {
            waits += 1;
            return Promise.resolve();
          },
        });
      const request = (): AdmissionRequest => ({
        operation: 'CREATE',
        verb: 'create',
        resource: { storage: { group: '', resource: 'pods' } } as AdmissionRequest['resource'],
        subresource: '',
        namespace: 'n',
        name: 'p',
        object: pod() as unknown as ApiObject,
        old: null,
        user: { name: 'u', uid: '', groups: [], extra: {} },
        dryRun: false,
        warn: () => undefined,
        form: null,
        options: null,
        annotate: () => undefined,
        waiter: null,
        deadline: Infinity,
      });
      const pass: MutationPass = { again: false, notes: new Map(), repeat: () => undefined };
      await step(3).admit?.(request(), pass);
      expect(waits).to.equal(3);
      expect(await messageOf(Promise.resolve(step(100).admit?.(request(), pass)))).to.contain('serviceaccount "default" not found');
    });

    it('gives the default account, its secrets for images, and its token', async () => {
      await sample.create(account('default', { imagePullSecrets: [{ name: 's' }] }));
      const created = specOf(await sample.create(pod()));
      expect(created).to.deep.include({ serviceAccountName: 'default', imagePullSecrets: [{ name: 's' }] });
      expect((created['volumes'] as JsonObject[])[0]?.['name']).to.match(/^kube-api-access-/);
      expect((created['containers'] as { volumeMounts: JsonObject[] }[])[0]?.volumeMounts[0]).to.deep.include({
        readOnly: true,
        mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
      });
    });

    it('mounts no token where account or pod want none', async () => {
      await sample.create(account('quiet', { automountServiceAccountToken: false }));
      expect(specOf(await sample.create(pod({ serviceAccountName: 'quiet' })))).to.not.have.property('volumes');
      await sample.create(account('loud'));
      expect(
        specOf(await sample.create(pod({ serviceAccountName: 'loud', automountServiceAccountToken: false }, { name: 'q' }))),
      ).to.not.have.property('volumes');
    });

    it('lets pods mount the secrets of an account only, when the account says so', async () => {
      await sample.create(
        account(
          'strict',
          { secrets: [{ name: 'mine' }], automountServiceAccountToken: false },
          { 'kubernetes.io/enforce-mountable-secrets': 'true' },
        ),
      );
      const mounting = (secretName: string): JsonObject =>
        pod({ serviceAccountName: 'strict', volumes: [{ name: 'v', secret: { secretName } }] });
      expect(await messageOf(sample.create(mounting('other')))).to.contain(
        'volume with secret.secretName="other" is not allowed because service account strict does not reference that secret',
      );
      await sample.create(mounting('mine'));
    });

    const container = (parts: JsonObject): JsonObject => ({
      name: 'c',
      image: 'i',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'Always',
      ...parts,
    });
    const one = (secret: string): JsonObject =>
      container({ env: [{ name: 'E', valueFrom: { secretKeyRef: { name: secret, key: 'k' } } }] });
    const all = (secret: string): JsonObject => container({ envFrom: [{ secretRef: { name: secret } }] });
    /** Each use of a secret in a pod, with its name in refusals. */
    const ways: readonly (readonly [string, string, (secret: string) => JsonObject])[] = [
      ['a volume', 'volume with secret.secretName="other"', (secretName) => ({ volumes: [{ name: 'v', secret: { secretName } }] })],
      [
        'a projected volume',
        'volume with projected secret.secretName="other"',
        (name) => ({ volumes: [{ name: 'v', projected: { sources: [{ secret: { name } }] } }] }),
      ],
      ['a variable', 'container c with envVar E referencing secret.secretName="other"', (name) => ({ containers: [one(name)] })],
      ['all variables', 'container c with envFrom referencing secret.secretName="other"', (name) => ({ containers: [all(name)] })],
      [
        'a variable of an init container',
        'init container c with envVar E referencing secret.secretName="other"',
        (name) => ({ initContainers: [one(name)], containers: [container({ name: 'd' })] }),
      ],
      [
        'all variables of an init container',
        'init container c with envFrom referencing secret.secretName="other"',
        (name) => ({ initContainers: [all(name)], containers: [container({ name: 'd' })] }),
      ],
      ['a secret for images', 'imagePullSecrets[1].name="other"', (name) => ({ imagePullSecrets: [{ name: 'mine' }, { name }] })],
    ];
    for (const [what, words, spec] of ways) {
      it(`lets pods of a strict account use only secrets that it lists, as ${what}`, async () => {
        const enforced = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
        await sample.create(
          account(
            'strict',
            { secrets: [{ name: 'mine' }], imagePullSecrets: [{ name: 'mine' }], automountServiceAccountToken: false },
            enforced,
          ),
        );
        expect(await messageOf(sample.create(pod({ serviceAccountName: 'strict', ...spec('other') })))).to.contain(
          `${words} is not allowed because service account strict does not reference that`,
        );
        await sample.create(pod({ serviceAccountName: 'strict', ...spec('mine') }, { name: 'fine' }));
      });
    }

    it('lets those who look into a pod of a strict account use only secrets that it lists', async () => {
      await sample.create(
        account(
          'strict',
          { secrets: [{ name: 'mine' }], automountServiceAccountToken: false },
          { 'kubernetes.io/enforce-mountable-secrets': 'true' },
        ),
      );
      await sample.create(pod({ serviceAccountName: 'strict' }));
      const debug =
        (parts: JsonObject) =>
        (object: ApiObject): void => {
          (object['spec'] as JsonObject)['ephemeralContainers'] = [{ ...parts, name: 'debug' }];
        };
      const write = (parts: JsonObject): Promise<unknown> => sample.update(pod(), debug(parts), 'ephemeralcontainers');
      expect(await messageOf(write(all('other')))).to.contain(
        'ephemeral container debug with envFrom referencing secret.secretName="other" is not allowed',
      );
      expect(await messageOf(write(one('other')))).to.contain(
        'ephemeral container debug with envVar E referencing secret.secretName="other" is not allowed',
      );
      await write(all('mine'));
    });
  });

  describe('Priority', () => {
    let sample: Sample;
    beforeEach(async () => {
      sample = await only('Priority');
    });

    it('works out the priority, and what may be driven out for it', async () => {
      await sample.create(priorityClass('high', 7, { preemptionPolicy: 'Never' }));
      expect(specOf(await sample.create(pod({ priorityClassName: 'high' })))).to.deep.include({ priority: 7, preemptionPolicy: 'Never' });
      expect(specOf(await sample.create(pod({}, { name: 'q' })))).to.deep.include({
        priority: 0,
        preemptionPolicy: 'PreemptLowerPriority',
      });
    });

    it('takes the class that is the default of all', async () => {
      await sample.create(priorityClass('usual', 3, { globalDefault: true }));
      expect(specOf(await sample.create(pod()))).to.deep.include({ priorityClassName: 'usual', priority: 3 });
    });

    it('refuses classes that there are not, and numbers that contradict the class', async () => {
      expect(await messageOf(sample.create(pod({ priorityClassName: 'none' })))).to.contain('no PriorityClass with name none was found');
      await sample.create(priorityClass('high', 7));
      expect(await messageOf(sample.create(pod({ priorityClassName: 'high', priority: 8 })))).to.contain(
        'the integer value of priority (8) must not be provided in pod spec; priority admission controller computed 7',
      );
    });
  });

  it('DefaultTolerationSeconds: pods leave nodes that are gone after a while, unless they say when', async () => {
    const sample = await only('DefaultTolerationSeconds');
    const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 };
    const tolerations = specOf(await sample.create(pod({ tolerations: [own] })))['tolerations'] as JsonObject[];
    expect(tolerations.map((each) => [each['key'], each['tolerationSeconds']])).to.deep.equal([
      ['node.kubernetes.io/not-ready', 5],
      ['node.kubernetes.io/unreachable', 300],
    ]);
  });

  it('RuntimeClass: what a sandbox costs, and where it is', async () => {
    const sample = await only('RuntimeClass');
    await sample.create({
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'box' },
      handler: 'h',
      overhead: { podFixed: { cpu: '1' } },
      scheduling: { nodeSelector: { box: 'yes' } },
    });
    expect(specOf(await sample.create(pod({ runtimeClassName: 'box' })))).to.deep.include({
      overhead: { cpu: '1' },
      nodeSelector: { box: 'yes' },
    });
    expect(await messageOf(sample.create(pod({ runtimeClassName: 'box', nodeSelector: { box: 'no' } }, { name: 'q' })))).to.contain(
      'conflict: runtimeClass.scheduling.nodeSelector[box] = yes; pod.spec.nodeSelector[box] = no',
    );
    expect(await messageOf(sample.create(pod({ runtimeClassName: 'none' }, { name: 'q' })))).to.contain('RuntimeClass "none" not found');
    expect(await messageOf(sample.create(pod({ runtimeClassName: '' }, { name: 'q' })))).to.equal('resource name may not be empty');
    expect(await messageOf(sample.create(pod({ runtimeClassName: 'a/b%' }, { name: 'q' })))).to.equal(
      `invalid resource name "a/b%": [may not contain '/' may not contain '%']`,
    );
    expect(await messageOf(sample.create(pod({ overhead: { cpu: '1' } }, { name: 'q' })))).to.contain(
      'Pod Overhead set without corresponding RuntimeClass defined Overhead',
    );
  });

  it('PodTopologyLabels: a pod that is bound learns where its node is', async () => {
    const sample = await only('PodTopologyLabels');
    await sample.create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': 'z', other: 'o' } },
    });
    const created = await sample.create(pod({ nodeName: 'n' }));
    expect(created.metadata.labels).to.deep.equal({ 'topology.kubernetes.io/zone': 'z' });
  });

  it('TaintNodesByCondition: new nodes take no pods yet', async () => {
    const sample = await only('TaintNodesByCondition');
    expect(specOf(await sample.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }))['taints']).to.deep.equal([
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    ]);
  });

  it('ExtendedResourceToleration: pods that ask for a device may go where it is', async () => {
    const sample = await only('ExtendedResourceToleration');
    const containers = [{ name: 'c', image: 'i', resources: { limits: { 'x.example/gpu': '1', cpu: '1' } } }];
    expect(specOf(await sample.create(pod({ containers })))['tolerations']).to.deep.equal([
      { key: 'x.example/gpu', operator: 'Exists', effect: 'NoSchedule' },
    ]);
  });

  it('AlwaysPullImages: no image is taken from the node', async () => {
    const sample = await only('AlwaysPullImages');
    const created = specOf(await sample.create(pod({ containers: [{ name: 'c', image: 'i:v1', imagePullPolicy: 'Never' }] })));
    expect((created['containers'] as JsonObject[]).map((each) => each['imagePullPolicy'])).to.deep.equal(['Always']);
  });

  it('LimitPodHardAntiAffinityTopology: a pod keeps others from its node alone', async () => {
    const sample = await only('LimitPodHardAntiAffinityTopology');
    const apart = (topologyKey: string): JsonObject =>
      pod({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: {}, topologyKey }] } } });
    expect(await messageOf(sample.create(apart('topology.kubernetes.io/zone')))).to.contain(
      'has TopologyKey topology.kubernetes.io/zone but only key kubernetes.io/hostname is allowed',
    );
    await sample.create(apart('kubernetes.io/hostname'));
  });

  it('DenyServiceExternalIPs: services keep the addresses that they have', async () => {
    const open = await createSample();
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ port: 1 }], externalIPs: ['192.0.2.1', '192.0.2.2'] },
    };
    await open.create(service);
    const sample = await createSample({ storage: open.storage, admission: new Set(['DenyServiceExternalIPs']) });
    const change = (externalIPs: string[]): Promise<unknown> =>
      sample.update(service, (current) => {
        specOf(current)['externalIPs'] = externalIPs;
      });
    await change(['192.0.2.2']);
    expect(await messageOf(change(['192.0.2.2', '192.0.2.3']))).to.equal(
      'services "s" is forbidden: Use of external IPs is denied by admission control',
    );
  });
});
