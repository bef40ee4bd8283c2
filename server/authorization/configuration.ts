import { statSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject, JsonValue } from '../../api/object.js';
import type { Program } from '../../cel/environment.js';
import { inClusterSettings, loadKubeconfig } from '../../program/kubeconfig.js';
import { parseDuration } from '../../program/flags/duration.js';
import { readConfiguration, refuseConfiguration, type ConfigurationKind, type Shape } from '../../program/files/configuration.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../api/json/members.js';
import { duplicate, invalid, notSupported, Path, required, tooMany, type FieldError } from '../registry/validation/field.js';
import { subdomainName } from '../registry/validation/names.js';
import { compileCondition } from './webhook/conditions.js';

export interface WebhookSettings {
  readonly version: 'v1' | 'v1beta1';
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  readonly timeoutMs: number;
  /** The decision when the service cannot be reached. */
  readonly onFailure: 'NoOpinion' | 'Deny';
  /** A kubeconfig; null for the cluster of this server's pod. */
  readonly kubeconfig: string | null;
  readonly conditions: readonly Program[];
}

export interface AuthorizerSettings {
  readonly type: string;
  readonly name: string;
  readonly webhook: WebhookSettings | null;
}

const authorizerTypes = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook'] as const;

const option = '--authorization-config';
const conditionsMax = 64;
const timeoutMaxMs = 30_000;
const defaultTtl = { authorizedTTL: '5m', unauthorizedTTL: '30s' } as const;
const text: Shape = 'text';
const fields: Readonly<Record<string, Shape>> = {
  authorizers: {
    list: {
      fields: {
        type: text,
        name: text,
        webhook: {
          fields: {
            authorizedTTL: text,
            unauthorizedTTL: text,
            cacheAuthorizedRequests: 'bool',
            cacheUnauthorizedRequests: 'bool',
            timeout: text,
            subjectAccessReviewVersion: text,
            matchConditionSubjectAccessReviewVersion: text,
            failurePolicy: text,
            connectionInfo: { fields: { type: text, kubeConfigFile: text, orchConfigFile: text } },
            matchConditions: { list: { fields: { expression: text } } },
          },
        },
      },
    },
  },
};

export const authorizationKind: ConfigurationKind = {
  option,
  kind: 'AuthorizationConfiguration',
  apiVersions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `apiserver.config.k8s.io/${version}`),
  fields,
};

/** Throws with all errors. */
export function readAuthorizationConfiguration(file: string): AuthorizerSettings[] {
  const document = readConfiguration(file, authorizationKind);
  const errors: FieldError[] = [];
  const settings = readAuthorizers(itemsOf(document['authorizers']).map(membersOf), errors);
  if (errors.length > 0)
    refuseConfiguration(
      file,
      option,
      errors.map(({ path: at, message }) => `${at}: ${message}`),
    );
  return settings;
}

function readAuthorizers(entries: readonly JsonObject[], errors: FieldError[]): AuthorizerSettings[] {
  if (entries.length === 0) errors.push(required(Path.of('authorizers'), 'at least one'));
  const types = entries.map((entry) => textAt(entry, 'type'));
  const names = entries.map((entry) => textAt(entry, 'name'));
  return entries.map((entry, index) => {
    const at = Path.of('authorizers').index(index);
    const [type, name] = [types[index]!, names[index]!];
    if (type === '') errors.push(required(at.child('type'), ''));
    else if (!(authorizerTypes as readonly string[]).includes(type)) errors.push(notSupported(at.child('type'), type, authorizerTypes));
    else if (type !== 'Webhook' && types.indexOf(type) < index) errors.push(duplicate(at.child('type'), type));
    errors.push(...nameErrors({ name, type, again: names.indexOf(name) < index, at: at.child('name') }));
    const webhook = entry['webhook'] ?? null;
    if (type === 'Webhook' && webhook === null) errors.push(required(at.child('webhook'), 'needed for type Webhook'));
    if (type !== 'Webhook' && webhook !== null) errors.push(invalid(at.child('webhook'), 'non-null', 'only for type Webhook'));
    return { type, name, webhook: type === 'Webhook' && webhook !== null ? readWebhook(webhook, at.child('webhook'), errors) : null };
  });
}

interface NamedAuthorizer {
  readonly name: string;
  readonly type: string;
  readonly again: boolean;
  readonly at: Path;
}

/** Metrics and logs use fixed names for built-in authorizers. */
function nameErrors({ name, type, again, at }: NamedAuthorizer): FieldError[] {
  if (name === '') return [required(at, '')];
  if (again) return [duplicate(at, name)];
  const fixed = type.toLowerCase();
  const isBuiltIn = type !== 'Webhook' && (authorizerTypes as readonly string[]).includes(type);
  if (isBuiltIn && name !== fixed) return [invalid(at, name, `must be ${fixed} for authorizer ${type}`)];
  return subdomainName(name, false).map((problem) => invalid(at, name, problem));
}

