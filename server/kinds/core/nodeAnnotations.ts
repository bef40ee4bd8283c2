import { readJson } from '../../../workers/codecs/jsonReader.js';
import {
  inOrder,
  invalid,
  membersOf,
  missing,
  objectAt,
  objectsIn,
  Path,
  textAt,
  type FieldError,
  type Found,
  type JsonObject,
  type JsonValue,
  type ObjectMeta,
  type Rule,
  type Writable,
} from '../language.js';
import type * as v1 from '../../../api/types/core/v1.js';

/** Unused, but still checked (ValidateNodeSpecificAnnotations of the reference). */
const taintsKey = 'scheduler.alpha.kubernetes.io/taints';
const avoidKey = 'scheduler.alpha.kubernetes.io/preferAvoidPods';
const annotationsPath = Path.of('metadata', 'annotations');
const depthMax = 10_000;

type TaintRule = Rule<Writable<v1.Taint>[]>;

export const nodeAnnotations =
  (taintRule: TaintRule) =>
  ({ annotations }: ObjectMeta): Found => {
    const { [taintsKey]: taints = '', [avoidKey]: avoided = '' } = annotations ?? {};
    return inOrder(taints === '' ? [] : annotatedTaints(taints, taintRule), avoided === '' ? [] : avoidedPods(avoided));
  };

function annotatedTaints(text: string, taintRule: TaintRule): Found {
  const read = readAs(text, 'array', '[]core.Taint');
  if ('problem' in read) return [invalid(annotationsPath, taintsKey, read.problem)];
  const items = Array.isArray(read.value) ? read.value : [];
  const other = items.find((item) => item !== null && kindOf(item) !== 'object');
  if (other !== undefined)
    return [invalid(annotationsPath, taintsKey, `json: cannot unmarshal ${kindOf(other)} into Go value of type core.Taint`)];
  return taintRule(
    items.map((item) => taintOf(membersOf(item))),
    annotationsPath.child(taintsKey),
    null,
  );
}

function avoidedPods(text: string): FieldError[] {
  const read = readAs(text, 'object', 'v1.AvoidPods');
  if ('problem' in read) return [invalid(annotationsPath.child('AvoidPods'), avoidKey, read.problem)];
  return objectsIn(membersOf(read.value), 'preferAvoidPods').flatMap((entry, position) => {
    const path = annotationsPath.child(avoidKey).index(position).child('PodSignature');
    const controller = objectAt(objectAt(entry, 'podSignature') ?? {}, 'podController');
    if (controller === null) return [missing(path, '')];
    return controller['controller'] === true ? [] : [invalid(path.child('PodController'), false, 'must point to a controller')];
  });
}

/** Taints have the reference's internal names, in any case. */
function taintOf(item: JsonObject): Writable<v1.Taint> {
  const members = Object.fromEntries(Object.entries(item).map(([name, value]) => [name.toLowerCase(), value]));
  return { key: textAt(members, 'key'), value: textAt(members, 'value'), effect: textAt(members, 'effect') };
}

function readAs(text: string, kind: 'array' | 'object', type: string): { readonly value: JsonValue } | { readonly problem: string } {
  const result = readJson(text, { depthMax, keepLiterals: false });
  if (!result.ok) return { problem: result.message };
  const value = result.value as JsonValue;
  return value === null || kindOf(value) === kind
    ? { value }
    : { problem: `json: cannot unmarshal ${kindOf(value)} into Go value of type ${type}` };
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
