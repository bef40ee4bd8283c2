import type { ApiObject } from '../../../api/object.js';
import type { GroupResource } from '../../../api/resource.js';
import { plainError } from '../../../api/status.js';
import type { AdmissionRequest } from '../../registry/admission.js';
import type { Lookup } from '../../registry/lookup.js';
import { mirrorAnnotation } from './mirrorPod.js';
import { textAt } from '../../../api/json/members.js';

/**
 * Kubelets may request certificates for pods on their node, with current names and uids of node, pod and account. A wrong uid may be out of date, so it is a
 * retriable error, not a refusal. Source: `admitPodCertificateRequest` of the reference.
 */
export async function podCertificateProblem(
  node: string,
  { operation, subresource, namespace, object }: AdmissionRequest,
  lookup: Lookup,
): Promise<string | null> {
  if (operation !== 'CREATE') return `unexpected operation ${operation}`;
  if (subresource !== '') return `unexpected subresource ${subresource}`;
  const asked = partiesOf(object, namespace);
  if (asked.nodeName !== node)
    return `PodCertificateRequest.Spec.NodeName=${JSON.stringify(asked.nodeName)}, which is not the requesting node ${JSON.stringify(node)}`;
  await demandNode(asked, lookup);
  const pod = await demandPod(asked, lookup);
  if (textAt(pod, 'spec', 'nodeName') !== node)
    return `pod ${asked.pod} is not running on node ${JSON.stringify(node)} named in the PodCertificateRequest`;
  if (pod.metadata.annotations?.[mirrorAnnotation] !== undefined) return `pod ${asked.pod} is a mirror pod`;
  const account = textAt(pod, 'spec', 'serviceAccountName');
  if (asked.accountName !== account)
    return `PodCertificateRequest for pod ${asked.pod} contains serviceAccountName (${JSON.stringify(asked.accountName)}) that differs from running pod (${JSON.stringify(account)})`;
  await demandAccount(asked, lookup);
  return null;
}

/** Objects named by a request. `pod` is its name in messages. */
interface Parties {
  readonly namespace: string;
  readonly pod: string;
  readonly podName: string;
  readonly podUid: string;
  readonly nodeName: string;
  readonly nodeUid: string;
  readonly accountName: string;
  readonly accountUid: string;
}

function partiesOf(object: ApiObject | null, namespace: string): Parties {
  const text = (member: string): string => textAt(object ?? undefined, 'spec', member);
  return {
    namespace,
    pod: JSON.stringify(`${namespace}/${text('podName')}`),
    podName: text('podName'),
    podUid: text('podUID'),
    nodeName: text('nodeName'),
    nodeUid: text('nodeUID'),
    accountName: text('serviceAccountName'),
    accountUid: text('serviceAccountUID'),
  };
}

async function demandNode({ nodeName, nodeUid, pod }: Parties, lookup: Lookup): Promise<void> {
  const what = `node ${JSON.stringify(nodeName)} named in the PodCertificateRequest`;
  const node = await present({ group: '', resource: 'nodes' }, { namespace: '', name: nodeName, what }, lookup);
  const uid = node.metadata.uid ?? '';
  if (uid !== nodeUid)
    throw retriable(
      `PodCertificateRequest for pod ${pod} names node UID ${JSON.stringify(nodeUid)}, inconsistent with the running node (${JSON.stringify(uid)})`,
    );
}

async function demandPod({ namespace, podName, podUid, pod }: Parties, lookup: Lookup): Promise<ApiObject> {
  const what = `pod ${pod} named in the PodCertificateRequest`;
  const found = await present({ group: '', resource: 'pods' }, { namespace, name: podName, what }, lookup);
  const uid = found.metadata.uid ?? '';
  if (uid !== podUid)
    throw retriable(
      `PodCertificateRequest for pod ${pod} contains pod UID (${JSON.stringify(podUid)}) which differs from running pod ${JSON.stringify(uid)}`,
    );
  return found;
}

async function demandAccount({ namespace, accountName, accountUid, pod }: Parties, lookup: Lookup): Promise<void> {
  const what = `service account ${JSON.stringify(`${namespace}/${accountName}`)} named in the PodCertificateRequest`;
  const account = await present({ group: '', resource: 'serviceaccounts' }, { namespace, name: accountName, what }, lookup);
  const uid = account.metadata.uid ?? '';
  if (uid !== accountUid)
    throw retriable(
      `PodCertificateRequest for pod ${pod} names service account UID ${JSON.stringify(accountUid)}, which differs from the running service account (${JSON.stringify(uid)})`,
    );
}

interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly what: string;
}

async function present(resource: GroupResource, { namespace, name, what }: Named, lookup: Lookup): Promise<ApiObject> {
  const found = await lookup.find(resource, namespace, name);
  if (found === null) throw retriable(`while retrieving ${what}: ${resource.resource} ${JSON.stringify(name)} not found`);
  return found;
}

const retriable = (why: string): Error => plainError(500, why);
