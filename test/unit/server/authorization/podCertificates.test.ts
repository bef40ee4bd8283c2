import { expect } from 'chai';
import type { AdmissionRequest } from '../../../../server/registry/admission.js';
import type { Lookup } from '../../../../server/registry/lookup.js';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { nodeRestriction } from '../../../../server/authorization/node/restriction.js';

const kubelet = { name: 'system:node:n1', uid: '', groups: ['system:nodes'], extra: {} };
const mirrored = { 'kubernetes.io/config.mirror': 'x' };
const stored: Readonly<Record<string, ApiObject>> = {
  'nodes//n1': { metadata: { name: 'n1', uid: 'node-uid' } },
  'serviceaccounts/d/a': { metadata: { name: 'a', uid: 'account-uid' } },
  'pods/d/p': { metadata: { name: 'p', uid: 'pod-uid' }, spec: { nodeName: 'n1', serviceAccountName: 'a' } },
  'pods/d/m': { metadata: { name: 'm', uid: 'm-uid', annotations: mirrored }, spec: { nodeName: 'n1', serviceAccountName: 'a' } },
  'pods/d/other': { metadata: { name: 'other', uid: 'other-uid' }, spec: { nodeName: 'n2', serviceAccountName: 'a' } },
};
const lookup: Lookup = {
  find: ({ resource }, namespace, name) => Promise.resolve(stored[`${resource}/${namespace}/${name}`] ?? null),
  list: () => Promise.resolve([]),
};
const plugin = nodeRestriction(lookup, () => ({ decision: 'noOpinion', reason: '' }), {
  audiences: true,
  certificates: true,
  podCertificates: true,
});
const spec: JsonObject = {
  nodeName: 'n1',
  nodeUID: 'node-uid',
  podName: 'p',
  podUID: 'pod-uid',
  serviceAccountName: 'a',
  serviceAccountUID: 'account-uid',
};

async function answer(changes: JsonObject, more: Partial<AdmissionRequest> = {}): Promise<string> {
  const request = {
    operation: 'CREATE',
    subresource: '',
    namespace: 'd',
    name: '',
    user: kubelet,
    resource: { storage: { group: 'certificates.k8s.io', resource: 'podcertificaterequests' } },
    object: { metadata: {}, spec: { ...spec, ...changes } },
    old: null,
    ...more,
  } as unknown as AdmissionRequest;
  try {
    await plugin.validate?.(request);
    return 'admitted';
  } catch (error) {
    const { code, message } = error as { code: number; message: string };
    return `${code} ${message.replace(/^.* is forbidden: /, '')}`;
  }
}

const refused: readonly (readonly [what: string, changes: JsonObject, words: RegExp])[] = [
  ['for another node', { nodeName: 'n2' }, /^403 PodCertificateRequest.Spec.NodeName="n2", which is not the requesting node "n1"$/],
  [
    'for a node that was here before',
    { nodeUID: 'old' },
    /^500 .* names node UID "old", inconsistent with the running node \("node-uid"\)$/,
  ],
  ['of a pod elsewhere', { podName: 'other', podUID: 'other-uid' }, /^403 pod "d\/other" is not running on node "n1"/],
  ['of a pod that was here before', { podUID: 'old' }, /^500 .* contains pod UID \("old"\) which differs from running pod "pod-uid"$/],
  ['of a pod that is not there', { podName: 'none' }, /^500 while retrieving pod "d\/none" named in the PodCertificateRequest/],
  ['of a mirror pod', { podName: 'm', podUID: 'm-uid' }, /^403 pod "d\/m" is a mirror pod$/],
  ['of another account', { serviceAccountName: 'b' }, /^403 .* serviceAccountName \("b"\) that differs from running pod \("a"\)$/],
  ['of an account that was here before', { serviceAccountUID: 'old' }, /^500 .* names service account UID "old", which differs/],
];

describe('authorization, requests of nodes for certificates of pods', () => {
  it('are admitted for pods on the node', async () => {
    expect(await answer({})).to.equal('admitted');
  });

  for (const [what, changes, words] of refused)
    it(`are refused ${what}`, async () => {
      expect(await answer(changes)).to.match(words);
    });

  it('are not changed by nodes', async () => {
    expect(await answer({}, { subresource: 'status' })).to.equal('403 unexpected subresource status');
    expect(await answer({}, { operation: 'UPDATE', subresource: 'status' })).to.equal('403 unexpected operation UPDATE');
  });
});
