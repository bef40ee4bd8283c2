import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { StatusError, type StatusCause, type StatusDetails } from '../../../api/status.js';
import type { User } from '../../../api/user.js';
import { itemsOf, membersOf, textAt } from '../../../api/json/members.js';
import { jsonCodec } from '../../../workers/codecs/json.js';
import type { AdmissionRequest, GroupVersionKind } from '../../registry/admission.js';
import type { Addressed, Attributes } from '../matching/rules.js';
import type { ReviewVersion } from './hook.js';

const group = 'admission.k8s.io';
/** Deeper responses are refused unread. */
const depthMax = 100;

/** A matched request with its objects in the webhook's version. */
export interface Question {
  readonly uid: string;
  readonly request: AdmissionRequest;
  readonly attributes: Attributes;
  readonly matched: Addressed;
  readonly object: ApiObject | null;
  readonly old: ApiObject | null;
}

export const reviewOf = (question: Question, version: ReviewVersion): JsonObject => ({
  kind: 'AdmissionReview',
  apiVersion: `${group}/${version}`,
  request: { ...requestOf(question), object: question.object, oldObject: question.old, options: question.request.options },
});

/** Returns a review's `request` for expressions, without its objects. */
export function requestOf({ uid, request, attributes, matched }: Omit<Question, 'object' | 'old'>): JsonObject {
  const { group, version, resource, subresource, name, namespace, kind, operation } = attributes;
  return {
    uid,
    kind: kindOf(matched.kind),
    resource: { group: matched.group, version: matched.version, resource: matched.resource },
    ...filled('subResource', matched.subresource),
    requestKind: kindOf(kind),
    requestResource: { group, version, resource },
    ...filled('requestSubResource', subresource),
    ...filled('name', name),
    ...filled('namespace', namespace),
    operation,
    userInfo: userInfo(request.user),
    dryRun: request.dryRun,
    ...(request.options === null ? {} : { options: request.options }),
  };
}

const filled = (member: string, text: string): JsonObject => (text === '' ? {} : { [member]: text });
const kindOf = ({ group, version, kind }: GroupVersionKind): JsonObject => ({ group, version, kind });

function userInfo({ name, uid, groups, extra }: User): JsonObject {
  const more = Object.entries(extra);
  return {
    ...filled('username', name),
    ...filled('uid', uid),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(more.length === 0 ? {} : { extra: Object.fromEntries(more.map(([key, values]) => [key, [...values]])) }),
  };
}

export type Verdict =
  | { readonly outcome: 'allowed'; /** Null for no change. */ readonly patch: JsonValue; readonly notes: VerdictNotes }
  | { readonly outcome: 'denied'; readonly status: StatusError; readonly notes: VerdictNotes }
  /** An invalid response; the failure policy decides. */
  | { readonly outcome: 'invalid'; readonly message: string }
  /** A response that cannot be applied, which is an error whatever the failure policy. */
  | { readonly outcome: 'broken'; readonly message: string };

