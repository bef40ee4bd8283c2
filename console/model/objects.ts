/** The parts of objects that the page reads. */

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}
export interface ManagedField {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: unknown;
}
export interface ApiObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string;
    readonly ownerReferences?: readonly OwnerReference[];
    readonly managedFields?: readonly ManagedField[];
  };
  readonly [member: string]: unknown;
}

export function withoutManagedFields(object: ApiObject): ApiObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Returns a field set's paths, such as `spec.replicas` or `metadata.labels.app`: leaves, sorted. */
export function fieldPaths(fields: unknown, before = ''): readonly string[] {
  if (typeof fields !== 'object' || fields === null) return [];
  return Object.entries(fields)
    .filter(([key]) => key !== '.')
    .flatMap(([key, below]) => {
      const step = key.startsWith('f:') ? `${before === '' ? '' : '.'}${key.slice(2)}` : `[${key.slice(2)}]`;
      const path = `${before}${step}`;
      const ends = fieldPaths(below, path);
      return ends.length === 0 ? [path] : ends;
    })
    .sort();
}

export interface TreeNode {
  readonly object: ApiObject;
  readonly children: readonly TreeNode[];
}

const depthMax = 12;

/** Returns the ownership tree of an object among the known ones, from its topmost owner to all dependents. */
export function ownershipTree(known: readonly ApiObject[], uid: string): TreeNode | null {
  const byUid = new Map(known.map((object) => [object.metadata.uid ?? '', object]));
  const children = new Map<string, ApiObject[]>();
  for (const object of byUid.values())
    for (const { uid: owner } of object.metadata.ownerReferences ?? []) children.set(owner, [...(children.get(owner) ?? []), object]);
  let root = byUid.get(uid);
  for (let depth = 0; root !== undefined && depth < depthMax; depth++) {
    const owner = root.metadata.ownerReferences?.map((reference) => byUid.get(reference.uid)).find((found) => found !== undefined);
    if (owner === undefined) break;
    root = owner;
  }
  const grow = (object: ApiObject, depth: number): TreeNode => ({
    object,
    children:
      depth >= depthMax
        ? []
        : (children.get(object.metadata.uid ?? '') ?? [])
            .sort((a, b) => (`${a.kind}/${a.metadata.name}` < `${b.kind}/${b.metadata.name}` ? -1 : 1))
            .map((child) => grow(child, depth + 1)),
  });
  return root === undefined ? null : grow(root, 0);
}

/** Formats an age as tables do: `45s`, `12m`, `5h`, `3d`. */
export function age(fromMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - fromMs) / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
