import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, messageOf, optional, tableType, type ApiClient } from '../api/client.js';
import { servers, statusOf, type KnownServer } from '../api/cluster.js';
import { collectionPathOf } from '../api/resources.js';
import { t } from '../english.js';
import { failedChecks, kindSummaryOf, type KindSummary, type TablePage } from '../model/overview.js';
import { hashOf } from '../model/place.js';
import { useLook, useRedraw } from '../parts/hooks.js';
import { Heading, Problem } from '../parts/words.js';
import { EventList, timeOf, type EventObject } from './about.js';
import { certificatesPart, useEndings } from './certificates.js';
import type { ViewProps } from './viewProps.js';

const everyMs = 5_000;
const answerMs = 2_000;
/** Objects per kind whose states are read; further ones are only counted. */
const readMax = 1_000;
const warningsMax = 12;
const unwellMax = 30;

interface Kind {
  readonly name: keyof typeof t.overview.kinds;
  readonly group: string;
  readonly resource: string;
  readonly version: string;
}

const kinds: readonly Kind[] = [
  { name: 'nodes', group: '', resource: 'nodes', version: 'v1' },
  { name: 'pods', group: '', resource: 'pods', version: 'v1' },
  { name: 'deployments', group: 'apps', resource: 'deployments', version: 'v1' },
  { name: 'statefulSets', group: 'apps', resource: 'statefulsets', version: 'v1' },
  { name: 'daemonSets', group: 'apps', resource: 'daemonsets', version: 'v1' },
  { name: 'jobs', group: 'batch', resource: 'jobs', version: 'v1' },
  { name: 'claims', group: '', resource: 'persistentvolumeclaims', version: 'v1' },
];

interface Seen {
  version: string;
  servers: readonly KnownServer[];
  leader: string | null;
  /** Names of the server's failed checks; null if forbidden. */
  failed: readonly string[] | null;
  readonly summaries: Map<Kind['name'], KindSummary | null>;
  warnings: readonly EventObject[] | null;
  problem: string;
}

const nothingSeen = (): Seen => ({
  version: '',
  servers: [],
  leader: null,
  failed: null,
  summaries: new Map(),
  warnings: null,
  problem: '',
});

/** The cluster at a glance: running objects and problems. */
export function Overview({ client }: ViewProps): VNode {
  const [seen] = useState(nothingSeen);
  const redraw = useRedraw();
  const endings = useEndings(client);
  useLook(async (signal) => {
    try {
      await Promise.all([readServers(client, seen, signal), readHealth(client, seen, signal), readObjects(client, seen, signal)]);
      seen.problem = '';
    } catch (error) {
      if (!signal.aborted) seen.problem = error instanceof ApiError ? messageOf(error) : t.retrying;
    }
    if (!signal.aborted) redraw();
  }, everyMs);

  return (
    <>
      <Heading text={t.overview.heading} about={t.overview.about} />
      {seen.problem === '' ? null : <Problem>{seen.problem}</Problem>}
      <div class="cards">
        {serversCard(seen)}
        {kinds.map((kind) => (
          <KindCard key={kind.name} kind={kind} summary={seen.summaries.get(kind.name) ?? null} />
        ))}
      </div>
      {unwellList(seen)}
      {certificatesPart(endings)}
      <section aria-labelledby="warnings">
        <h2 id="warnings">{t.overview.warnings}</h2>
        {seen.warnings === null || seen.warnings.length === 0 ? (
          <p class="soft">{seen.warnings === null ? t.loading : t.overview.noWarnings}</p>
        ) : (
          <EventList events={seen.warnings} about />
        )}
      </section>
    </>
  );
}

async function readServers(client: ApiClient, seen: Seen, signal: AbortSignal): Promise<void> {
  const [version, known] = await Promise.all([
    client.json<{ readonly gitVersion: string }>('/version', { signal }),
    optional(servers(client, signal), { servers: [], launcher: false }),
  ]);
  seen.version = version.gitVersion;
  seen.servers = known.servers;
  const own = known.servers.find((server) => server.own) ?? known.servers[0];
  const limited = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  seen.leader =
    own === undefined
      ? null
      : await statusOf(client, own.name, limited).then(
          ({ leaderId }) => leaderId,
          () => null,
        );
}

