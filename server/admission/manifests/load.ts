import type { JsonMembers } from '../../../workers/codecs/value.js';
import { checkStructure } from '../../../workers/schema/structure.js';
import { isObject } from '../../../api/json/json.js';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { manifestSuffix } from '../../../api/catalogue/manifestNames.js';
import { typeOfKind } from '../../../api/catalogue/types.js';
import type { EnabledFeatures } from '../../../program/features/gates.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import type { Catalogue } from '../../registry/resources.js';
import { nameAndValidate } from '../../registry/writes.js';
import { readManifestFolder } from './files.js';
import { inOneGo } from '../../../api/steps.js';
import { outcomeOf } from '../../registry/stepwise.js';

/**
 * Webhooks and policies from files (KEP 5793): they exist before the API, cannot be changed through it, and run before the API's own. They obey the API's
 * rules, and must not refer to objects in the cluster.
 */

const group = 'admissionregistration.k8s.io';
const version = 'v1';

/** The permitted content of a plugin's manifests. */
export interface ManifestKinds {
  readonly kinds: Readonly<Record<string, string>>;
  /** Returns an object's problem beyond the API's rules, or null. */
  readonly problem: (kind: string, object: ApiObject) => string | null;
}

export interface Manifests {
  /** Objects by resource, sorted by name. */
  readonly objects: ReadonlyMap<string, readonly ApiObject[]>;
  readonly hash: string;
}

const hookProblem = (_kind: string, object: ApiObject): string | null => {
  for (const hook of itemsOf(object['webhooks'])) {
    const where = `webhook ${JSON.stringify(textAt(hook, 'name'))}: clientConfig`;
    if (memberAt(hook, 'clientConfig', 'service') !== undefined)
      return `${where}.service is not supported for static manifests; use clientConfig.url instead`;
    if (textAt(hook, 'clientConfig', 'url') === '') return `${where}.url is required for static manifests`;
  }
  return null;
};

const policyProblem = (kind: string, object: ApiObject): string | null => {
  if (!kind.endsWith('Binding'))
    return memberAt(object, 'spec', 'paramKind') === undefined ? null : 'spec.paramKind is not supported for static manifests';
  const policy = textAt(object, 'spec', 'policyName');
  if (policy === '') return 'spec.policyName must name a policy';
  if (!policy.endsWith(manifestSuffix)) return `spec.policyName ${JSON.stringify(policy)} must end with "${manifestSuffix}"`;
  return memberAt(object, 'spec', 'paramRef') === undefined ? null : 'spec.paramRef is not supported for static manifests';
};

/** By plug-in. */
export const manifestKinds: Readonly<Record<string, ManifestKinds>> = {
  ValidatingAdmissionWebhook: { kinds: { ValidatingWebhookConfiguration: 'validatingwebhookconfigurations' }, problem: hookProblem },
  MutatingAdmissionWebhook: { kinds: { MutatingWebhookConfiguration: 'mutatingwebhookconfigurations' }, problem: hookProblem },
  ValidatingAdmissionPolicy: {
    kinds: {
      ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
      ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
    },
    problem: policyProblem,
  },
  MutatingAdmissionPolicy: {
    kinds: { MutatingAdmissionPolicy: 'mutatingadmissionpolicies', MutatingAdmissionPolicyBinding: 'mutatingadmissionpolicybindings' },
    problem: policyProblem,
  },
};

export interface LoadParts {
  readonly catalogue: Pick<Catalogue, 'resource'>;
  readonly enabled: EnabledFeatures;
}

/** Reads a plugin's manifests like the API: strictly, with defaults, by the rules of their kinds. Throws with file and error. */
export function loadManifests(folder: string, allowed: ManifestKinds, parts: LoadParts): Manifests {
  const { documents, hash } = readManifestFolder(folder);
  const found = new Map<string, Map<string, { readonly file: string; readonly object: ApiObject }>>();
  for (const resource of Object.values(allowed.kinds)) found.set(resource, new Map());
  for (const { file, value } of documents)
    for (const item of unlisted(value, allowed, file)) {
      const { resource, object } = accepted(item, file, allowed, parts);
      const name = object.metadata.name ?? '';
      const known = found.get(resource);
      const before = known?.get(name);
      if (before !== undefined) throw new Error(`${file}: ${item.kind} ${JSON.stringify(name)} is there already, in ${before.file}`);
      known?.set(name, { file, object });
    }
  const objects = new Map(
    [...found].map(([resource, named]) => [resource, [...named.keys()].sort().map((name) => named.get(name)!.object)] as const),
  );
  refuseUnbound(objects, found);
  return { objects, hash };
}

