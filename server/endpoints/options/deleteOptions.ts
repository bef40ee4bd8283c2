import type { JsonObject, JsonValue } from '../../api/object.js';
import { badRequest, type StatusError } from '../../api/status.js';
import type { DeletionWish } from '../../registry/deletion.js';
import { membersOf } from '../../registry/members.js';
import { invalid, notSupported, Path, type FieldError } from '../../registry/validation/field.js';
import type { BodyReader } from '../body.js';
import type { RequestContext } from '../context.js';
import { goType, typeComplaint } from '../goTypes.js';
import { booleanParameter, integerParameter, refuseFindings } from './values.js';
import { dryRunFindings } from './writeOptions.js';

export interface DeleteParameters { readonly wish: DeletionWish; readonly dryRun: boolean }

const DELETE_OPTIONS = { group: '', version: 'v1', kind: 'DeleteOptions' };
const POLICIES = ['Foreground', 'Background', 'Orphan'] as const;
const POLICY = Path.of('propagationPolicy');

interface Raw {
  readonly gracePeriodSeconds: number | null;
  readonly propagationPolicy: string | null;
  readonly orphanDependents: boolean | null;
  readonly dryRun: readonly string[];
  readonly uid: string | null;
  readonly resourceVersion: string | null;
}

/** From the body if there is one, which then counts alone; otherwise from the query. Throws 400, 415 or 422. */
export async function parseDeleteParameters(context: RequestContext, reader: BodyReader): Promise<DeleteParameters> {
  const body = await reader.raw(context, DELETE_OPTIONS, (message): StatusError => badRequest(`couldn't get version/kind; json parse error: ${message}`));
  return parametersOf(body === null ? fromQuery(context.query) : fromBody(body.value));
}

/** From options that stand inside of another object. Throws 400 or 422. */
export const deleteParametersOf = (options: JsonValue): DeleteParameters => parametersOf(fromBody(options));

function parametersOf(raw: Raw): DeleteParameters {
  refuseFindings('DeleteOptions', [...policyFindings(raw), ...dryRunFindings(raw.dryRun)]);
  const { gracePeriodSeconds, orphanDependents, uid, resourceVersion, dryRun } = raw;
  const propagationPolicy = raw.propagationPolicy as DeletionWish['propagationPolicy'];
  return { dryRun: dryRun.length > 0, wish: { gracePeriodSeconds, propagationPolicy, orphanDependents, uid, resourceVersion } };
}

function policyFindings({ propagationPolicy, orphanDependents }: Raw): FieldError[] {
  if (propagationPolicy === null) return [];
  if (orphanDependents !== null) return [invalid(POLICY, propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set')];
  return (POLICIES as readonly string[]).includes(propagationPolicy) ? [] : [notSupported(POLICY, propagationPolicy, [...POLICIES, 'nil'])];
}

const fromQuery = (query: URLSearchParams): Raw => ({
  gracePeriodSeconds: integerParameter(query, 'gracePeriodSeconds'),
  propagationPolicy: query.get('propagationPolicy'),
  orphanDependents: booleanParameter(query, 'orphanDependents'),
  dryRun: query.getAll('dryRun'),
  uid: query.get('uid'),
  resourceVersion: query.get('resourceVersion'),
});

function fromBody(value: JsonValue): Raw {
  const complaint = typeComplaint(value);
  if (complaint !== null) throw badRequest(`couldn't get version/kind; json parse error: ${complaint}`);
  const body = membersOf(value);
  checkKind(body);
  const preconditions = field(body, 'preconditions', 'v1.Preconditions', isObject) ?? {};
  return {
    gracePeriodSeconds: field(body, 'gracePeriodSeconds', 'int64', isInteger),
    propagationPolicy: field(body, 'propagationPolicy', 'v1.DeletionPropagation', isString),
    orphanDependents: field(body, 'orphanDependents', 'bool', isBoolean),
    dryRun: field(body, 'dryRun', '[]string', isStrings) ?? [],
    uid: field(preconditions, 'uid', 'types.UID', isString, 'Preconditions.preconditions'),
    resourceVersion: field(preconditions, 'resourceVersion', 'string', isString, 'Preconditions.preconditions'),
  };
}

function checkKind(body: JsonObject): void {
  const apiVersion = typeof body['apiVersion'] === 'string' && body['apiVersion'] !== '' ? body['apiVersion'] : 'v1';
  if (apiVersion.split('/').length > 2) throw badRequest(`unexpected GroupVersion string: ${apiVersion}`);
  const kind = body['kind'];
  if (kind === undefined || kind === null || kind === '' || kind === 'DeleteOptions') return;
  throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"`);
}

const isInteger = (value: JsonValue): value is number => typeof value === 'number' && Number.isInteger(value);
const isString = (value: JsonValue): value is string => typeof value === 'string';
const isBoolean = (value: JsonValue): value is boolean => typeof value === 'boolean';
const isStrings = (value: JsonValue): value is string[] => Array.isArray(value) && value.every(isString);
const isObject = (value: JsonValue): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

function field<T extends JsonValue>(body: JsonObject, member: string, type: string, is: (value: JsonValue) => value is T, struct = 'DeleteOptions'): T | null {
  const value = body[member];
  if (value === undefined || value === null) return null;
  if (is(value)) return value;
  throw badRequest(`json: cannot unmarshal ${goType(value)} into Go struct field ${struct}.${member} of type ${type}`);
}