async function readHealth(client: ApiClient, seen: Seen, signal: AbortSignal): Promise<void> {
  seen.failed = await client.text('/readyz?verbose', { signal }).then(failedChecks, (error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    return error.code === 403 ? null : failedChecks(error.message);
  });
}

async function readObjects(client: ApiClient, seen: Seen, signal: AbortSignal): Promise<void> {
  const [warnings] = await Promise.all([
    optional<{ readonly items: readonly EventObject[] }>(client.json('/api/v1/events?fieldSelector=type%3DWarning&limit=500', { signal }), {
      items: [],
    }),
    ...kinds.map(async (kind) => {
      const path = `${collectionPathOf(kind)}?limit=${readMax}`;
      const page = await optional<TablePage | null>(client.json(path, { accept: tableType, signal }), null);
      seen.summaries.set(kind.name, page === null ? null : kindSummaryOf(page));
    }),
  ]);
  seen.warnings = [...warnings.items].sort((a, b) => timeOf(b) - timeOf(a)).slice(0, warningsMax);
}

const serversCard = (seen: Seen): VNode => (
  <section class="card" aria-labelledby="servers">
    <h2 id="servers">{t.overview.servers}</h2>
    <dl>
      <div class="wide">
        <dt>{t.overview.version}</dt>
        <dd>{seen.version === '' ? '–' : seen.version}</dd>
      </div>
      <div>
        <dt>{t.overview.members}</dt>
        <dd>{seen.servers.length === 0 ? '–' : <a href="#replicas">{seen.servers.length}</a>}</dd>
      </div>
      <div>
        <dt>{t.overview.leader}</dt>
        <dd>{seen.leader ?? '–'}</dd>
      </div>
      <div class="wide">
        <dt>{t.overview.health}</dt>
        <dd class={seen.failed === null ? '' : seen.failed.length === 0 ? 'well' : 'unwell'}>
          {seen.failed === null ? '–' : seen.failed.length === 0 ? t.overview.ready : t.overview.failed(seen.failed.join(', '))}
        </dd>
      </div>
    </dl>
  </section>
);

const alwaysShown: ReadonlySet<Kind['name']> = new Set(['nodes', 'pods']);

function KindCard({ kind, summary }: { readonly kind: Kind; readonly summary: KindSummary | null }): VNode | null {
  if (summary === null || (summary.count === 0 && !alwaysShown.has(kind.name))) return null;
  return (
    <section class="card" aria-labelledby={`kind-${kind.name}`} data-kind={kind.name}>
      <h2 id={`kind-${kind.name}`}>
        <a href={hashOf({ ...kind, namespace: '', name: '' })}>{t.overview.kinds[kind.name]}</a>
      </h2>
      <p class="figure">{summary.count.toLocaleString('en')}</p>
      <p class={summary.unwell.length === 0 ? 'well' : 'unwell'}>
        {summary.unwell.length === 0 ? t.overview.allWell : t.overview.unwellCount(summary.unwell.length)}
        {summary.isWhole ? null : <span class="soft"> {t.overview.ofFirst(readMax)}</span>}
      </p>
    </section>
  );
}

function unwellList(seen: Seen): VNode {
  const all = kinds.flatMap((kind) => (seen.summaries.get(kind.name)?.unwell ?? []).map((each) => ({ kind, ...each })));
  return (
    <section aria-labelledby="unwell">
      <h2 id="unwell">{t.overview.unwell}</h2>
      {all.length === 0 ? (
        <p class="soft">{t.overview.nothingUnwell}</p>
      ) : (
        <ul class="unwell-list">
          {all.slice(0, unwellMax).map(({ kind, namespace, name, state }) => (
            <li key={`${kind.name} ${namespace}/${name}`}>
              <span class="soft">{t.overview.kinds[kind.name]}</span>
              <a href={hashOf({ ...kind, namespace, name })}>{namespace === '' ? name : `${namespace}/${name}`}</a>
              <span class="unwell">{state}</span>
            </li>
          ))}
          {all.length > unwellMax ? <li class="soft">{t.overview.more(all.length - unwellMax)}</li> : null}
        </ul>
      )}
    </section>
  );
}
