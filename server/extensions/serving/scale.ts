import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { badRequest, plainError, StatusError } from '../../../api/status.js';
import { membersOf } from '../../../api/json/members.js';
import { fieldElement } from '../../patch/apply/fieldSet.js';
import { printed } from '../../patch/printed.js';
import type { ScaleForm, UnappliedScale } from '../../registry/behaviour.js';
import { invalid, Path, type FieldError } from '../../registry/validation/field.js';
import type { ScalePaths } from '../definition.js';

/** The `scale` subresource of custom resources: numbers at the definition's paths. */

const replicasMax = 2 ** 31 - 1;
/** Replaces an absent number during a patch; no client requests it. */
const notSet = -(2 ** 31);

type Found<T> = { readonly ok: true; readonly value: T | null } | { readonly ok: false; readonly message: string };

const namesOf = (path: string): string[] => path.replace(/^\./, '').split('.');

function valueAt(object: JsonValue, path: string): Found<JsonValue> {
  let value: JsonValue | undefined = object;
  for (const name of namesOf(path)) {
    if (value === undefined || value === null) return { ok: true, value: null };
    if (typeof value !== 'object' || Array.isArray(value))
      return {
        ok: false,
        message: `${path} accessor error: ${printed(value)} is of the type ${goTypeOf(value)}, expected map[string]interface{}`,
      };
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return { ok: true, value: value ?? null };
}

function wholeAt(object: JsonValue, path: string): Found<number | bigint> {
  const found = valueAt(object, path);
  if (!found.ok || found.value === null) return found as Found<number>;
  const { value } = found;
  return isWhole(value)
    ? { ok: true, value }
    : { ok: false, message: `${path} accessor error: ${printed(value)} is of the type ${goTypeOf(value)}, expected int64` };
}

/** Integers beyond the safe range are bigint; those beyond 64 bits are not integers. */
const isWhole = (value: JsonValue): value is number | bigint => typeof value === 'bigint' || Number.isSafeInteger(value);

function textAt(object: JsonValue, path: string): Found<string> {
  const found = valueAt(object, path);
  if (!found.ok || found.value === null) return found as Found<string>;
  return typeof found.value === 'string'
    ? { ok: true, value: found.value }
    : { ok: false, message: `${path} accessor error: ${printed(found.value)} is of the type ${goTypeOf(found.value)}, expected string` };
}

function goTypeOf(value: JsonValue): string {
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'object') return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

const atPath = (path: string): Path => Path.of(path);

function replicaFindings(object: ApiObject, path: string): FieldError[] {
  const found = wholeAt(object, path);
  if (!found.ok) return [invalid(atPath(path), 0, found.message)];
  const replicas = found.value ?? 0;
  if (replicas < 0) return [invalid(atPath(path), replicas, 'should be a non-negative integer')];
  return replicas > replicasMax ? [invalid(atPath(path), replicas, `should be less than or equal to ${replicasMax}`)] : [];
}

export const specFindings = (object: ApiObject, { specReplicas }: ScalePaths): FieldError[] => replicaFindings(object, specReplicas);

/** Checks the actual number of replicas and their pods' selector. */
export function statusFindings(object: ApiObject, { statusReplicas, labelSelector }: ScalePaths): FieldError[] {
  const selector = labelSelector === null ? ({ ok: true, value: null } as const) : textAt(object, labelSelector);
  return [...replicaFindings(object, statusReplicas), ...(selector.ok ? [] : [invalid(atPath(labelSelector ?? ''), '', selector.message)])];
}

/** The object does not match the definition's paths, for which the reference has its own error. */
const unusable = (message: string): StatusError =>
  new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });

const found = <T>(result: Found<T>): T | null => {
  if (result.ok) return result.value;
  throw unusable(result.message);
};

function scaleOf(object: ApiObject, version: string, { statusReplicas, labelSelector }: ScalePaths, replicas: number | bigint): ApiObject {
  const { name = '', namespace, uid = '', creationTimestamp = null } = object.metadata;
  const selector = labelSelector === null ? null : found(textAt(object, labelSelector));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion: version, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: found(wholeAt(object, statusReplicas)) ?? 0, ...(selector === null || selector === '' ? {} : { selector }) },
  };
}

/** Sets a value at a path with its parents. Throws 500 if another value is there. */
function setAt(object: JsonObject, path: string, value: JsonValue): void {
  const names = namesOf(path);
  let holder = object;
  for (const name of names.slice(0, -1)) {
    const next = holder[name] ?? {};
    if (typeof next !== 'object' || Array.isArray(next))
      throw unusable(`value cannot be set because ${path} is not a map[string]interface{}`);
    holder[name] = next;
    holder = next;
  }
  holder[names.at(-1) ?? ''] = value;
}

/** `replicasPath` covers all versions of the definition. */
export function scaleForm(paths: ScalePaths, replicasPath: ScaleForm['replicasPath']): ScaleForm {
  const { specReplicas } = paths;
  return {
    replicasPath,
    show: (object, version) => scaleOf(object, version, paths, found(wholeAt(object, specReplicas)) ?? 0),
    read(object, version) {
      const replicas = found(wholeAt(object, specReplicas));
      if (replicas === null) throw unusable(`the spec replicas field ${JSON.stringify(specReplicas)} does not exist`);
      return scaleOf(object, version, paths, replicas);
    },
    before: (object, version) => scaleOf(object, version, paths, found(wholeAt(object, specReplicas)) ?? notSet),
    put(object, scale) {
      const replicas = membersOf(scale['spec'])['replicas'] ?? 0;
      if (replicas === notSet) throw badRequest(`the spec replicas field ${JSON.stringify(specReplicas)} cannot be empty`);
      setAt(object, specReplicas, replicas);
      // The write applies to the current object unless the client requires a version.
      if ((scale.metadata.resourceVersion ?? '') !== '') object.metadata.resourceVersion = scale.metadata.resourceVersion ?? '';
      return object;
    },
    refuseApply: (name, why) =>
      plainError(500, `${unapplied[why](name)} to proper version: request to convert CR to an invalid group/version: autoscaling/v1`),
  };
}

/** Server-side apply cannot change a custom resource's scale, as in the reference: clients update or patch it. */
const unapplied: Readonly<Record<UnappliedScale, (name: string) => string>> = {
  unowned: () => 'failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale)',
  changed: (name) => `failed to convert new object (/${name}; autoscaling/v1, Kind=Scale)`,
};

/** The path of the replicas in field ownership. */
export const ownedPath = ({ specReplicas }: ScalePaths): readonly string[] => namesOf(specReplicas).map(fieldElement);
