import { groupVersionOf } from '../../../api/meta/resource.js';
import { turns } from '../../../workers/turns/turns.js';
import { timeText } from '../../../api/time.js';
import { randomUUID } from 'node:crypto';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { apiVersionOf } from '../../../api/resource.js';
import { badRequest, conflict, internalError, invalidObject, StatusError } from '../../../api/status.js';
import { payloadOf, type NewClaims } from '../../authentication/serviceaccount/claims.js';
import type { TokenServices } from '../../authentication/tokens/services.js';
import { managerOf } from '../../patch/apply/managers.js';
import type { Registry } from '../../registry/contract.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../../api/json/members.js';
import { ownCreated } from '../../registry/ownership.js';
import { inForm } from '../../kinds/builtIn.js';
import type { Catalogue, ServedResource } from '../../registry/resources.js';
import type { Target } from '../../registry/target.js';
import { invalid, Path, toCause, type FieldError } from '../../registry/validation/field.js';
import { putInNamespace } from '../admitting.js';
import { sendDocument } from '../answers.js';
import { negotiateWrite } from '../negotiation.js';
import { parseWriteParameters } from '../options/writeOptions.js';
import type { RequestContext } from '../context.js';
import { targetOf, writeOptions, type VerbDeps, type VerbHandler } from '../verbs/deps.js';

