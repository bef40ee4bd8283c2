import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiClient } from '../api/client.js';
import { certificatesOf, managersOf, servers } from '../api/cluster.js';
import { t } from '../english.js';
import { certificatesIn, endingFirst, type Certificate, type Ending } from '../model/certificates.js';
import { useLook } from '../parts/hooks.js';

const everyMs = 15_000;
const answerMs = 5_000;

/** Follows the certificates of all servers and local managers that answer; null before the first reading. */
export function useEndings(client: ApiClient): readonly Ending[] | null {
  const [endings, setEndings] = useState<readonly Ending[] | null>(null);
  useLook(async (signal) => {
    const found = await readAll(client, signal);
    if (!signal.aborted) setEndings(endingFirst(found, Date.now()));
  }, everyMs);
  return endings;
}

export const certificatesPart = (endings: readonly Ending[] | null): VNode => (
  <section aria-labelledby="certificates">
    <h2 id="certificates">{t.certificates.heading}</h2>
    {endings === null ? <p class="soft">{t.loading}</p> : endingList(endings)}
  </section>
);

async function readAll(client: ApiClient, signal: AbortSignal): Promise<ReadonlyMap<string, readonly Certificate[]>> {
  const found = new Map<string, readonly Certificate[]>();
  const known = await servers(client, signal).catch(() => ({ servers: [], launcher: false }));
  const limited = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  const note = (name: string, certificates: readonly Certificate[]): void => {
    if (certificates.length > 0) found.set(name, certificates);
  };
  const managers = known.launcher ? managersOf(client).catch(() => []) : Promise.resolve([]);
  await Promise.all(
    known.servers.map(async ({ name, memberId }) => note(memberId ?? name, await certificatesOf(client, name, limited).catch(() => []))),
  );
  for (const { name, metrics } of await managers) note(name, certificatesIn(metrics ?? ''));
  return found;
}

function endingList(endings: readonly Ending[]): VNode {
  const near = endings.filter(({ urgency }) => urgency !== 'later');
  const [first] = endings;
  if (first === undefined) return <p class="soft">{t.certificates.unseen}</p>;
  if (near.length === 0)
    return <p class="soft">{t.certificates.none(first.subject, first.options.join(', '), dateOf(first.endsAt ?? 0))}</p>;
  return (
    <ul class="unwell-list certificates">
      {near.map(({ subject, options, servers: at, endsAt, days, urgency }) => (
        <li key={`${options.join()} ${at.join()} ${endsAt}`}>
          <b>{subject === '' ? t.certificates.unreadable : subject}</b>
          <span class="soft">
            {options.join(', ')} · {at.join(', ')}
          </span>
          <span class={urgency === 'now' ? 'unwell' : 'near'}>
            {endsAt === null ? t.certificates.look : t.certificates.ends(days, dateOf(endsAt))}
          </span>
        </li>
      ))}
    </ul>
  );
}

const dateOf = (at: number): string => new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