function readWebhook(value: JsonValue, at: Path, errors: FieldError[]): WebhookSettings {
  const ttl = (member: keyof typeof defaultTtl, cached: string): number => {
    const given = textAt(value, member) === '' ? { ...membersOf(value), [member]: defaultTtl[member] } : value;
    return memberAt(value, cached) === false ? 0 : readTime(given, at, member, errors);
  };
  const timeoutMs = readTime(value, at, 'timeout', errors);
  if (timeoutMs > timeoutMaxMs) errors.push(invalid(at.child('timeout'), textAt(value, 'timeout'), 'must be at most 30s'));
  return {
    version: oneOf(value, at, { member: 'subjectAccessReviewVersion', of: ['v1', 'v1beta1'] as const, errors }),
    onFailure: oneOf(value, at, { member: 'failurePolicy', of: ['NoOpinion', 'Deny'] as const, errors }),
    authorizedTtlMs: ttl('authorizedTTL', 'cacheAuthorizedRequests'),
    unauthorizedTtlMs: ttl('unauthorizedTTL', 'cacheUnauthorizedRequests'),
    timeoutMs,
    kubeconfig: readConnection(memberAt(value, 'connectionInfo'), at.child('connectionInfo'), errors),
    conditions: readConditions(value, at, errors),
  };
}

function readTime(value: JsonValue, at: Path, member: string, errors: FieldError[]): number {
  const written = textAt(value, member);
  const parsed = parseDuration(written);
  if (written === '') errors.push(required(at.child(member), ''));
  else if (!parsed.ok || parsed.milliseconds <= 0)
    errors.push(invalid(at.child(member), written, parsed.ok ? 'must be above 0s' : 'must be a duration such as 5s'));
  return parsed.ok ? parsed.milliseconds : 0;
}

function oneOf<const T extends string>(
  value: JsonValue,
  at: Path,
  { member, of, errors }: { readonly member: string; readonly of: readonly T[]; readonly errors: FieldError[] },
): T {
  const written = textAt(value, member);
  const found = of.find((one) => one === written);
  if (found === undefined) errors.push(written === '' ? required(at.child(member), '') : notSupported(at.child(member), written, of));
  return found ?? of[0]!;
}

function readConnection(value: JsonValue | undefined, at: Path, errors: FieldError[]): string | null {
  const type = textAt(value, 'type').replace('OrchConfigFile', 'KubeConfigFile');
  const member = memberAt(value, 'kubeConfigFile') ?? memberAt(value, 'orchConfigFile');
  const file = typeof member === 'string' ? member : '';
  if (type === '') errors.push(required(at.child('type'), ''));
  else if (type === 'InClusterConfig')
    errors.push(
      ...(member === undefined || member === null
        ? loadErrors(() => inClusterSettings(process.env), type, at)
        : [invalid(at.child('kubeConfigFile'), file, 'only for type KubeConfigFile')]),
    );
  else if (type !== 'KubeConfigFile') errors.push(notSupported(at.child('type'), type, ['InClusterConfig', 'KubeConfigFile']));
  else errors.push(...fileErrors(file, at.child('kubeConfigFile')));
  return type === 'KubeConfigFile' ? file : null;
}

function fileErrors(file: string, at: Path): FieldError[] {
  if (file === '') return [required(at, '')];
  if (!path.isAbsolute(file)) return [invalid(at, file, 'must be an absolute path')];
  return loadErrors(
    () => {
      if (!statSync(file).isFile()) throw new Error('must be a regular file');
      loadKubeconfig(file);
    },
    file,
    at,
  );
}

/** Errors appear now, not at the first request. */
function loadErrors(load: () => unknown, value: string, at: Path): FieldError[] {
  try {
    load();
    return [];
  } catch (error) {
    return [invalid(at, value, (error as Error).message)];
  }
}

function readConditions(value: JsonValue, at: Path, errors: FieldError[]): Program[] {
  const expressions = itemsOf(memberAt(value, 'matchConditions')).map((condition) => textAt(condition, 'expression'));
  const version = textAt(value, 'matchConditionSubjectAccessReviewVersion');
  if (version === '' && expressions.length > 0)
    errors.push(required(at.child('matchConditionSubjectAccessReviewVersion'), 'needed with match conditions'));
  if (version !== '' && version !== 'v1') errors.push(notSupported(at.child('matchConditionSubjectAccessReviewVersion'), version, ['v1']));
  if (expressions.length > conditionsMax) errors.push(tooMany(at.child('matchConditions'), expressions.length, conditionsMax));
  return expressions.slice(0, conditionsMax).flatMap((expression, index) => {
    const place = at.child('matchConditions').index(index).child('expression');
    if (expression.trim() === '') errors.push(required(place, ''));
    else if (expressions.indexOf(expression) < index) errors.push(duplicate(place, expression));
    const compiled = expression.trim() === '' ? null : compileCondition(expression);
    if (compiled !== null && !compiled.ok) errors.push(invalid(place, expression, compiled.message));
    return compiled?.ok === true ? [compiled.program] : [];
  });
}

/** Modes that follow storage or a file, which begins with the server. */
const begunModes: ReadonlySet<string> = new Set(['ABAC', 'Node', 'RBAC']);

/** Returns why changed authorizers cannot replace the first ones, or null (kubeapiserver/authorizer/reload.go). */
export function typesProblem(now: readonly AuthorizerSettings[], first: readonly AuthorizerSettings[]): string | null {
  const [types, before] = [now, first].map((list) => list.map(({ type }) => type)) as [string[], string[]];
  const gone = before.filter((type) => type !== 'Webhook' && !types.includes(type));
  const added = types.filter((type) => begunModes.has(type) && !before.includes(type));
  if (gone.length > 0) return `authorizers of the start are missing: ${gone.join(', ')}`;
  return added.length > 0 ? `authorizers were not there at the start: ${added.join(', ')}` : null;
}
