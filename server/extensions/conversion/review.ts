import type { JsonValue } from '../../../api/object.js';
import { itemsOf, membersOf, textAt } from '../../../api/json/members.js';
import { jsonCodec } from '../../../workers/codecs/json.js';

export type ReviewVersion = 'v1' | 'v1beta1';

export type Converted = { readonly ok: true; readonly objects: readonly JsonValue[] } | { readonly ok: false; readonly message: string };

/** Deeper responses are refused unread; no stored object is as deep. */
const depthMax = 1000;

/** Returns a ConversionReview response's objects. `v1beta1` required neither uid nor kind. Pure. */
export function convertedOf(answer: string, uid: string, version: ReviewVersion): Converted {
  const refuse = (message: string): Converted => ({ ok: false, message });
  const parsed = jsonCodec.decode(Buffer.from(answer), { findDuplicates: false, depthMax });
  if (!parsed.ok) return refuse(`couldn't get version/kind; json parse error: ${parsed.message}`);
  const review = membersOf(parsed.value as JsonValue);
  const [apiVersion, kind] = [textAt(review, 'apiVersion'), textAt(review, 'kind')];
  if (version === 'v1' && (apiVersion !== 'apiextensions.k8s.io/v1' || kind !== 'ConversionReview')) {
    return refuse(
      `expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`,
    );
  }
  if ((review['response'] ?? null) === null) return refuse('no response provided');
  const response = membersOf(review['response']);
  if (version === 'v1' && textAt(response, 'uid') !== uid)
    return refuse(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(textAt(response, 'uid'))}`);
  const [status, message] = [textAt(response, 'result', 'status'), textAt(response, 'result', 'message')];
  if (status !== 'Success') return refuse(message !== '' ? message : `response.result.status was '${status}', not 'Success'`);
  return { ok: true, objects: itemsOf(response['convertedObjects']) };
}