interface Item {
  readonly kind: string;
  readonly value: JsonObject;
}

/** Returns a single object, or the items of a `v1.List` or permitted list kind. */
function unlisted(value: JsonObject, allowed: ManifestKinds, file: string): readonly Item[] {
  const [apiVersion, kind] = [textAt(value, 'apiVersion'), textAt(value, 'kind')];
  const ofItems = kind.replace(/List$/, '');
  const isOwnList = ofItems !== kind && Object.hasOwn(allowed.kinds, ofItems) && apiVersion === `${group}/${version}`;
  if (isOwnList || (apiVersion === 'v1' && kind === 'List'))
    return itemsOf(value['items']).flatMap((item) => {
      if (!isObject<JsonObject>(item)) throw new Error(`${file}: an item of a list must be an object`);
      return unlisted(isOwnList ? { apiVersion, kind: ofItems, ...item } : item, allowed, file);
    });
  if (apiVersion !== `${group}/${version}` || !Object.hasOwn(allowed.kinds, kind))
    throw new Error(
      `${file}: unsupported resource type ${apiVersion}, ${kind}; ${Object.keys(allowed.kinds).join(' and ')} of ${group}/${version} are supported`,
    );
  return [{ kind, value }];
}

function accepted(
  { kind, value }: Item,
  file: string,
  allowed: ManifestKinds,
  { catalogue, enabled }: LoadParts,
): { readonly resource: string; readonly object: ApiObject } {
  const name = textAt(value, 'metadata', 'name');
  const refuse = (why: string): never => {
    throw new Error(`${file}: ${kind} ${JSON.stringify(name)}: ${why}`);
  };
  const type = typeOfKind({ group, version, kind });
  const resource = catalogue.resource(group, version, allowed.kinds[kind] ?? '');
  if (type === undefined || resource === null) return refuse('is not served');
  const checked = checkStructure(structuredClone(value) as JsonMembers, type, { unknownFields: 'report' });
  if (!checked.ok) return refuse(checked.message);
  if (checked.strict.length > 0) return refuse(`strict decoding error: ${checked.strict.join(', ')}`);
  if (!name.endsWith(manifestSuffix)) return refuse(`the name must end with "${manifestSuffix}"`);
  const object = checked.value as unknown as ApiObject;
  const problem = allowed.problem(kind, object);
  if (problem !== null) return refuse(problem);
  inOneGo(outcomeOf(resource.behaviour.strategy.read.defaults(object)));
  // The API reserves such names for manifests, which these are.
  const own: EnabledFeatures = (feature) => feature !== 'ManifestBasedAdmissionControlConfig' && enabled(feature);
  try {
    const stored = nameAndValidate({ resource, namespace: '', name }, object, {
      name,
      namespaceLabels: {},
      enabled: own,
      ended: () => null,
    });
    if (stored instanceof Promise) throw new Error(`broken invariant: ${kind} is not validated at once`);
    return { resource: resource.resource, object: stored };
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** A binding without its policy would guard nothing. */
function refuseUnbound(
  objects: ReadonlyMap<string, readonly ApiObject[]>,
  found: ReadonlyMap<string, ReadonlyMap<string, { readonly file: string }>>,
): void {
  for (const [resource, bindings] of objects) {
    if (!resource.endsWith('bindings')) continue;
    const policies = found.get(`${resource.slice(0, -'bindings'.length - 'policy'.length)}policies`);
    for (const binding of bindings) {
      const [name, policy] = [binding.metadata.name ?? '', textAt(binding, 'spec', 'policyName')];
      if (policies?.has(policy) !== true)
        throw new Error(
          `${found.get(resource)?.get(name)?.file ?? ''}: binding ${JSON.stringify(name)} references policy ${JSON.stringify(policy)}, which is in none of the manifests`,
        );
    }
  }
}
