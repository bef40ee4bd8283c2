import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, ApiObject } from '../../fixtures/apiClient.js';
import { goneHere, recordExpired, refusals, type Actor } from './actor.js';
import { listedIn, pathOf, versionOf } from './place.js';

const timeoutMs = 5_000;
const pauseMs = 200;
const pageSize = 5;
/** Pauses between pages: mostly short, sometimes longer than history is kept. */
const pageGapMs = { min: 0, max: 400 };
const longGapMs = { min: 6_000, max: 14_000 };
const longGapPermille = 60;
/** Ambiguous answers to one page before the list is given up. */
const attemptsMax = 40;
const rememberedMax = 400;
const gone = 410;

/** Reads lists by page during writes and faults: all pages are of one version, or a compacted one gives 410. */
export async function readPages(actor: Actor, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await listByPages(actor, signal);
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

async function listByPages(actor: Actor, signal: AbortSignal): Promise<void> {
  const { name, place, prng, recorder } = actor;
  const items: ApiObject[] = [];
  let version: number | null = null;
  for (let token: string | undefined = ''; !signal.aborted;) {
    const { answer, goneBefore } = await ask(
      actor,
      `${pathOf(place)}?limit=${pageSize}${token === '' ? '' : `&continue=${encodeURIComponent(token)}`}`,
      version !== null,
      signal,
    );
    if (answer === null) return;
    if (answer.status === gone && version !== null) return await recordExpired(actor, 'next page', version, goneBefore);
    if (answer.status !== 200)
      return recorder.unexpected(name, `a page was answered with ${answer.status} ${JSON.stringify(answer.body).slice(0, 400)}`);
    const page = answer.body as ApiObject & { readonly metadata: { readonly continue?: string } };
    if (version !== null)
      recorder.pastReads.push({ who: name, what: 'next page', version, outcome: 'served', goneBefore, goneAfter: null });
    if (versionOf(page) !== (version ?? versionOf(page)))
      return recorder.unexpected(name, `a page of a list at ${version} is at ${versionOf(page)}`);
    version = versionOf(page);
    token = page.metadata.continue;
    if (token === undefined || token === '') return void recorder.lists.push(listedIn(name, 'list by pages', page, items));
    items.push(...(page.items ?? []));
    const { min, max } = prng.chance(longGapPermille) ? longGapMs : pageGapMs;
    await delay(prng.between(min, max), undefined, { signal }).catch(() => undefined);
  }
}

/** Reads at versions that a client received earlier. */
export async function readPast(actor: Actor, signal: AbortSignal): Promise<void> {
  const { name, place, prng, recorder } = actor;
  const remembered: number[] = [];
  while (!signal.aborted) {
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    const newest = recorder.sightings.at(-1)?.revision;
    if (newest !== undefined && newest !== remembered.at(-1)) remembered.push(newest);
    if (remembered.length > rememberedMax) remembered.shift();
    const version = prng.pick(remembered);
    if (version === undefined) continue;
    const { answer, goneBefore } = await ask(actor, `${pathOf(place)}?resourceVersion=${version}&resourceVersionMatch=Exact`, true, signal);
    if (answer === null) continue;
    if (answer.status === gone) await recordExpired(actor, 'exact list', version, goneBefore);
    else if (answer.status !== 200)
      recorder.unexpected(name, `an exact list was answered with ${answer.status} ${JSON.stringify(answer.body).slice(0, 400)}`);
    else {
      recorder.pastReads.push({ who: name, what: 'exact list', version, outcome: 'served', goneBefore, goneAfter: null });
      const listed = listedIn(name, 'exact list', answer.body as ApiObject);
      recorder.lists.push(listed);
      if (listed.version !== version) recorder.unexpected(name, `an exact list at ${version} says that it is at ${listed.version}`);
    }
  }
}

/** Repeats until the answer is definite; null when it gives up. */
async function ask(
  actor: Actor,
  path: string,
  past: boolean,
  signal: AbortSignal,
): Promise<{ readonly answer: Answer | null; readonly goneBefore: number | null }> {
  for (let attempt = 0; attempt < attemptsMax && !signal.aborted; attempt++) {
    const goneBefore = past ? await goneHere(actor) : null;
    const answer = await actor.server.request('GET', path, { timeoutMs }).catch(() => null);
    if (answer !== null && !refusals.has(answer.status)) return { answer, goneBefore };
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return { answer: null, goneBefore: null };
}
