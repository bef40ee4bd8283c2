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

export interface DeleteParameters {
  readonly wish: DeletionWish;
  readonly dryRun: boolean;
  /** The object is to go although it cannot be read. False unless the feature is on. */
  readonly unreadable: boolean;
}

const DELETE_OPTIONS = { group: '', version: 'v1', kind: 'DeleteOptions' };
const POLICIES = ['Foreground', 'Background', 'Orphan'] as const;
const POLICY = Path.of('propagationPolicy');
const FORCE_MEMBER = 'ignoreStoreReadErrorWithClusterBreakingPotential';
const FORCE = Path.of(FORCE_MEMBER);

interface Raw {
  readonly gracePeriodSeconds: number | null;
  readonly propagationPolicy: string | null;
  readonly orphanDependents: boolean | null;
  readonly dryRun: readonly string[];
  readonly uid: string | null;
  readonly resourceVersion: string | null;
  readonly preconditions: boolean;
  readonly unreadable: boolean;
}

/**
 * From the body if there is one, which then counts alone; otherwise from the query. `force` is the gate of the option that removes what
 * cannot be read: without it the option is not looked at. Throws 400, 415 or 422.
 */
export async function parseDeleteParameters(context: RequestContext, reader: BodyReader, force: boolean): Promise<DeleteParameters> {
  const body = await reader.raw(context, DELETE_OPTIONS, (message): StatusError => badRequest(`couldn't get version/kind; json parse error: ${message}`));
  return parametersOf(body === null ? fromQuery(context.query) : fromBody(body.value), force);
}

/** From options that stand inside of another object. Throws 400 or 422. */
export const deleteParametersOf = (options: JsonValue): DeleteParameters => parametersOf(fromBody(options), false);

function parametersOf(raw: Raw, force: boolean): DeleteParameters {
  const unreadable = force && raw.unreadable;
  refuseFindings('DeleteOptions', [...policyFindings(raw), ...dryRunFindings(raw.dryRun), ...(unreadable ? forceFindings(raw) : [])]);
  const { gracePeriodSeconds, orphanDependents, uid, resourceVersion, dryRun } = raw;
  const propagationPolicy = raw.propagationPolicy as DeletionWish['propagationPolicy'];
  return { dryRun: dryRun.length > 0, unreadable, wish: { gracePeriodSeconds, propagationPolicy, orphanDependents, uid, resourceVersion } };
}

function policyFindings({ propagationPolicy, orphanDependents }: Raw): FieldError[] {
  if (propagationPolicy === null) return [];
  if (orphanDependents !== null) return [invalid(POLICY, propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set')];
  return (POLICIES as readonly string[]).includes(propagationPolicy) ? [] : [notSupported(POLICY, propagationPolicy, [...POLICIES, 'nil'])];
}

/** Nothing that depends on the object's content can be asked for together with its removal unread. */
function forceFindings({ dryRun, propagationPolicy, orphanDependents, gracePeriodSeconds, preconditions }: Raw): FieldError[] {
  const others = { dryRun: dryRun.length > 0, propagationPolicy: propagationPolicy !== null, orphanDependents: orphanDependents !== null, gracePeriodSeconds: gracePeriodSeconds !== null, preconditions };
  return Object.entries(others).filter(([, given]) => given).map(([name]) => invalid(FORCE, true, `cannot be set together with .${name}`));
}

/** A collection has no object of which it could be known that it cannot be read. */
export function refuseForceOnCollection({ unreadable }: DeleteParameters): void {
  if (unreadable) refuseFindings('DeleteOptions', [invalid(FORCE, true, 'is not allowed with DELETECOLLECTION, try again after removing the option')]);
}

const fromQuery = (query: URLSearchParams): Raw => ({
  gracePeriodSeconds: integerParameter(query, 'gracePeriodSeconds'),
  propagationPolicy: query.get('propagationPolicy'),
  orphanDependents: booleanParameter(query, 'orphanDependents'),
  dryRun: query.getAll('dryRun'),
  uid: query.get('uid'),
  resourceVersion: query.get('resourceVersion'),
  preconditions: query.has('uid') || query.has('resourceVersion'),
  unreadable: booleanParameter(query, FORCE_MEMBER) ?? false,
});

function fromBody(value: JsonValue): Raw {
  const complaint = typeComplaint(value);
  if (complaint !== null) throw badRequest(`couldn't get version/kind; json parse error: ${complaint}`);
  const body = membersOf(value);
  checkKind(body);
  const given = field(body, 'preconditions', 'v1.Preconditions', isObject);
  const preconditions = given ?? {};
  return {
    gracePeriodSeconds: field(body, 'gracePeriodSeconds', 'int64', isInteger),
    propagationPolicy: field(body, 'propagationPolicy', 'v1.DeletionPropagation', isString),
    orphanDependents: field(body, 'orphanDependents', 'bool', isBoolean),
    dryRun: field(body, 'dryRun', '[]string', isStrings) ?? [],
    uid: field(preconditions, 'uid', 'types.UID', isString, 'Preconditions.preconditions'),
    resourceVersion: field(preconditions, 'resourceVersion', 'string', isString, 'Preconditions.preconditions'),
    preconditions: given !== null,
    unreadable: field(body, FORCE_MEMBER, 'bool', isBoolean) ?? false,
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
