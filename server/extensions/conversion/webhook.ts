import { groupVersionOf } from '../../../api/meta/resource.js';
import { randomUUID } from 'node:crypto';
import { copyOf } from '../../../api/json/copy.js';
import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { plainError, type StatusError } from '../../../api/status.js';
import { targetOf } from '../../admission/webhooks/hook.js';
import { writeJson } from '../../../workers/codecs/jsonWriter.js';
import type { HookClients } from '../../webhook/hookClients.js';
import { callFailure } from '../../webhook/wording.js';
import type { ConversionWebhook, Converter, WebhookConverters } from './contract.js';
import { convertedOf, type ReviewVersion } from './review.js';
import { restoreMetadata, shapeProblem } from './verification.js';

const timeoutMs = 30_000;
/** Objects per call; more take several calls in sequence. */
const objectsMax = 500;

/** `from` is the version of the first object. */
export type ObserveConversion = (conversion: {
  readonly definition: string;
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
  readonly succeeded: boolean;
}) => void;

export interface WebhookConverterParts {
  readonly clients: HookClients;
  readonly observe?: ObserveConversion;
  readonly newUid?: () => string;
}

export const webhookConverters =
  ({ clients, observe = () => {}, newUid = randomUUID }: WebhookConverterParts): WebhookConverters =>
  (webhook) => {
    const ask = questioner(webhook, clients, newUid);
    return {
      async convert(objects, apiVersion, signal) {
        const others = objects.filter((object) => object.apiVersion !== apiVersion);
        if (others.length === 0) return objects;
        const [start, from] = [performance.now(), groupVersionOf(others[0]?.apiVersion ?? '').version];
        let succeeded = false;
        try {
          const converted = (await inBatches(others, (batch) => convertBatch(batch, { apiVersion, ask, signal }))).values();
          succeeded = true;
          return objects.map((object) => (object.apiVersion === apiVersion ? object : (converted.next().value ?? object)));
        } finally {
          observe({
            definition: webhook.definition,
            from,
            to: groupVersionOf(apiVersion).version,
            seconds: (performance.now() - start) / 1000,
            succeeded,
          });
        }
      },
      // Connections are shared with the server's other webhooks, and close when idle.
      close: () => {},
    } satisfies Converter;
  };

/** Sends objects and returns the webhook's result. Rejects with an Error for the message. */
type Ask = (objects: readonly ApiObject[], apiVersion: string, signal: AbortSignal | undefined) => Promise<readonly JsonValue[]>;

function questioner({ clientConfig, conversionReviewVersions }: ConversionWebhook, clients: HookClients, newUid: () => string): Ask {
  const version = conversionReviewVersions.find((each): each is ReviewVersion => each === 'v1' || each === 'v1beta1');
  return async (objects, desiredAPIVersion, signal) => {
    if (version === undefined) throw new Error('no supported conversion review versions');
    const uid = newUid();
    const body = writeJson({
      kind: 'ConversionReview',
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid, desiredAPIVersion, objects },
    });
    const answer = await post(body, { clientConfig, clients, objects, signal });
    const result = convertedOf(answer, uid, version);
    if (!result.ok) throw new Error(`conversion webhook for ${named(objects, 'inner')} failed: ${result.message}`);
    return result.objects;
  };
}

interface Call {
  readonly clientConfig: JsonObject;
  readonly clients: HookClients;
  readonly objects: readonly ApiObject[];
  readonly signal: AbortSignal | undefined;
}

async function post(body: string, { clientConfig, clients, objects, signal }: Call): Promise<string> {
  let url = '';
  try {
    const client = clients.of(targetOf(clientConfig));
    url = client.urlFor(timeoutMs);
    return await client.post(body, { timeoutMs: timeoutMs, signal });
  } catch (error) {
    throw new Error(`conversion webhook for ${named(objects, 'inner')} failed: ${callFailure(url, error)}`, { cause: error });
  }
}

async function inBatches<T>(items: readonly ApiObject[], convert: (batch: readonly ApiObject[]) => Promise<readonly T[]>): Promise<T[]> {
  const results: T[] = [];
  for (let start = 0; start < items.length; start += objectsMax) results.push(...(await convert(items.slice(start, start + objectsMax))));
  return results;
}

interface BatchTerms {
  readonly apiVersion: string;
  readonly ask: Ask;
  readonly signal: AbortSignal | undefined;
}

async function convertBatch(originals: readonly ApiObject[], { apiVersion, ask, signal }: BatchTerms): Promise<ApiObject[]> {
  const fail = (what: string, cause?: unknown): StatusError => {
    const error = plainError(500, `conversion for ${named(originals, 'outer')} ${what}`);
    error.cause = cause;
    return error;
  };
  const converted = await ask(originals, apiVersion, signal).catch((error: unknown) => {
    throw fail(`failed: ${(error as Error).message}`, error);
  });
  if (converted.length !== originals.length) throw fail(`returned ${converted.length} objects, expected ${originals.length}`);
  return originals.map((original, position) => {
    const object = converted[position] ?? null;
    // Counted from one, as in the reference.
    const problem = shapeProblem(original, object, apiVersion);
    if (problem !== null) throw fail(`returned invalid converted object at index ${position + 1}: ${problem}`);
    const restored = restoreMetadata(original, copyOf(object as JsonObject));
    if (!restored.ok) throw fail(`returned invalid metadata in object at index ${position + 1}: ${restored.message}`);
    return restored.object;
  });
}

/** Names converted objects in messages. In the reference the inner of two messages has no kind for a single object. */
function named(objects: readonly ApiObject[], place: 'inner' | 'outer'): string {
  const [first] = objects;
  const [apiVersion, kind] = [first?.apiVersion ?? '', first?.kind ?? ''];
  if (objects.length > 1) return `${apiVersion}, Kind=${kind}List`;
  return place === 'inner' ? '/, Kind=' : `${apiVersion}, Kind=${kind}`;
}
