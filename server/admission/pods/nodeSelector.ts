import type { JsonObject } from '../../../api/object.js';
import { forbidden } from '../../../api/status.js';
import { ensureObject, objectAt } from '../../../api/json/defaulting.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission.js';
import type { Lookup } from '../../registry/lookup.js';

type Labels = Readonly<Record<string, string>>;

export interface NodeSelectors {
  readonly byNamespace: ReadonlyMap<string, Labels>;
  readonly byDefault: Labels;
}

const pods = { group: '', resource: 'pods' };
const namespaces = { group: '', resource: 'namespaces' };
const annotation = 'scheduler.alpha.kubernetes.io/node-selector';
const member = 'podNodeSelectorPluginConfig';
const defaultKey = 'clusterDefaultNodeSelector';

/** The configuration has no kind. Throws for an invalid one. */
export function nodeSelectorsIn(configuration: JsonObject | null): NodeSelectors {
  const unknown = Object.keys(configuration ?? {}).filter((name) => ![member, 'apiVersion', 'kind'].includes(name));
  if (unknown.length > 0)
    throw new Error(`the configuration of PodNodeSelector must hold ${member} and nothing else, not ${unknown.join(', ')}`);
  const entries = Object.entries(objectAt(configuration ?? {}, member) ?? {}).map(([namespace, text]): [string, Labels] => {
    const labels = typeof text === 'string' ? labelsIn(text) : null;
    if (labels === null)
      throw new Error(`the configuration of PodNodeSelector: ${member}.${namespace} must be labels such as zone=a,disk=fast`);
    return [namespace, labels];
  });
  const byNamespace = new Map(entries);
  return { byNamespace, byDefault: byNamespace.get(defaultKey) ?? {} };
}

/** Parses `a=b,c=d`; null for other texts. */
function labelsIn(text: string): Labels | null {
  if (text.trim() === '') return {};
  const pairs = text.split(',').map((part) => /^\s*([^=\s]+)\s*=\s*([^=\s]*)\s*$/.exec(part));
  const labels = pairs.flatMap((pair) => (pair === null ? [] : [[pair[1]!, pair[2]!] as const]));
  return labels.length < pairs.length ? null : Object.fromEntries(labels);
}

export const podNodeSelector = (lookup: Lookup, selectors: NodeSelectors): AdmissionPlugin => ({
  name: 'PodNodeSelector',
  resources: ['pods'],
  async admit(request) {
    if (request.object === null || request.subresource !== '' || request.operation !== 'CREATE') return;
    const wanted = await namespaceLabels(request, lookup, selectors);
    const spec = ensureObject(request.object, 'spec');
    const own = labelsOf(spec);
    refuseConflict(wanted, own, request);
    if (Object.keys(wanted).length > 0) spec['nodeSelector'] = { ...wanted, ...own };
  },
  async validate(request) {
    if (request.object === null || request.subresource !== '' || request.operation !== 'CREATE') return;
    const own = labelsOf(objectAt(request.object, 'spec') ?? {});
    refuseConflict(await namespaceLabels(request, lookup, selectors), own, request);
    const allowed = selectors.byNamespace.get(request.namespace) ?? {};
    if (
      Object.keys(allowed).length === 0 ||
      Object.entries(own).every(([key, value]) => Object.hasOwn(allowed, key) && allowed[key] === value)
    )
      return;
    throw forbidden(pods, request.name, 'pod node label selector labels conflict with its namespace whitelist');
  },
});

async function namespaceLabels({ namespace, name }: AdmissionRequest, lookup: Lookup, { byDefault }: NodeSelectors): Promise<Labels> {
  const text = (await lookup.find(namespaces, '', namespace))?.metadata.annotations?.[annotation];
  if (text === undefined) return byDefault;
  const labels = labelsIn(text);
  if (labels === null)
    throw forbidden(pods, name, `annotation ${annotation} of namespace ${namespace} must be labels such as zone=a,disk=fast`);
  return labels;
}

const labelsOf = (spec: JsonObject): Labels => (objectAt(spec, 'nodeSelector') ?? {}) as Labels;

function refuseConflict(wanted: Labels, own: Labels, { name }: AdmissionRequest): void {
  if (Object.entries(own).every(([key, value]) => !Object.hasOwn(wanted, key) || wanted[key] === value)) return;
  throw forbidden(pods, name, 'pod node label selector conflicts with its namespace node label selector');
}