const asTokenRequest = inForm({ group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' });

const lifetimeDefaultSeconds = 3600;
const lifetimeMinSeconds = 600;
const lifetimeMaxSeconds = 2 ** 32;
/** An hour and a bit, which identifies tokens mounted into pods. */
const mountedLifetimeSeconds = 3607;
/** Lets clients that read such a token only once work for a year. */
const extendedLifetimeSeconds = 365 * 24 * 60 * 60;

/** Identifies the issued token in the audit log. */
const issuedAnnotation = 'authentication.kubernetes.io/issued-credential-id';
const otherUidAnnotation = 'authentication.k8s.io/token-request-uid-mismatch';

const lifetime = Path.of('spec', 'expirationSeconds');

/** The issued token is not stored. */
export const createToken: VerbHandler = async (context, route, deps) => {
  const { registry, tokens } = deps;
  const type = asTokenRequest(route.resource);
  const representation = negotiateWrite(context, route.resource, { tables: false });
  const target = targetOf(route);
  const { request, managed, now } = await admittedRequest(context, type, target, deps);
  const account = (await registry.get(target, { at: 'mostRecent' })).decode();
  const otherUid = uidProblem(request, account);
  if (otherUid !== null && tokens?.refusesOtherUids !== false)
    throw conflict({ group: type.group, resource: type.kind }, target.name, otherUid);
  if (tokens?.issuer == null) throw withoutKey();
  const spec = membersOf(request['spec']);
  if (itemsOf(spec['audiences']).length === 0) spec['audiences'] = [...tokens.audiences];
  const findings = validateLifetime(spec);
  if (findings.length > 0) throw refused(type, '', findings);
  const bound = await boundObjects(deps, account, spec);
  const lifetime = lifetimeOf(spec, bound, tokens, (text) => {
    context.warnings.push(text);
  });
  if (otherUid !== null) warnOfOtherUid(context, otherUid);
  const id = randomUUID();
  const seconds = Math.floor(now.getTime() / 1000);
  const audiences = itemsOf(spec['audiences']).map(String);
  const token = await signedBy(tokens.issuer, { id, audiences, now: seconds, ...lifetime.signed, account, ...bound });
  context.audit?.annotate(issuedAnnotation, `JTI=${id}`);
  const metadata = { ...metadataOf(target, account, now), ...request.metadata, ...managed };
  const status = { token, expirationTimestamp: timeText((seconds + lifetime.shownSeconds) * 1000) };
  sendDocument(context, representation, { kind: type.kind, apiVersion: apiVersionOf(type), metadata, spec, status }, { code: 201 });
};

interface AdmittedRequest {
  readonly request: ApiObject;
  readonly managed: { readonly managedFields?: JsonObject[] };
  readonly now: Date;
}

async function admittedRequest(
  context: RequestContext,
  type: ServedResource,
  target: Target,
  { registry, reader }: Pick<VerbDeps, 'registry' | 'reader'>,
): Promise<AdmittedRequest> {
  const { dryRun, fieldManager, fieldValidation } = parseWriteParameters(context.query, 'CreateOptions');
  const request = await reader.object(context, type, fieldValidation);
  putInNamespace(request, target);
  setDefaults(request);
  const now = new Date();
  const manager = managerOf(fieldManager, context.request.headers['user-agent']);
  const managedFields = await turns.run(ownCreated(type, request, { manager, subresource: 'token', now: timeText(now.getTime()) }));
  refuseOtherName(type, target, request);
  // Admission sees the list even when absent.
  request['spec'] = { audiences: null, ...membersOf(request['spec']) };
  await registry.admit(
    target,
    { operation: 'CREATE', subresource: 'token', form: { group: type.group, version: type.version, kind: type.kind }, object: request },
    writeOptions(context, dryRun, fieldManager),
  );
  return { request, managed: managedFields === undefined ? {} : { managedFields }, now };
}

function warnOfOtherUid(context: RequestContext, otherUid: string): void {
  context.warnings.push(`${otherUid}; a later version refuses this, as the feature TokenRequestServiceAccountUIDValidation does`);
  context.audit?.annotate(otherUidAnnotation, otherUid);
}

const metadataOf = ({ name, namespace }: Target, { metadata: { uid } }: ApiObject, now: Date): JsonObject & ApiObject['metadata'] => ({
  name,
  namespace,
  uid,
  creationTimestamp: timeText(now.getTime()),
});

function refuseOtherName(type: ServedResource, target: Target, { metadata: { name = '' } }: ApiObject): void {
  if (name === '' || name === target.name) return;
  throw refused(type, target.name, [invalid(Path.of('metadata', 'name'), name, 'must match the service account name if specified')]);
}

const withoutKey = (): StatusError =>
  new StatusError(
    501,
    'NotImplemented',
    'this server has no key to sign service account tokens with (--service-account-signing-key-file)',
    {},
  );

async function signedBy(issuer: NonNullable<TokenServices['issuer']>, claims: Omit<NewClaims, 'issuer'>): Promise<string> {
  try {
    return await issuer.sign(payloadOf({ ...claims, issuer: issuer.issuer }));
  } catch (cause) {
    throw internalError(new Error(`failed to generate token: ${(cause as Error).message}`, { cause }));
  }
}

/** The request may mean an earlier account of this name. */
function uidProblem({ metadata: { uid = '' } }: ApiObject, account: ApiObject): string | null {
  return uid === '' || uid === account.metadata.uid
    ? null
    : `the UID in the token request (${uid}) does not match the UID of the service account (${account.metadata.uid ?? ''})`;
}

function setDefaults(request: ApiObject): void {
  const spec = membersOf(request['spec']);
  spec['expirationSeconds'] ??= lifetimeDefaultSeconds;
  spec['boundObjectRef'] ??= null;
  request['spec'] = spec;
}

const refused = (type: ServedResource, name: string, findings: readonly FieldError[]): StatusError =>
  invalidObject(type, name, findings.map(toCause));

function validateLifetime({ expirationSeconds }: JsonObject): FieldError[] {
  const seconds = Number(expirationSeconds);
  if (seconds < lifetimeMinSeconds)
    return [invalid(lifetime, expirationSeconds ?? null, 'may not specify a duration less than 10 minutes')];
  return seconds > lifetimeMaxSeconds
    ? [invalid(lifetime, expirationSeconds ?? null, 'may not specify a duration larger than 2^32 seconds')]
    : [];
}

type Bound = Pick<NewClaims, 'pod' | 'secret' | 'node'>;
const unbound: Bound = { pod: null, secret: null, node: null };

interface Reads {
  readonly registry: Registry;
  readonly catalogue: Catalogue;
}

const bindableKinds: Readonly<Record<string, { readonly resource: string; readonly member: keyof Bound }>> = {
  Pod: { resource: 'pods', member: 'pod' },
  Secret: { resource: 'secrets', member: 'secret' },
  Node: { resource: 'nodes', member: 'node' },
};

/** The token ends with the bound object. Changes nothing. */
async function boundObjects(reads: Reads, account: ApiObject, spec: JsonObject): Promise<Bound> {
  const reference = spec['boundObjectRef'];
  if (reference === null || reference === undefined) return unbound;
  const [kind, apiVersion, name, uid] = ['kind', 'apiVersion', 'name', 'uid'].map((member) => textAt(reference, member)) as [
    string,
    string,
    string,
    string,
  ];
  const { group, version } = groupVersionOf(apiVersion);
  const bindable = group === '' && Object.hasOwn(bindableKinds, kind) ? bindableKinds[kind] : undefined;
  if (bindable === undefined) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  if (name === '') throw badRequest('Name parameter required.');
  const object = await read(reads, { resource: bindable.resource, namespace: account.metadata.namespace ?? '', name });
  const accountName = account.metadata.name ?? '';
  if (kind === 'Pod' && textAt(object, 'spec', 'serviceAccountName') !== accountName) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(accountName)} to pod running with different serviceaccount name.`,
    );
  }
  if (uid !== '' && uid !== object.metadata.uid) {
    throw conflict(
      { group: '', resource: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  return { ...unbound, ...(kind === 'Pod' ? { node: await nodeOf(reads, object) } : {}), [bindable.member]: object };
}

interface Wanted {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

async function read({ registry, catalogue }: Reads, { resource: plural, namespace, name }: Wanted): Promise<ApiObject> {
  const resource = catalogue.resource('', 'v1', plural);
  if (resource === null) throw badRequest(`cannot bind token to ${plural}, which this server does not have`);
  return (await registry.get({ resource, namespace: resource.namespaced ? namespace : '', name }, { at: 'mostRecent' })).decode();
}

/** A missing node is still named, without uid. */
async function nodeOf(reads: Reads, pod: ApiObject): Promise<ApiObject | null> {
  const name = textAt(memberAt(pod, 'spec'), 'nodeName');
  if (name === '') return null;
  return read(reads, { resource: 'nodes', namespace: '', name }).catch((error: unknown) => {
    if (error instanceof StatusError && error.code === 404) return { metadata: { name } };
    throw error;
  });
}

interface Lifetime {
  readonly shownSeconds: number;
  readonly signed: Pick<NewClaims, 'lifetimeSeconds' | 'warnAfterSeconds'>;
}

/** Caps `spec.expirationSeconds` at the maximum. */
function lifetimeOf(
  spec: JsonObject,
  { pod }: Bound,
  { lifetimeSecondsMax, extendsLifetime, extendedSecondsMax, audiences }: TokenServices,
  warn: (text: string) => void,
): Lifetime {
  const asked = Number(spec['expirationSeconds']);
  if (lifetimeSecondsMax > 0 && asked > lifetimeSecondsMax) {
    warn(`requested expiration of ${asked} seconds shortened to ${lifetimeSecondsMax} seconds`);
    spec['expirationSeconds'] = lifetimeSecondsMax;
  }
  const shownSeconds = Number(spec['expirationSeconds']);
  const own = itemsOf(spec['audiences']).every((audience) => audiences.includes(String(audience)));
  const extended = extendsLifetime && pod !== null && own && shownSeconds === mountedLifetimeSeconds;
  return {
    shownSeconds,
    signed: extended
      ? { lifetimeSeconds: Math.min(extendedLifetimeSeconds, extendedSecondsMax ?? Infinity), warnAfterSeconds: shownSeconds }
      : { lifetimeSeconds: shownSeconds, warnAfterSeconds: null },
  };
}
