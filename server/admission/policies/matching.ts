import { randomUUID } from 'node:crypto';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import type { AdmissionValues, AskAuthorizer } from '../../../cel/admissionValues.js';
import type { AdmissionRequest } from '../../registry/admission.js';
import { createLookup } from '../../registry/lookup.js';
import { matchRequest, matchRules, subjectOf, type Subject } from '../matching/match.js';
import type { Addressed } from '../matching/rules.js';
import { nameAsked } from '../matching/subject.js';
import { shownAs } from '../matching/versions.js';
import { requestOf } from '../webhooks/review.js';
import type { Bound } from './following.js';
import type { ParamParts } from './params.js';
import type { PolicyMetrics } from './metrics.js';
import { paramResource, paramsOf } from './params.js';
import type { Binding, Criteria, Policy } from './policy.js';

export interface PolicyParts extends ParamParts {
  readonly askAuthorizer: AskAuthorizer;
  readonly metrics: PolicyMetrics;
}

/** An evaluation of a policy for one binding and one parameter object (or null). */
export interface Invocation<P extends Policy> {
  readonly policy: P;
  readonly binding: Binding;
  readonly param: JsonObject | null;
  /** The form in which the request matched the policy. */
  readonly matched: Addressed;
}

/** A policy that cannot be evaluated; `binding` is null if all bindings are affected. */
export interface Misconfigured<P extends Policy> {
  readonly policy: P;
  readonly binding: Binding | null;
  readonly message: string;
}

export type Planned<P extends Policy> = { readonly invocations: readonly Invocation<P>[] } | { readonly problem: Misconfigured<P> };

const said = (error: unknown): string => (error as Error).message;

async function meets({ terms, excluded }: Criteria, subject: Subject): Promise<Addressed | null> {
  return matchRules(excluded, subject) === null ? matchRequest(terms, subject) : null;
}

/** Plans a policy's evaluations for a request. Rejects with a StatusError when inputs cannot be read. */
export async function* plan<P extends Policy>(
  { policy, bindings }: Bound<P>,
  subject: Subject,
  parts: PolicyParts,
): AsyncGenerator<Planned<P>> {
  const matched = await meets(policy.criteria, subject);
  if (matched === null) return;
  const kind = paramResource(policy, parts.catalogue);
  if (!kind.ok) {
    yield { problem: { policy, binding: null, message: `failed to configure policy: ${kind.message}` } };
    return;
  }
  for (const binding of bindings) {
    if (binding.criteria !== null && (await meets(binding.criteria, subject)) === null) continue;
    const params = await paramsOf(kind.resource, binding.paramRef, subject.attributes.namespace, parts).catch((error: unknown) => ({
      ok: false as const,
      message: said(error),
    }));
    if (params.ok) yield { invocations: params.params.map((param) => ({ policy, binding, param, matched })) };
    else yield { problem: { policy, binding, message: `failed to configure binding: ${params.message}` } };
  }
}

export class Views {
  readonly #request: AdmissionRequest;
  readonly #parts: PolicyParts;
  readonly subject: Subject;
  readonly #shown = new Map<string, Promise<{ readonly object: ApiObject | null; readonly old: ApiObject | null }>>();
  #namespace: Promise<JsonObject | null> | null = null;
  readonly #uid: string = randomUUID();

  constructor(request: AdmissionRequest, parts: PolicyParts) {
    this.#request = request;
    this.#parts = parts;
    this.subject = subjectOf(request, parts);
  }

  /** `params` is present only where the policy has any. */
  async values({ policy, param, matched }: Invocation<Policy>): Promise<AdmissionValues> {
    const { subject } = this;
    const request = this.#request;
    const parts = this.#parts;
    const { object, old } = await this.shown(matched);
    const name = nameAsked(request, subject.attributes);
    return {
      object,
      oldObject: old,
      request: requestOf({ uid: this.#uid, request, attributes: { ...subject.attributes, name }, matched }),
      user: request.user,
      askAuthorizer: parts.askAuthorizer,
      namespaceObject: await this.#namespaceObject(),
      ...(policy.paramKind === null ? {} : { params: param }),
    };
  }

  /** Returns both states in the version that the policy matches. */
  shown({ kind }: Addressed): Promise<{ readonly object: ApiObject | null; readonly old: ApiObject | null }> {
    const key = `${kind.group}/${kind.version}/${kind.kind}`;
    let shown = this.#shown.get(key);
    if (shown === undefined) this.#shown.set(key, (shown = this.#show(kind)));
    return shown;
  }

  async #show(kind: Addressed['kind']): Promise<{ readonly object: ApiObject | null; readonly old: ApiObject | null }> {
    const request = this.#request;
    const parts = this.#parts;
    return {
      object: await shownAs(kind, request.object, request, parts.convert),
      old: await shownAs(kind, request.old, request, parts.convert),
    };
  }

  /** Null for a Namespace, although its requests have its name as namespace. */
  #namespaceObject(): Promise<JsonObject | null> {
    return (this.#namespace ??= this.#readNamespace());
  }

  async #readNamespace(): Promise<JsonObject | null> {
    const { namespace, group, resource } = this.subject.attributes;
    if (namespace === '' || (group === '' && resource === 'namespaces')) return null;
    const found = await createLookup(this.#parts.storage).find({ group: '', resource: 'namespaces' }, '', namespace);
    return found === null ? null : { ...found, kind: 'Namespace', apiVersion: 'v1' };
  }
}
