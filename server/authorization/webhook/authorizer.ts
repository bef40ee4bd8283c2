import type { JsonValue } from '../../../api/object.js';
import { memberAt, textAt } from '../../../api/json/members.js';
import type { WebhookClient } from '../../webhook/client.js';
import { retry, reviewRetrying, type Retrying } from '../../webhook/retry.js';
import { TtlCache } from '../../webhook/ttlCache.js';
import type { Attributes, Authorizer, Decision } from '../authorizer.js';
import type { WebhookSettings } from '../configuration.js';
import { matches } from './conditions.js';
import { reviewSpec, versioned } from './review.js';

export interface WebhookAuthorizerOptions extends Omit<WebhookSettings, 'kubeconfig'> {
  readonly name: string;
  readonly client: WebhookClient;
  readonly observe?: (outcome: Outcome, seconds: number) => void;
  readonly retrying?: Retrying;
  readonly now?: () => number;
}

export type Outcome = 'success' | 'error' | 'timeout';

const cacheMax = 8_192;
/** Requests with longer words, which clients choose, are not cached, to save memory. */
const cachedCharactersMax = 10_000;
const initialWaitMs = 500;

export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const { conditions, authorizedTtlMs, unauthorizedTtlMs, now } = options;
  const cache = new TtlCache<Decision>(cacheMax, now);
  return (attributes) => {
    const wanted = matches(conditions, attributes);
    if (wanted === false) return { decision: 'noOpinion', reason: '' };
    if (wanted !== true) return failure(options, wanted.error);
    const spec = reviewSpec(attributes);
    const key = JSON.stringify(spec);
    const known = cache.get(key);
    if (known !== undefined) return known;
    return ask(
      options,
      JSON.stringify({
        kind: 'SubjectAccessReview',
        apiVersion: `authorization.k8s.io/${options.version}`,
        metadata: { creationTimestamp: null },
        spec: versioned(spec, options.version),
        status: { allowed: false },
      }),
    ).then(({ decision, allowed }) => {
      if (allowed !== null && charactersOf(attributes) < cachedCharactersMax)
        cache.put(key, decision, allowed ? authorizedTtlMs : unauthorizedTtlMs);
      return decision;
    });
  };
}

/** `allowed` is null when there is nothing to cache. */
interface Asked {
  readonly decision: Decision;
  readonly allowed: boolean | null;
}

async function ask(options: WebhookAuthorizerOptions, body: string): Promise<Asked> {
  const { client, timeoutMs, retrying = reviewRetrying(initialWaitMs), observe = () => {} } = options;
  const from = performance.now();
  try {
    const answer = await retry(() => client.post(body, { timeoutMs }), retrying);
    const decided = decisionIn(memberAt(JSON.parse(answer) as JsonValue, 'status'));
    observe('success', (performance.now() - from) / 1000);
    return decided;
  } catch (error) {
    observe(/no answer within/.test((error as Error).message) ? 'timeout' : 'error', (performance.now() - from) / 1000);
    return { decision: failure(options, (error as Error).message), allowed: null };
  }
}

function decisionIn(status: JsonValue | undefined): Asked {
  const [allowed, denied] = [memberAt(status, 'allowed') === true, memberAt(status, 'denied') === true];
  const reason = textAt(status, 'reason');
  if (allowed && denied)
    return { decision: { decision: 'deny', reason, error: 'the service that authorizes both allows and denies' }, allowed: true };
  return { decision: { decision: denied ? 'deny' : allowed ? 'allow' : 'noOpinion', reason }, allowed };
}

const failure = ({ name, onFailure }: WebhookAuthorizerOptions, error: string): Decision => ({
  decision: onFailure === 'Deny' ? 'deny' : 'noOpinion',
  reason: '',
  error: `authorizer ${name}: ${error}`,
});

function charactersOf(attributes: Attributes): number {
  if (!attributes.isResource) return attributes.verb.length + attributes.path.length;
  const { namespace, verb, group, version, resource, subresource, name } = attributes;
  return [namespace, verb, group, version, resource, subresource, name].reduce((sum, word) => sum + word.length, 0);
}
