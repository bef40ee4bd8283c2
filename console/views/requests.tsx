import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { latencyOf } from './latency.js';
import type { ViewProps } from './viewProps.js';
import { ApiError, type ApiClient } from '../api/client.js';
import { requestsOf, servers, type KnownServer } from '../api/cluster.js';
import { pause } from '../api/watch.js';
import { t } from '../english.js';
import {
  fits,
  isFailed,
  isRefused,
  isSlow,
  joined,
  topHolders,
  topUsers,
  worstFirst,
  type Holder,
  type RequestFilter,
  type SeenRequest,
} from '../model/requests.js';
import { useFrames, useRun } from '../parts/hooks.js';
import { clock, Heading, Problem, seconds } from '../parts/words.js';

const shownMax = 200;
const topMax = 8;
const againMs = 2_000;

interface Seen {
  requests: readonly SeenRequest[];
  /** By server. */
  readonly holders: Map<string, readonly Holder[]>;
  dropped: number;
  held: boolean;
  problem: string;
}

interface Batch {
  readonly requests: readonly Omit<SeenRequest, 'server'>[];
  readonly dropped: number;
  readonly holders?: readonly Holder[];
}

/** Requests to all servers, as they end. */
export function Requests({ client }: ViewProps): VNode {
  const [seen] = useState<Seen>(() => ({ requests: [], holders: new Map(), dropped: 0, held: false, problem: '' }));
  const [filter, setFilter] = useState<RequestFilter>({ text: '', verb: '', only: 'all', probes: false });
  const [worst, setWorst] = useState(false);
  const draw = useFrames();
  useRun(
    (signal) => {
      void followAll(client, { seen, draw }, signal);
    },
    [client],
  );
  const fitting = seen.requests.filter((request) => fits(request, filter));
  const shown = (worst ? worstFirst(fitting) : fitting).slice(0, shownMax);
  const verbs = [...new Set(seen.requests.map(({ verb }) => verb))].sort();
  return (
    <>
      <Heading text={t.requests.heading} about={t.requests.about} />
      {seen.problem === '' ? null : <Problem>{seen.problem}</Problem>}
      <RequestFilters
        verbs={verbs}
        filter={filter}
        setFilter={setFilter}
        worst={worst}
        setWorst={setWorst}
        held={seen.held}
        hold={() => {
          seen.held = !seen.held;
          draw();
        }}
        total={seen.requests.length}
      />
      {seen.dropped > 0 ? <p class="soft">{t.requests.dropped(seen.dropped)}</p> : null}
      <div class="requests">
        <RequestTable label={t.requests.table} requests={shown} />
        <Tops requests={fitting} holders={[...seen.holders.values()].flat()} />
      </div>
    </>
  );
}

interface FilterProps {
  readonly verbs: readonly string[];
  readonly filter: RequestFilter;
  readonly setFilter: (filter: RequestFilter) => void;
  readonly worst: boolean;
  readonly setWorst: (worst: boolean) => void;
  readonly held: boolean;
  readonly hold: () => void;
  readonly total: number;
}

const RequestFilters = ({ verbs, filter, setFilter, worst, setWorst, held, hold, total }: FilterProps): VNode => (
  <form class="filters" onSubmit={(event) => event.preventDefault()}>
    <label>
      {t.requests.filterLabel}
      <input
        type="search"
        placeholder={t.requests.filter}
        value={filter.text}
        onInput={(event) => setFilter({ ...filter, text: event.currentTarget.value })}
      />
    </label>
    <label>
      {t.requests.verb}
      <select value={filter.verb} onChange={(event) => setFilter({ ...filter, verb: event.currentTarget.value })}>
        <option value="">{t.requests.anyVerb}</option>
        {verbs.map((verb) => (
          <option value={verb}>{verb}</option>
        ))}
      </select>
    </label>
    <label>
      {t.requests.only}
      <select value={filter.only} onChange={(event) => setFilter({ ...filter, only: event.currentTarget.value as RequestFilter['only'] })}>
        {(['all', 'refused', 'failed', 'slow', 'watches'] as const).map((only) => (
          <option value={only}>{t.requests.onlyWhat[only]}</option>
        ))}
      </select>
    </label>
    <label>
      {t.requests.order}
      <select value={worst ? 'worst' : 'newest'} onChange={(event) => setWorst(event.currentTarget.value === 'worst')}>
        <option value="newest">{t.requests.newest}</option>
        <option value="worst">{t.requests.worst}</option>
      </select>
    </label>
    <label class="check">
      <input type="checkbox" checked={filter.probes} onChange={(event) => setFilter({ ...filter, probes: event.currentTarget.checked })} />
      {t.requests.probes}
    </label>
    <button type="button" aria-pressed={held} onClick={hold}>
      {held ? t.requests.go : t.requests.stop}
    </button>
    <span class="soft">{t.requests.total(total)}</span>
  </form>
);

const classOf = (request: SeenRequest): string =>
  isFailed(request) ? 'failed' : isRefused(request) ? 'refused' : isSlow(request) ? 'slow' : '';

