import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../../../api/object.js';
import { badRequest, forbidden, internalError, StatusError } from '../../../api/status.js';
import type { AskAuthorizer } from '../../../cel/admissionValues.js';
import { qualifiedNameProblems } from '../../registry/validation/names.js';
import { writeJson } from '../../../workers/codecs/jsonWriter.js';
import { WebhookError } from '../../webhook/client.js';
import type { HookClients } from '../../webhook/hookClients.js';
import { callFailure } from '../../webhook/wording.js';
import { matchRequest, type MatchParts, type Subject } from '../matching/match.js';
import type { Addressed } from '../matching/rules.js';
import { nameAsked } from '../matching/subject.js';
import { shownAs, type ConvertObject } from '../matching/versions.js';
import type { Hook, HookKind } from './hook.js';
import type { HookMetrics, ObservedCall } from './metrics.js';
import { requestOf, reviewOf, verdictOf, type Question, type Verdict, type VerdictNotes } from './review.js';

export interface CallerParts extends MatchParts {
  readonly clients: HookClients;
  readonly convert: ConvertObject;
  readonly askAuthorizer: AskAuthorizer;
  readonly metrics: HookMetrics;
  /** Receives failed calls that let a request pass. */
  readonly report: (message: string) => void;
  readonly newUid?: () => string;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

export type CallOutcome =
  | { readonly outcome: 'allowed'; readonly patch: JsonValue }
  | { readonly outcome: 'failedOpen' }
  | { readonly outcome: 'refused'; readonly error: StatusError };

export class HookCaller {
  readonly #parts: CallerParts;
  readonly #kind: HookKind;
  readonly #now: () => number;
  readonly #newUid: () => string;

  constructor(kind: HookKind, parts: CallerParts) {
    this.#kind = kind;
    this.#parts = parts;
    this.#now = parts.now ?? (() => performance.now());
    this.#newUid = parts.newUid ?? randomUUID;
  }

  /** Returns the form that the webhook receives; null to skip it. Throws StatusError. */
  async wants(hook: Hook, subject: Subject): Promise<Addressed | null> {
    const matched = await matchRequest(hook.terms, subject);
    if (matched === null || hook.conditions.isEmpty) return matched;
    const { object, old, ...question } = await this.#question(matched, subject);
    const { request } = subject;
    const verdict = await hook.conditions.evaluate({
      object,
      oldObject: old,
      request: requestOf(question),
      user: request.user,
      askAuthorizer: this.#parts.askAuthorizer,
    });
    switch (verdict.outcome) {
      case 'match':
        return matched;
      case 'noMatch':
        this.#parts.metrics.excluded(hook.name, this.#kind, request.operation);
        return null;
      case 'error':
        if (hook.ignoresFailures) return null;
        throw forbidden(request.resource, request.name, verdict.message);
    }
  }

  /** Calls the webhook, records its warnings and annotations, and applies its failure policy. `place` is its position among called webhooks. */
  async call(
    hook: Hook,
    matched: Addressed,
    subject: Subject,
    place: { readonly round: number; readonly index: number },
  ): Promise<CallOutcome> {
    const { request } = subject;
    const observe = this.#observer(hook, request);
    const answer = await this.#ask(hook, matched, subject);
    if ('notes' in answer) tell(request, hook, answer.notes);
    switch (answer.outcome) {
      case 'allowed':
        observe(200, 'no');
        return { outcome: 'allowed', patch: answer.patch };
      case 'denied':
        observe(answer.status.code, 'byWebhook');
        return { outcome: 'refused', error: answer.status };
      case 'broken':
        observe(0, 'byServer');
        return { outcome: 'refused', error: internalError(new Error(answer.message)) };
      case 'unfit':
        observe(0, 'byServer');
        return { outcome: 'refused', error: answer.error };
      case 'invalid': {
        const message = `failed calling webhook ${JSON.stringify(hook.name)}: ${answer.message}`;
        observe(answer.code, hook.ignoresFailures ? 'no' : 'byFailure');
        if (!hook.ignoresFailures) return { outcome: 'refused', error: internalError(new Error(message)) };
        return this.#failOpen(hook, message, subject, place);
      }
    }
  }

  #observer(hook: Hook, { operation }: Subject['request']): (code: number, rejected: ObservedCall['rejected']) => void {
    const start = this.#now();
    return (code, rejected) => {
      const seconds = (this.#now() - start) / 1000;
      this.#parts.metrics.called({ hook: hook.name, kind: this.#kind, operation, seconds, code, rejected });
    };
  }

  #failOpen(
    hook: Hook,
    message: string,
    { request }: Subject,
    { round, index }: { readonly round: number; readonly index: number },
  ): CallOutcome {
    this.#parts.metrics.failedOpen(hook.name, this.#kind);
    this.#parts.report(`${message}; the request passes`);
    request.annotate(
      `failed-open.${this.#kind === 'mutating' ? 'mutation' : 'validating'}.webhook.admission.k8s.io/round_${round}_index_${index}`,
      hook.name,
    );
    return this.#isLate(request) ? { outcome: 'refused', error: lateError() } : { outcome: 'failedOpen' };
  }

  #isLate({ waiter, deadline }: Subject['request']): boolean {
    return waiter?.signal.aborted === true || deadline <= this.#now();
  }

  async #question(matched: Addressed, subject: Subject): Promise<Question> {
    const { request, attributes } = subject;
    const show = (state: Question['object']): Promise<Question['object']> => shownAs(matched.kind, state, request, this.#parts.convert);
    return {
      uid: this.#newUid(),
      request,
      attributes: { ...attributes, name: nameAsked(request, attributes) },
      matched,
      object: await show(request.object),
      old: await show(request.old),
    };
  }

  async #ask(
    hook: Hook,
    matched: Addressed,
    subject: Subject,
  ): Promise<(Verdict & { readonly code: number }) | { readonly outcome: 'unfit'; readonly error: StatusError; readonly code: 0 }> {
    const { request } = subject;
    if (request.dryRun && !hook.servesDryRun)
      return { outcome: 'unfit', error: badRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`), code: 0 };
    const version = hook.reviewVersion;
    if (version === null)
      return {
        outcome: 'invalid',
        message: 'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
        code: 400,
      };
    if (this.#isLate(request)) return { outcome: 'unfit', error: lateError(), code: 0 };
    const question = await this.#question(matched, subject);
    const timeoutMs = Math.max(1, Math.min(hook.timeoutMs, request.deadline - this.#now()));
    let url = '';
    try {
      const client = this.#parts.clients.of(hook.target);
      url = client.urlFor(timeoutMs);
      const text = await client.post(writeJson(reviewOf(question, version)), { timeoutMs, signal: request.waiter?.signal });
      return { ...verdictOf(text, { uid: question.uid, version, mutating: this.#kind === 'mutating', hook: hook.name }), code: 503 };
    } catch (error) {
      return {
        outcome: 'invalid',
        message: `failed to call webhook: ${callFailure(url, error)}`,
        code: error instanceof WebhookError && error.code !== 0 ? error.code : 503,
      };
    }
  }
}

const lateError = (): StatusError => new StatusError(504, 'Timeout', 'Timeout: request did not complete within requested timeout', {});

/** Annotation names are prefixed with the webhook's. Invalid ones are dropped. */
function tell({ warn, annotate }: Subject['request'], hook: Hook, { warnings, auditAnnotations }: VerdictNotes): void {
  warnings.forEach(warn);
  for (const [key, text] of Object.entries(auditAnnotations))
    if (!key.includes('/') && qualifiedNameProblems(key).length === 0) annotate(`${hook.name}/${key}`, text);
}
