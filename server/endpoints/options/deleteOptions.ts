import type { JsonObject, JsonValue } from '../../../api/object.js';
import type { DeleteOptions } from '../../registry/deletion.js';
import { itemsOf, membersOf } from '../../../api/json/members.js';
import { invalidObject, plainError } from '../../../api/status.js';
import { invalid, notSupported, Path, toCause, type FieldError } from '../../registry/validation/field.js';
import type { BodyReader } from '../body.js';
import type { RequestContext } from '../context.js';
import { booleanParameter, integerParameter, refuseFindings } from './values.js';
import { dryRunFindings } from './writeOptions.js';

export interface DeleteParameters {
  readonly deleteOptions: DeleteOptions;
  readonly dryRun: boolean;
  readonly unreadable: boolean;
}

const deleteOptions = { group: '', version: 'v1', kind: 'DeleteOptions' };
const policies = ['Foreground', 'Background', 'Orphan'] as const;
const policy = Path.of('propagationPolicy');
const forceMember = 'ignoreStoreReadErrorWithClusterBreakingPotential';
const force = Path.of(forceMember);

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

/** The body replaces the query. `force` is the gate of deleting unreadable objects. Throws 400, 415 or 422. */
export async function parseDeleteParameters(context: RequestContext, reader: BodyReader, force: boolean): Promise<DeleteParameters> {
  const body = await reader.options(context, deleteOptions);
  return parametersOf(body === null ? fromQuery(context.query) : fromBody(body), force);
}

/** Reads the unvalidated options of an eviction. `dryRun` is that of the query. Throws 422 and 500. */
export function evictionParametersOf(name: string, options: JsonValue, dryRun: boolean): DeleteParameters {
  const raw = fromBody(membersOf(options));
  if (raw.unreadable) {
    const finding = invalid(
      Path.of('deleteOptions').child(forceMember),
      true,
      'can not be set for pod eviction, try after removing the option',
    );
    throw invalidObject({ group: 'policy', kind: 'Eviction' }, name, [toCause(finding)]);
  }
  if (dryRun && raw.dryRun.length > 0 && raw.dryRun.join(' ') !== 'All')
    throw plainError(500, `Non-matching dry-run options in request and content: [All] and [${raw.dryRun.join(' ')}]`);
  return settled({ ...raw, dryRun: dryRun ? ['All'] : raw.dryRun }, false);
}

function parametersOf(raw: Raw, force: boolean): DeleteParameters {
  const unreadable = force && raw.unreadable;
  refuseFindings('DeleteOptions', [...policyFindings(raw), ...dryRunFindings(raw.dryRun), ...(unreadable ? forceFindings(raw) : [])]);
  return settled(raw, unreadable);
}

function settled(raw: Raw, unreadable: boolean): DeleteParameters {
  const { gracePeriodSeconds, orphanDependents, uid, resourceVersion, dryRun } = raw;
  const propagationPolicy = policies.find((each) => each === raw.propagationPolicy) ?? null;
  return {
    dryRun: dryRun.length > 0,
    unreadable,
    deleteOptions: { gracePeriodSeconds, propagationPolicy, orphanDependents, uid, resourceVersion },
  };
}

function policyFindings({ propagationPolicy, orphanDependents }: Raw): FieldError[] {
  if (propagationPolicy === null) return [];
  return [
    ...(orphanDependents === null
      ? []
      : [invalid(policy, propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set')]),
    ...((policies as readonly string[]).includes(propagationPolicy) ? [] : [notSupported(policy, propagationPolicy, [...policies, 'nil'])]),
  ];
}

/** An object removed unread has no content for these options. */
function forceFindings({ dryRun, propagationPolicy, orphanDependents, gracePeriodSeconds, preconditions }: Raw): FieldError[] {
  const others = {
    dryRun: dryRun.length > 0,
    propagationPolicy: propagationPolicy !== null,
    orphanDependents: orphanDependents !== null,
    gracePeriodSeconds: gracePeriodSeconds !== null,
    preconditions,
  };
  return Object.entries(others)
    .filter(([, given]) => given)
    .map(([name]) => invalid(force, true, `cannot be set together with .${name}`));
}

/** A collection has no single object known to be unreadable. */
export function refuseForceOnCollection({ unreadable }: DeleteParameters): void {
  if (unreadable)
    refuseFindings('DeleteOptions', [invalid(force, true, 'is not allowed with DELETECOLLECTION, try again after removing the option')]);
}

const fromQuery = (query: URLSearchParams): Raw => ({
  gracePeriodSeconds: seconds(integerParameter(query, 'gracePeriodSeconds')),
  propagationPolicy: query.get('propagationPolicy'),
  orphanDependents: booleanParameter(query, 'orphanDependents'),
  dryRun: query.getAll('dryRun'),
  // Empty ones are none, which a body has to say otherwise.
  uid: query.get('uid') || null,
  resourceVersion: query.get('resourceVersion') || null,
  preconditions: Boolean(query.get('uid') || query.get('resourceVersion')),
  unreadable: booleanParameter(query, forceMember) ?? false,
});

function fromBody(body: JsonObject): Raw {
  const preconditions = body['preconditions'] ?? null;
  return {
    gracePeriodSeconds: seconds(memberOf(body, 'gracePeriodSeconds', isWhole)),
    propagationPolicy: memberOf(body, 'propagationPolicy', isString),
    orphanDependents: memberOf(body, 'orphanDependents', isBoolean),
    dryRun: itemsOf(body['dryRun']).filter(isString),
    uid: memberOf(membersOf(preconditions), 'uid', isString),
    resourceVersion: memberOf(membersOf(preconditions), 'resourceVersion', isString),
    preconditions: preconditions !== null,
    unreadable: memberOf(body, forceMember, isBoolean) ?? false,
  };
}

const isString = (value: JsonValue): value is string => typeof value === 'string';
const isBoolean = (value: JsonValue): value is boolean => typeof value === 'boolean';
const isWhole = (value: JsonValue): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** The time is beyond the calendar either way. */
const seconds = (value: number | bigint | null): number | null =>
  value === null ? null : Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number(value), Number.MAX_SAFE_INTEGER));

function memberOf<T extends JsonValue>(body: JsonObject, member: string, is: (value: JsonValue) => value is T): T | null {
  const value = body[member] ?? null;
  return is(value) ? value : null;
}