const RequestTable = ({ label, requests }: { readonly label: string; readonly requests: readonly SeenRequest[] }): VNode => (
  <div class="scroll" tabIndex={0} role="region" aria-label={label}>
    <table class="plain">
      <thead>
        <tr>
          {(['time', 'verb', 'request', 'user', 'code', 'latency', 'server'] as const).map((column) => (
            <th scope="col">{t.requests[column]}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {requests.map((request) => (
          <RequestRow key={`${request.server} ${request.id} ${request.at}`} request={request} />
        ))}
      </tbody>
    </table>
    {requests.length === 0 ? <p class="empty">{t.requests.none}</p> : null}
  </div>
);

function RequestRow({ request }: { readonly request: SeenRequest }): VNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <tr class={classOf(request)}>
        <td>{clock(request.at)}</td>
        <td>
          <span class={`verb ${request.verb}`}>{request.verb}</span>
        </td>
        <td class="path">
          <button type="button" class="link" aria-expanded={isOpen} title={t.requests.aboutOne} onClick={() => setOpen(!isOpen)}>
            {request.path}
          </button>
        </td>
        <td class="path">
          {request.user}
          {request.impersonator === '' ? null : <em class="soft"> {t.requests.as(request.impersonator)}</em>}
        </td>
        <td>
          <b>{request.code === 0 ? t.requests.left : request.code}</b>
        </td>
        <td class="number">{seconds(request.ms / 1000)}</td>
        <td>{request.server}</td>
      </tr>
      {isOpen ? (
        <tr class="more">
          <td colSpan={7}>
            {factsOf(request)}
            {latencyOf(request)}
          </td>
        </tr>
      ) : null}
    </>
  );
}

function factsOf(request: SeenRequest): VNode {
  const facts = {
    id: request.id,
    resource: request.resource,
    namespace: request.namespace,
    impersonator: request.impersonator,
    agent: request.agent,
    address: request.address,
    ended: new Date(request.at).toISOString(),
    took: seconds(request.ms / 1000),
  };
  return (
    <dl>
      {(Object.keys(facts) as (keyof typeof facts)[])
        .filter((name) => facts[name] !== '')
        .map((name) => (
          <div key={name}>
            <dt>{t.requests.more[name]}</dt>
            <dd class="breaks">{facts[name]}</dd>
          </div>
        ))}
    </dl>
  );
}

const Tops = ({ requests, holders }: { readonly requests: readonly SeenRequest[]; readonly holders: readonly Holder[] }): VNode => (
  <div class="tops">
    <section class="card" aria-labelledby="top-users">
      <h2 id="top-users">{t.requests.topUsers}</h2>
      <Ranks
        ranks={topUsers(requests, topMax).map(({ user, count, refused }) => ({
          name: user,
          count,
          more: refused > 0 ? t.requests.refusedCount(refused) : '',
        }))}
      />
    </section>
    <section class="card" aria-labelledby="top-watchers">
      <h2 id="top-watchers">{t.requests.topWatchers}</h2>
      <Ranks
        ranks={topHolders(holders, topMax).map(({ user, resources, count }) => ({
          name: user,
          count,
          more: t.requests.ofResources(resources),
        }))}
      />
    </section>
  </div>
);

const Ranks = ({
  ranks,
}: {
  readonly ranks: readonly { readonly name: string; readonly count: number; readonly more: string }[];
}): VNode => (
  <ol class="ranks">
    {ranks.map(({ name, count, more }) => (
      <li key={`${name} ${more}`}>
        <span class="path" title={name}>
          {name} <em class="soft">{more}</em>
        </span>
        <b>{count}</b>
        <span class="bar-of" style={{ width: `${(100 * count) / Math.max(1, ranks[0]?.count ?? 1)}%` }} />
      </li>
    ))}
  </ol>
);

interface Screen {
  readonly seen: Seen;
  readonly draw: () => void;
}

async function followAll(client: ApiClient, screen: Screen, signal: AbortSignal): Promise<void> {
  const { seen, draw } = screen;
  const known = new Set<string>();
  while (!signal.aborted) {
    try {
      for (const server of (await servers(client, signal)).servers) {
        if (known.has(server.name)) continue;
        known.add(server.name);
        void follow(client, server, screen, signal);
      }
      seen.problem = '';
    } catch (error) {
      if (signal.aborted) return;
      seen.problem = error instanceof ApiError && error.code === 403 ? t.requests.notAllowed : t.retrying;
    }
    draw();
    await pause(againMs * 2, signal);
  }
}

async function follow(client: ApiClient, server: KnownServer, { seen, draw }: Screen, signal: AbortSignal): Promise<void> {
  const name = server.memberId ?? server.name;
  while (!signal.aborted) {
    const take = (line: unknown): void => {
      const { requests, dropped, holders } = line as Batch;
      if (holders) seen.holders.set(name, holders);
      if (!seen.held) {
        seen.requests = joined(
          seen.requests,
          requests.map((request) => ({ ...request, server: name })),
        );
        seen.dropped += dropped;
      }
      draw();
    };
    // A stopped server has no requests; the list of servers has shown the user's permission.
    await client.lines(requestsOf(server.name), take, { accept: '*/*', signal }).catch(() => undefined);
    seen.holders.delete(name);
    await pause(againMs, signal);
  }
}