export interface VerdictNotes {
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

interface Expected {
  readonly uid: string;
  readonly version: ReviewVersion;
  readonly mutating: boolean;
  readonly hook: string;
}

export function verdictOf(answer: string, { uid, version, mutating, hook }: Expected): Verdict {
  const parsed = jsonCodec.decode(Buffer.from(answer), { findDuplicates: false, depthMax });
  if (!parsed.ok)
    return { outcome: 'invalid', message: `failed to call webhook: couldn't get version/kind; json parse error: ${parsed.message}` };
  const review = membersOf(parsed.value as JsonValue);
  const response = review['response'];
  const typed = typeProblem(review);
  if (typed !== null) return { outcome: 'invalid', message: `failed to call webhook: ${typed}` };
  if (typeof response !== 'object' || response === null)
    return { outcome: 'invalid', message: 'received invalid webhook response: webhook response was absent' };
  const problem =
    (version === 'v1' ? v1Problem(review, uid, mutating) : null) ?? (mutating ? null : validatingProblem(membersOf(response)));
  if (problem !== null) return { outcome: 'invalid', message: `received invalid webhook response: ${problem}` };
  return answered(membersOf(response), mutating, hook);
}

function answered(response: JsonObject, mutating: boolean, hook: string): Verdict {
  const notes = {
    warnings: itemsOf(response['warnings']).map(String),
    auditAnnotations: Object.fromEntries(
      Object.entries(membersOf(response['auditAnnotations'])).map(([key, value]) => [key, String(value)]),
    ),
  };
  if (response['allowed'] !== true) return { outcome: 'denied', status: denial(hook, membersOf(response['status'])), notes };
  const encoded = textAt(response, 'patch');
  if (!mutating || encoded === '') return { outcome: 'allowed', patch: null, notes };
  const type = textAt(response, 'patchType');
  if (type !== '' && type !== 'JSONPatch') return { outcome: 'invalid', message: `unsupported patch type ${JSON.stringify(type)}` };
  const patch = jsonCodec.decode(Buffer.from(encoded, 'base64'), { findDuplicates: false, depthMax });
  if (!patch.ok) return { outcome: 'broken', message: patch.message };
  const operations = patch.value as JsonValue;
  return { outcome: 'allowed', patch: Array.isArray(operations) && operations.length === 0 ? null : operations, notes };
}

/** Errors that a typed client would find. */
function typeProblem(review: JsonObject): string | null {
  const response = review['response'];
  if (response === undefined || response === null) return null;
  const wrong = (member: string, value: JsonValue, type: string): string =>
    `json: cannot unmarshal ${goKind(value)} into Go struct field AdmissionReview.response${member === '' ? '' : `.${member}`} of type ${type}`;
  if (typeof response !== 'object' || Array.isArray(response)) return wrong('', response, 'v1.AdmissionResponse');
  for (const [member, is, type] of memberTypes) {
    const value = response[member];
    if (value !== undefined && value !== null && !is(value)) return wrong(member, value, type);
  }
  return null;
}

const isText = (value: JsonValue): boolean => typeof value === 'string';
const isObject = (value: JsonValue): boolean => typeof value === 'object' && !Array.isArray(value);
const memberTypes: readonly (readonly [member: string, is: (value: JsonValue) => boolean, type: string])[] = [
  ['uid', isText, 'types.UID'],
  ['allowed', (value) => typeof value === 'boolean', 'bool'],
  ['status', isObject, 'v1.Status'],
  ['patch', isText, '[]uint8'],
  ['patchType', isText, 'v1.PatchType'],
  [
    'auditAnnotations',
    (value) => isObject(value) && Object.values(value as JsonObject).every((each) => typeof each === 'string'),
    'map[string]string',
  ],
  ['warnings', (value) => Array.isArray(value) && value.every(isText), '[]string'],
];
const goKind = (value: JsonValue): string =>
  Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;

function v1Problem(review: JsonObject, uid: string, mutating: boolean): string | null {
  const response = membersOf(review['response']);
  const [apiVersion, kind] = [textAt(review, 'apiVersion'), textAt(review, 'kind')];
  if (textAt(response, 'uid') !== uid)
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(textAt(response, 'uid'))}`;
  if (apiVersion !== `${group}/v1` || kind !== 'AdmissionReview')
    return `expected webhook response of ${group}/v1, Kind=AdmissionReview, got ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
  if (!mutating) return null;
  const [hasPatch, type] = [textAt(response, 'patch') !== '', response['patchType'] ?? null];
  if (hasPatch && type === null) return 'webhook returned response.patch but not response.patchType';
  if (!hasPatch && type !== null) return 'webhook returned response.patchType but not response.patch';
  return type === '' ? 'webhook returned invalid response.patchType of ""' : null;
}

function validatingProblem(response: JsonObject): string | null {
  if (textAt(response, 'patch') !== '') return 'validating webhook may not return response.patch';
  return (response['patchType'] ?? null) === null ? null : 'validating webhook may not return response.patchType';
}

const codeDefault = 400;
const codeMax = 599;

function denial(hook: string, status: JsonObject): StatusError {
  const code = Number(status['code'] ?? 0);
  const [message, reason] = [textAt(status, 'message'), textAt(status, 'reason')];
  const said = message === '' ? reason : message;
  const by = `admission webhook ${JSON.stringify(hook)} denied the request`;
  const details = status['details'];
  return new StatusError(
    Number.isInteger(code) && code >= codeDefault ? Math.min(code, codeMax) : codeDefault,
    reason,
    said === '' ? `${by} without explanation` : `${by}: ${said}`,
    typeof details === 'object' && details !== null ? detailsOf(membersOf(details)) : undefined,
  );
}

function detailsOf(details: JsonObject): StatusDetails {
  const texts = (['name', 'group', 'kind', 'uid'] as const).flatMap((member) =>
    textAt(details, member) === '' ? [] : [[member, textAt(details, member)] as const],
  );
  const causes = itemsOf(details['causes']).map((cause): StatusCause =>
    Object.fromEntries(
      (['reason', 'message', 'field'] as const).flatMap((member) =>
        textAt(cause, member) === '' ? [] : [[member, textAt(cause, member)]],
      ),
    ),
  );
  const seconds = details['retryAfterSeconds'];
  return {
    ...Object.fromEntries(texts),
    ...(causes.length === 0 ? {} : { causes }),
    ...(typeof seconds === 'number' && seconds > 0 ? { retryAfterSeconds: seconds } : {}),
  };
}
