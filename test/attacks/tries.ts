import { expect } from 'chai';
import type { Answer, ApiClient, RequestOptions } from '../fixtures/apiClient.js';

/** One attack that is a single request, and the answers that are right. */
export interface Try extends RequestOptions {
  readonly what: string;
  /** Default GET. */
  readonly method?: string;
  /** `path`, or a function if it depends on the running servers. */
  readonly path: string | (() => string);
  readonly status: number | readonly number[];
  /** Patterns of the answer. */
  readonly says?: RegExp;
  readonly neverSays?: RegExp;
}

export const refused = [400, 403, 404, 405, 422] as const;
export const mergePatch = 'application/merge-patch+json';
export const jsonPatch = 'application/json-patch+json';
export const strategicPatch = 'application/strategic-merge-patch+json';
export const applyPatch = 'application/apply-patch+yaml';

/** Declares a test for each, as the client `who`. */
export function tryAll(who: () => ApiClient, tries: readonly Try[]): void {
  for (const each of tries)
    it(each.what, async () => {
      await expectAnswer(who(), each);
    });
}

export async function expectAnswer(
  client: ApiClient,
  { what, method = 'GET', path, status, says, neverSays, ...options }: Try,
): Promise<Answer> {
  const answer = await client.request(method, typeof path === 'string' ? path : path(), options);
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  const wanted = typeof status === 'number' ? [status] : status;
  expect(wanted, `${what}: ${text.slice(0, 600)}`).to.include(answer.status);
  if (says) expect(text, what).to.match(says);
  if (neverSays) expect(text, what).not.to.match(neverSays);
  return answer;
}
