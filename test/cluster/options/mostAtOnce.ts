import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../../api/object.js';
import { written, type HookService } from '../../fixtures/hookService.js';

/** How long requests are held, so that concurrent ones overlap. */
const heldMs = 300;

/** A webhook that holds requests, and records the maximum concurrency by sender. */
export class MostAtOnce {
  readonly #hook: HookService;
  readonly #now = new Map<string, number>();
  readonly #most = new Map<string, number>();

  constructor(hook: HookService, keyOf: (request: JsonObject) => string) {
    this.#hook = hook;
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
    setTimeout(() => {
      this.#now.set(key, (this.#now.get(key) ?? 1) - 1);
      const { uid } = review['request'] as { readonly uid: string };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ apiVersion: review['apiVersion'], kind: review['kind'], response: { uid, allowed: true } }));
    }, heldMs);
  }
}
