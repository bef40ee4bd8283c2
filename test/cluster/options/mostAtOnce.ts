import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../../api/object.js';
import { written, type HookService } from '../../fixtures/hookService.js';

/** How long requests are held once enough are there, so that one too many would be seen. */
const heldMs = 300;
/** Below the webhook's own limit. */
const patienceMs = 20_000;

/** A webhook that holds requests until as many as wanted have come, however slow the machine is, and records the maximum concurrency by sender. */
export class MostAtOnce {
  readonly #hook: HookService;
  readonly #wanted: (key: string) => number;
  readonly #now = new Map<string, number>();
  readonly #most = new Map<string, number>();
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(hook: HookService, keyOf: (request: JsonObject) => string, wanted: (key: string) => number) {
    this.#hook = hook;
    this.#wanted = wanted;
    hook.reply = (review) => {
      const request = review['request'] as JsonObject;
      return written((response) => this.#hold(keyOf(request), review, response));
    };
  }

  most(key: string): number {
    return this.#most.get(key) ?? 0;
  }

  get keys(): readonly string[] {
    return [...this.#most.keys()];
  }

  configuration(resources: readonly string[], operations: readonly string[]): object {
    return {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'counts' },
      webhooks: [
        {
          name: 'counts.example.org',
          clientConfig: { url: this.#hook.url, caBundle: this.#hook.caBundle },
          rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations, resources }],
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
          timeoutSeconds: 30,
        },
      ],
    };
  }

  #hold(key: string, review: JsonObject, response: ServerResponse): void {
    const now = (this.#now.get(key) ?? 0) + 1;
    this.#now.set(key, now);
    this.#most.set(key, Math.max(now, this.most(key)));
    const answer = (): void => {
      this.#now.set(key, (this.#now.get(key) ?? 1) - 1);
      const { uid } = review['request'] as { readonly uid: string };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ apiVersion: review['apiVersion'], kind: review['kind'], response: { uid, allowed: true } }));
    };
    this.#inCompany(key, () => setTimeout(answer, heldMs));
  }

  /** Goes on when enough have come, or have come before. */
  #inCompany(key: string, goOn: () => void): void {
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting);
    if (this.most(key) >= this.#wanted(key)) {
      for (const each of [...waiting]) each();
      goOn();
      return;
    }
    const go = (): void => {
      clearTimeout(patience);
      waiting.delete(go);
      goOn();
    };
    const patience = setTimeout(go, patienceMs);
    waiting.add(go);
  }
}
