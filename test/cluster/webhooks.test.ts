import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../../api/object.js';
import { ClusterCommands, kubectlRunsHere } from '../fixtures/kubectl.js';
import { patchReply, startHookService, type HookService } from '../fixtures/hookService.js';
import { createIdentities, type Identities } from '../fixtures/identities.js';
import { ClusterUnderTest } from './clusterUnderTest.js';

const pollMs = 25;
const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }];
const label = 'hooks.example.com/seen';

/** The answers of webhooks that validate, mutate and convert objects. */
function reply(review: JsonObject): JsonObject {
  const { object, objects, desiredAPIVersion } = review['request'] as {
    readonly object?: { readonly metadata: { readonly name: string; readonly labels?: JsonObject } };
    readonly objects?: readonly JsonObject[];
    readonly desiredAPIVersion?: string;
  };
  if (objects !== undefined)
    return {
      result: { status: 'Success' },
      convertedObjects: objects.map((each) => ({
        ...each,
        apiVersion: desiredAPIVersion,
        spec: { ...(each['spec'] as JsonObject), asked: String(desiredAPIVersion) },
      })),
    };
  if (object?.metadata.name.startsWith('bad') === true)
    return { allowed: false, status: { code: 403, message: 'bad names are not welcome' } };
  if (object?.metadata.labels?.[label] !== undefined || object?.metadata.name.startsWith('plain') === true) return { allowed: true };
  return patchReply([
    object?.metadata.labels === undefined
      ? { op: 'add', path: '/metadata/labels', value: { [label]: 'yes' } }
      : { op: 'add', path: `/metadata/labels/${label.replace('/', '~1')}`, value: 'yes' },
  ]);
}

describe('cluster/webhooks', function () {
  let cluster: ClusterUnderTest;
  let commands: ClusterCommands;
  let identities: Identities;
  let service: HookService;

  before(async function () {
    if (!kubectlRunsHere) this.skip();
    identities = await createIdentities();
    service = await startHookService(identities, { ip: ['127.0.0.1'], dns: ['hooks.guarded.svc'] });
    service.reply = reply;
    cluster = await ClusterUnderTest.start({ replicas: 3 });
    commands = new ClusterCommands(cluster.cluster.kubeconfig, cluster.cluster.dataDirectory);
    await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'guarded', labels: { guarded: 'yes' } } });
    // The service leads to this machine.
    await apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'hooks', namespace: 'guarded' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
  });
  after(async () => {
    service?.close();
    await cluster?.stop();
  });

  const kubectl = (...args: string[]): Promise<string> => commands.kubectl(...args);
  const apply = (object: JsonObject): Promise<string> => commands.kubectlWithInput(JSON.stringify(object), 'apply', '-f', '-');
  const create = async (name: string): Promise<string> => {
    const { status, stdout, stderr } = await commands.try('kubectl', ['-n', 'guarded', 'create', 'configmap', name]);
    return status === 0 ? stdout : stderr;
  };
  const configuration = (kind: string, hook: JsonObject): JsonObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: 'hooks' },
    webhooks: [
      {
        name: 'hook.example.com',
        rules: rules,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        namespaceSelector: { matchLabels: { guarded: 'yes' } },
        timeoutSeconds: 5,
        ...hook,
      },
    ],
  });
  const byUrl = (): JsonObject => ({ clientConfig: { url: service.url, caBundle: service.caBundle } });
  /** Every replica follows configurations on its own. */
  const everywhere = async (name: string, status: number): Promise<void> => {
    for (const member of cluster.members) {
      const answer = (): Promise<number> =>
        cluster
          .at(member)
          .request('POST', '/api/v1/namespaces/guarded/configmaps?dryRun=All', { body: { metadata: { name } } })
          .then((result) => result.status);
      while ((await answer()) !== status) await delay(pollMs);
    }
  };

  it('deny what people write, on every replica', async () => {
    await apply(
      configuration('ValidatingWebhookConfiguration', {
        clientConfig: { service: { namespace: 'guarded', name: 'hooks', port: service.port, path: '/hook' }, caBundle: service.caBundle },
      }),
    );
    await everywhere('bad', 403);
    expect(await create('bad-one')).to.contain('admission webhook "hook.example.com" denied the request: bad names are not welcome');
    expect(await create('plain')).to.equal('configmap/plain created\n');
    expect(await kubectl('create', 'configmap', 'bad-elsewhere')).to.equal('configmap/bad-elsewhere created\n');
  });

  it('do not lock anybody out when they are down and told not to', async () => {
    const port = service.port;
    service.close();
    expect(await create('plain-2')).to.match(
      new RegExp(
        `failed calling webhook "hook\\.example\\.com": failed to call webhook: Post "https://hooks\\.guarded\\.svc:${port}/hook\\?timeout=5s": dial tcp .*:${port}: connect: connection refused`,
      ),
    );
    await kubectl(
      'patch',
      'validatingwebhookconfiguration',
      'hooks',
      '--type=json',
      '-p',
      '[{"op":"replace","path":"/webhooks/0/failurePolicy","value":"Ignore"}]',
    );
    await everywhere('plain-3', 201);
    expect(await create('plain-3')).to.equal('configmap/plain-3 created\n');
    await kubectl('delete', 'validatingwebhookconfiguration', 'hooks');
  });

  it('change what people write', async () => {
    service = await startHookService(identities);
    service.reply = reply;
    await apply(configuration('MutatingWebhookConfiguration', byUrl()));
    await everywhere('bad', 403);
    await apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine', namespace: 'guarded' } });
    expect(
      await kubectl('-n', 'guarded', 'get', 'configmap', 'mine', '-o', `jsonpath={.metadata.labels.hooks\\.example\\.com/seen}`),
    ).to.equal('yes');
    await kubectl('-n', 'guarded', 'label', 'configmap', 'mine', `${label}-`);
    expect(await kubectl('-n', 'guarded', 'get', 'configmap', 'mine', '-o', 'jsonpath={.metadata.labels}')).to.contain(label);
    await kubectl('delete', 'mutatingwebhookconfiguration', 'hooks');
  });

  it('convert custom resources', async () => {
    const schema = {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, asked: { type: 'string' } } } },
      },
    };
    await apply({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [
          { name: 'v1', served: true, storage: true, schema },
          { name: 'v2', served: true, storage: false, schema },
        ],
        conversion: {
          strategy: 'Webhook',
          webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: service.url, caBundle: service.caBundle } },
        },
      },
    });
    await kubectl('wait', '--for=condition=Established', 'crd/widgets.example.com', '--timeout=30s');
    await apply({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'guarded' }, spec: { size: 3 } });
    expect(
      await kubectl('-n', 'guarded', 'get', 'widgets.v2.example.com', 'w', '-o', 'jsonpath={.apiVersion} {.spec.size} {.spec.asked}'),
    ).to.equal('example.com/v2 3 example.com/v2');
    expect(await kubectl('-n', 'guarded', 'get', 'widgets.v1.example.com', 'w', '-o', 'jsonpath={.apiVersion} {.spec.asked}')).to.equal(
      'example.com/v1 ',
    );
  });
});
