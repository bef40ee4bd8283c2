import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../../api/object.js';
import { ClusterCommands, kubectlRunsHere } from '../fixtures/kubectl.js';
import { ClusterUnderTest } from './clusterUnderTest.js';

const pollMs = 25;
const group = 'admissionregistration.k8s.io/v1';
const matchConstraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }],
  namespaceSelector: { matchLabels: { ruled: 'yes' } },
};

describe('cluster/policies', function () {
  let cluster: ClusterUnderTest;
  let commands: ClusterCommands;

  before(async function () {
    if (!kubectlRunsHere) this.skip();
    cluster = await ClusterUnderTest.start({ replicas: 3 });
    commands = new ClusterCommands(cluster.cluster.kubeconfig, cluster.cluster.dataDirectory);
    await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ruled', labels: { ruled: 'yes' } } });
  });
  after(async () => {
    await cluster?.stop();
  });

  const apply = (object: JsonObject): Promise<string> => commands.kubectlWithInput(JSON.stringify(object), 'apply', '-f', '-');
  const kubectl = (...args: string[]): Promise<string> => commands.kubectl('-n', 'ruled', ...args);
  const refused = async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await commands.try('kubectl', ['-n', 'ruled', ...args]);
    return status === 0 ? `accepted: ${stdout}` : stderr;
  };
  /** Every replica follows policies on its own. */
  const everywhere = async (data: JsonObject, reached: (status: number, body: JsonObject) => boolean): Promise<void> => {
    for (const member of cluster.members) {
      const there = async (): Promise<boolean> => {
        const { status, body } = await cluster
          .at(member)
          .request('POST', '/api/v1/namespaces/ruled/configmaps?dryRun=All', { body: { metadata: { name: 'probe' }, data } });
        return reached(status, body as JsonObject);
      };
      while (!(await there())) await delay(pollMs);
    }
  };

  it('refuse, warn and let go on every replica, from the moment they are applied', async () => {
    const validations = [
      {
        expression: '!has(object.data) || object.data.all(k, v, v.matches("^[a-z]*$"))',
        messageExpression: '"values of " + object.metadata.name + " must be small letters"',
      },
    ];
    await apply({
      apiVersion: group,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'letters' },
      spec: { matchConstraints, validations },
    });
    await apply({
      apiVersion: group,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'letters' },
      spec: { policyName: 'letters', validationActions: ['Deny'] },
    });
    await everywhere({ a: '1' }, (status) => status === 422);
    expect(await refused('create', 'configmap', 'm', '--from-literal=a=1')).to.contain(
      "ValidatingAdmissionPolicy 'letters' with binding 'letters' denied request: values of m must be small letters",
    );
    expect(await kubectl('create', 'configmap', 'm', '--from-literal=a=b')).to.equal('configmap/m created\n');
    await commands.kubectl(
      'patch',
      'validatingadmissionpolicybinding',
      'letters',
      '--type=merge',
      '-p',
      '{"spec":{"validationActions":["Warn"]}}',
    );
    await everywhere({ a: '1' }, (status) => status === 201);
    expect(await kubectl('patch', 'configmap', 'm', '-p', '{"data":{"a":"2"}}')).to.equal('configmap/m patched\n');
  });

  it('change objects on every replica, with parameters', async () => {
    await apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'defaults', namespace: 'default' }, data: { owner: 'team-a' } });
    await apply({
      apiVersion: group,
      kind: 'MutatingAdmissionPolicy',
      metadata: { name: 'owners' },
      spec: {
        matchConstraints,
        reinvocationPolicy: 'Never',
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        mutations: [
          {
            patchType: 'ApplyConfiguration',
            applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"owner": params.data.owner}}}' },
          },
        ],
      },
    });
    await apply({
      apiVersion: group,
      kind: 'MutatingAdmissionPolicyBinding',
      metadata: { name: 'owners' },
      spec: { policyName: 'owners', paramRef: { name: 'defaults', namespace: 'default', parameterNotFoundAction: 'Deny' } },
    });
    await everywhere({}, (_, body) => (body['metadata'] as { labels?: JsonObject }).labels?.['owner'] === 'team-a');
    await kubectl('create', 'configmap', 'n');
    expect(await kubectl('get', 'configmap', 'n', '-o', 'jsonpath={.metadata.labels.owner}')).to.equal('team-a');
  });

  it('guard custom resources by the rules of their schema', async () => {
    const schema = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { min: { type: 'integer' }, max: { type: 'integer' } },
          'x-kubernetes-validations': [{ rule: 'self.min <= self.max', message: 'min must not exceed max' }],
        },
      },
    };
    await apply({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'ranges.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'ranges', kind: 'Range' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
    await commands.kubectl('wait', '--for=condition=Established', 'crd/ranges.example.com', '--timeout=60s');
    const range = (min: number): JsonObject => ({
      apiVersion: 'example.com/v1',
      kind: 'Range',
      metadata: { name: 'r', namespace: 'ruled' },
      spec: { min, max: 5 },
    });
    const wrong = await commands.kubectlWithInput(JSON.stringify(range(9)), 'create', '-f', '-').catch((error: unknown) => String(error));
    expect(wrong).to.contain('spec: Invalid value: min must not exceed max');
    expect(await commands.kubectlWithInput(JSON.stringify(range(1)), 'create', '-f', '-')).to.equal('range.example.com/r created\n');
  });
});
