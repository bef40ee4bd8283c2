import { readJson } from '../../../workers/codecs/jsonReader.js';
import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { invalid, Path, required, type FieldError } from '../../registry/validation/field.js';

/** Unused, but still checked (ValidateNodeSpecificAnnotations of the reference). */
const taintsKey = 'scheduler.alpha.kubernetes.io/taints';
const avoidKey = 'scheduler.alpha.kubernetes.io/preferAvoidPods';
const annotationsPath = Path.of('metadata', 'annotations');
const depthMax = 10_000;

type TaintRule = (taints: readonly JsonObject[], path: Path) => FieldError[];

export function validateNodeAnnotations({ metadata: { annotations = {} } }: ApiObject, validateTaints: TaintRule): FieldError[] {
  const [taints, avoided] = [annotations[taintsKey] ?? '', annotations[avoidKey] ?? ''];
  return [...(taints === '' ? [] : annotatedTaints(taints, validateTaints)), ...(avoided === '' ? [] : avoidedPods(avoided))];
}

function annotatedTaints(text: string, validateTaints: TaintRule): FieldError[] {
  const read = readAs(text, 'array', '[]core.Taint');
  if ('problem' in read) return [invalid(annotationsPath, taintsKey, read.problem)];
  const items = Array.isArray(read.value) ? read.value : [];
  const other = items.find((item) => item !== null && kindOf(item) !== 'object');
  if (other !== undefined)
    return [invalid(annotationsPath, taintsKey, `json: cannot unmarshal ${kindOf(other)} into Go value of type core.Taint`)];
  return validateTaints(
    items.map((item) => lowerCaseNames(item as JsonObject | null)),
    annotationsPath.child(taintsKey),
  );
}

function avoidedPods(text: string): FieldError[] {
  const read = readAs(text, 'object', 'v1.AvoidPods');
  if ('problem' in read) return [invalid(annotationsPath.child('AvoidPods'), avoidKey, read.problem)];
  return objectsIn((read.value ?? {}) as JsonObject, 'preferAvoidPods').flatMap((entry, position) => {
    const path = annotationsPath.child(avoidKey).index(position).child('PodSignature');
    const controller = objectAt(objectAt(entry, 'podSignature') ?? {}, 'podController');
    if (controller === null) return [required(path, '')];
    return controller['controller'] === true ? [] : [invalid(path.child('PodController'), false, 'must point to a controller')];
  });
}

/** Taints have the reference's internal names, in any case. */
const lowerCaseNames = (taint: JsonObject | null): JsonObject =>
  Object.fromEntries(Object.entries(taint ?? {}).map(([name, value]) => [name.toLowerCase(), value]));

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
