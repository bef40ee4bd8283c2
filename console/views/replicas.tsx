import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ViewProps } from './viewProps.js';
import { ApiError, messageOf, type ApiClient } from '../api/client.js';
import {
  order,
  programs,
  samplesOf,
  servers,
  statusOf,
  type KnownServer,
  type MemberCommand,
  type ProgramState,
  type RaftStatus,
} from '../api/cluster.js';
import { t } from '../english.js';
import { History, rolesIn, slotMs, type Rates, type Sample } from '../model/history.js';
import { MemberOrders } from '../model/memberOrders.js';
import { Series } from '../model/series.js';
import { standingOf, Timeline, type MemberView, type Standing } from '../model/timeline.js';
import { Chart } from '../parts/chart.js';
import { useLook, useRedraw } from '../parts/hooks.js';
import { bytes, Heading, Problem, seconds } from '../parts/words.js';
import { Dialog } from './actions.js';
import { TimelineView } from './timeline.js';

const statusEveryMs = 400;
const answerMs = 900;
const attemptsMax = 5;
const serversEveryMs = 5_000;
const figuresEveryMs = 2_000;
const windowMs = 15 * 60_000;

class Watching {
  readonly timeline = new Timeline(windowMs);
  readonly history = new History(new Series(windowMs / slotMs));
  servers: readonly KnownServer[] = [];
  launcher = false;
  programs: readonly ProgramState[] = [];
  readonly statuses = new Map<string, RaftStatus>();
  /** Servers that keep no objects themselves. */
  readonly elsewhere = new Set<string>();
  heard: ReadonlySet<string> = new Set();
  problem: string | null = null;
  reading = 0;
  /** When the servers were read last. */
  serversAt = Number.NEGATIVE_INFINITY;

  /** Ids of the group's members, and of those reported by their servers. */
  get ids(): readonly string[] {
    const known = new Set([...this.statuses.values()].flatMap(({ members }) => members.map(({ id }) => id)));
    for (const { memberId } of this.servers) if (memberId !== null) known.add(memberId);
    for (const { name, role } of this.programs) if (role === 'apiserver') known.add(name);
    return [...known].sort();
  }

  server(id: string): KnownServer | undefined {
    return this.servers.filter(({ memberId }) => memberId === id).sort((a, b) => (b.renewedAt ?? 0) - (a.renewedAt ?? 0))[0];
  }

  /** Records a member's report, null where there was none. */
  hear(id: string, answer: RaftStatus | 'elsewhere' | null): void {
    if (answer === 'elsewhere') this.elsewhere.add(id);
    else this.elsewhere.delete(id);
    if (answer === null || answer === 'elsewhere') this.statuses.delete(id);
    else this.statuses.set(answer.memberId, answer);
  }

  /** Adds members' current states to the timeline, never before its latest entry. */
  see(ids: readonly string[]): void {
    if (this.reading === 0) return;
    this.timeline.observe(
      ids.map((id) => this.view(id)),
      Date.now(),
    );
  }

  view(id: string): MemberView {
    const status = this.statuses.get(id);
    return {
      id,
      program: this.launcher ? (this.programs.find(({ name }) => name === id)?.state ?? null) : null,
      role: status?.role ?? (this.elsewhere.has(id) ? 'serving' : null),
      term: status?.term ?? null,
      snapshotsInstalled: status?.figures.snapshotsInstalled ?? null,
    };
  }

  /** The leader of the highest term: isolated members may still believe they lead. */
  get leader(): RaftStatus | null {
    const leaders = [...this.statuses.values()].filter(({ role }) => role === 'leader');
    return leaders.sort((a, b) => b.term - a.term)[0] ?? null;
  }
}

/** Reads the servers, the launcher's programs and each member's status; calls `see` for members with a known state. */
async function readMembers(
  watching: Watching,
  client: ApiClient,
  signal: AbortSignal,
  see: (ids: readonly string[]) => void,
): Promise<void> {
  const limited = (): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  if (performance.now() - watching.serversAt > serversEveryMs || watching.servers.length === 0) {
    const found = await servers(client, limited());
    [watching.servers, watching.launcher] = [found.servers, found.launcher];
    watching.serversAt = performance.now();
  }
  const askPrograms = async (): Promise<void> => {
    if (watching.launcher) watching.programs = await programs(client, limited());
  };
  const ask = async (id: string): Promise<void> => {
    const server = watching.server(id);
    const answer = server === undefined ? null : await statusOf(client, server.name, limited()).catch(onlyRefusals);
    // A silent member may have just been killed, which the launcher reports.
    if (answer === null) await askPrograms();
    watching.hear(id, answer);
    see([id]);
  };
  await Promise.all([askPrograms().then(() => see(watching.ids)), ...watching.ids.map(ask)]);
  if (watching.reading > 0 || watching.statuses.size + watching.elsewhere.size === 0) return;
  const before = await readSamples(watching, client, signal);
  for (const { id, at, raft } of rolesIn(before)) watching.timeline.observe([{ id, program: null, ...raft }], at);
  see(watching.ids);
}

/** The Raft group: members, charts, events, and buttons where a launcher runs. */
export function Replicas({ client }: ViewProps): VNode {
  const [watching] = useState(() => new Watching());
  const [orders] = useState(() => ordersOf(client));
  const [said, setSaid] = useState('');
  const redraw = useRedraw();

  const look = async (signal: AbortSignal, attempt = 1): Promise<void> => {
    // A reading interrupted by the connection's end says nothing about members.
    const see = (ids: readonly string[]): void => {
      if (signal.aborted) return;
      watching.see(ids);
      redraw();
    };
    try {
      await readMembers(watching, client, signal, see);
      watching.problem = null;
    } catch (error) {
      if (signal.aborted) return;
      // The connection ended, perhaps with the affected member; a new one reaches another server.
      if (!(error instanceof ApiError) && attempt < attemptsMax) return look(signal, attempt + 1);
      watching.problem = error instanceof ApiError ? (error.code === 403 ? t.replicas.notAllowed : error.message) : t.retrying;
    }
    redraw();
  };
  useLook((signal) => look(signal), statusEveryMs);

  useLook(async (signal) => {
    // The first samples come with the first reading.
    if (watching.reading === 0) return;
    await readSamples(watching, client, signal);
    if (!signal.aborted) redraw();
  }, figuresEveryMs);

  const act = async (command: MemberCommand, id: string): Promise<void> => {
    setSaid('');
    const done = t.replicas.act.done(t.replicas.act[command], id);
    const said = await orders.give(command, id).then((latest) => (latest ? done : null), messageOf);
    if (said !== null) setSaid(said);
    redraw();
  };

  const { leader, ids } = watching;
  return (
    <>
      <Heading text={t.replicas.heading} about={t.replicas.about} />
      {watching.problem === null ? null : <Problem>{watching.problem}</Problem>}
      {ids.length === 0 ? null : (
        <>
          {watching.elsewhere.size > 0 && leader === null ? (
            <Elsewhere watching={watching} />
          ) : (
            <p class={`lead-line ${leader === null ? 'bad' : ''}`} role="status">
              <span class={`standing ${leader === null ? 'down' : 'leader'}`} />
              {leader === null ? t.replicas.noLeader : t.replicas.leaderIs(leader.memberId, leader.term)}
              <span class="said">{said}</span>
            </p>
          )}
          <Members watching={watching} act={watching.launcher ? act : null} />
          <TimelineView timeline={watching.timeline} ids={ids} windowMs={windowMs} now={Date.now()} />
          <Charts watching={watching} />
        </>
      )}
    </>
  );
}

/** The external store of the objects: there is no leader to show. */
function Elsewhere({ watching }: { readonly watching: Watching }): VNode {
  const stores = watching.ids.map((id) => watching.history.latest(id)?.now.stores ?? []).find((found) => found.length > 0) ?? [];
  return (
    <>
      <p class="lead-line" role="status">
        {t.replicas.elsewhere}
      </p>
      {stores.length === 0 ? null : (
        <section class="card" aria-labelledby="etcd">
          <h2 id="etcd">{t.replicas.etcdMembers}</h2>
          <dl>
            {stores.map((store) => (
              <div key={store.name} class="wide">
                <dt>{store.name}</dt>
                <dd>{bytes(store.bytes)}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </>
  );
}

async function readSamples(watching: Watching, client: ApiClient, signal: AbortSignal): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(answerMs * 2)]);
  const heard = new Map<string, readonly Sample[]>();
  await Promise.all(
    watching.ids.map(async (id) => {
      const server = watching.server(id);
      if (server === undefined) return;
      const samples = await samplesOf(client, server.name, watching.history.since(id), limited).catch(() => null);
      if (samples !== null) heard.set(id, samples);
    }),
  );
  if (signal.aborted) return heard;
  for (const [id, samples] of heard) watching.history.add(id, samples);
  watching.heard = new Set(heard.keys());
  watching.reading++;
  return heard;
}

const leadsTo: Readonly<Record<MemberCommand, ProgramState['state']>> = {
  kill: 'down',
  pause: 'paused',
  resume: 'running',
  partition: 'partitioned',
  heal: 'running',
  restart: 'running',
};

const ordersOf = (client: ApiClient): MemberOrders<MemberCommand> =>
  new MemberOrders({
    send: async (command, id) => void (await order(client, command, id)),
    carriedOut: async (command, id) => {
      const states = await programs(client, AbortSignal.timeout(answerMs)).catch(() => []);
      return states.find(({ name }) => name === id)?.state === leadsTo[command];
    },
    isAnswer: (error) => error instanceof ApiError,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });

/** Shows the user a reachable server's refusal; the timeline shows an unreachable one. */
function onlyRefusals(error: unknown): 'elsewhere' | null {
  if (error instanceof ApiError && error.code === 501) return 'elsewhere';
  if (error instanceof ApiError && (error.code === 403 || error.code === 401)) throw error;
  return null;
}

const whole = (value: number | null): string =>
  value === null ? '–' : value < 10 ? value.toFixed(value === 0 ? 0 : 1) : Math.round(value).toLocaleString('en');
/** Progress of a snapshot to a member, or null. */
function snapshotOf(progress: RaftStatus['members'][number]['progress']): string | null {
  if (progress?.state !== 'snapshot') return null;
  const { snapshot } = progress;
  return snapshot === null
    ? t.replicas.preparing
    : t.replicas.sending(Math.floor((100 * snapshot.sentBytes) / Math.max(1, snapshot.bytes)));
}

/** Both in milliseconds, while that is short. */
function twoTimes(rates: Rates | null): string {
  if (rates === null) return '–';
  const { p50, p99 } = rates;
  if (p50 === null || p99 === null) return '–';
  return p99 < 1 ? `${tenths(p50)} / ${tenths(p99)} ms` : `${p50.toFixed(2)} / ${p99.toFixed(1)} s`;
}
const tenths = (value: number): string => (value < 0.01 ? (value * 1000).toFixed(1) : String(Math.round(value * 1000)));

const charts = [
  ['requests', whole],
  ['p99', seconds],
  ['p50', seconds],
  ['watches', whole],
  ['commits', whole],
  ['lag', whole],
  ['loop', seconds],
  ['log', (value: number | null) => (value === null ? '–' : bytes(value))],
] as const;

const memberColours = 5;
const colourOf = (index: number): string => `--member-${(index % memberColours) + 1}`;

function Charts({ watching }: { readonly watching: Watching }): VNode {
  const {
    ids,
    history: { series },
    reading,
  } = watching;
  return (
    <section aria-labelledby="charts">
      <h2 id="charts">{t.replicas.charts}</h2>
      {series.length < 2 ? (
        <p class="soft">{t.replicas.waitingForData}</p>
      ) : (
        <div class="charts">
          {charts.map(([what, format]) => (
            <Chart
              key={what}
              title={t.replicas.chart[what]}
              series={series}
              lines={ids.map((id, index) => ({ name: `${what} ${id}`, label: id, colour: colourOf(index) }))}
              format={format}
              reading={reading}
            />
          ))}
        </div>
      )}
    </section>
  );
}

const actionsFor: Readonly<Record<Standing, readonly MemberCommand[]>> = {
  leader: ['kill', 'pause', 'partition', 'restart'],
  follower: ['kill', 'pause', 'partition', 'restart'],
  candidate: ['kill', 'pause', 'partition', 'restart'],
  learner: ['kill', 'pause', 'partition', 'restart'],
  serving: ['kill', 'pause', 'restart'],
  unknown: ['kill', 'pause', 'partition', 'restart'],
  silent: ['kill', 'pause', 'partition', 'restart'],
  paused: ['kill', 'resume', 'restart'],
  partitioned: ['kill', 'heal', 'restart'],
  down: ['restart'],
};

function Members({
  watching,
  act,
}: {
  readonly watching: Watching;
  readonly act: ((command: MemberCommand, id: string) => Promise<void>) | null;
}): VNode {
  const { leader } = watching;
  return (
    <div class="members">
      {watching.ids.map((id, index) => {
        const view = watching.view(id);
        const standing = standingOf(view);
        const status = watching.statuses.get(id);
        const figures = watching.heard.has(id) ? watching.history.latest(id) : null;
        const progress = leader?.members.find((member) => member.id === id)?.progress ?? null;
        const lag = status && leader ? Math.max(0, leader.commitIndex - status.appliedIndex) : null;
        const facts: readonly (readonly [label: string, value: string, hint?: string])[] = [
          [t.replicas.term, String(status?.term ?? '–')],
          [t.replicas.commit, status?.commitIndex.toLocaleString('en') ?? '–'],
          [t.replicas.applied, status?.appliedIndex.toLocaleString('en') ?? '–'],
          [t.replicas.lag, lag === null ? '–' : String(lag), t.replicas.lagHint],
          [t.replicas.requests, whole(figures?.rates.requests ?? null)],
          [t.replicas.latency, twoTimes(figures?.rates ?? null)],
          [t.replicas.watches, String(figures?.now.watches ?? '–')],
          [t.replicas.connections, String(figures?.now.connections ?? '–')],
          [t.replicas.loop, seconds(figures?.now.loopSeconds ?? null), t.replicas.loopHint],
          [t.replicas.log, figures ? bytes(figures.now.logBytes) : '–'],
          [t.replicas.store, figures ? bytes(figures.now.storeBytes) : '–'],
          [t.replicas.snapshot, snapshotOf(progress) ?? (status ? t.replicas.snapshots(status.figures.snapshotsInstalled) : '–')],
        ];
        return (
          <article class={`member ${standing}`} key={id} data-member={id} data-standing={standing} aria-labelledby={`member-${id}`}>
            <header>
              <h2 id={`member-${id}`}>
                <span class="swatch" style={{ background: `var(${colourOf(index)})` }} />
                {id}
              </h2>
              <span class={`badge ${standing}`}>{t.replicas.standing[standing]}</span>
            </header>
            <dl>
              {facts.map(([label, value, hint]) => (
                <div title={hint}>
                  <dt>{label}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
            {act === null ? null : <MemberActions id={id} standing={standing} act={act} />}
          </article>
        );
      })}
    </div>
  );
}

interface MemberActionsProps {
  readonly id: string;
  readonly standing: Standing;
  readonly act: (command: MemberCommand, id: string) => Promise<void>;
}

/** The buttons of a member. The one that ends its process asks first. */
function MemberActions({ id, standing, act }: MemberActionsProps): VNode {
  const [asks, setAsks] = useState(false);
  const { kill, ask, killAbout, label } = t.replicas.act;
  return (
    <div class="actions" role="group" aria-label={t.replicas.actionsOf(id)}>
      {actionsFor[standing].map((command) => (
        <button
          type="button"
          class={command === 'kill' ? 'danger' : ''}
          aria-label={label(t.replicas.act[command], id)}
          onClick={() => (command === 'kill' ? setAsks(true) : void act(command, id))}
        >
          {t.replicas.act[command]}
        </button>
      ))}
      {asks ? (
        <Dialog label={ask(kill, id)} submit={kill} danger act={() => act('kill', id)} done={() => setAsks(false)}>
          <p>{killAbout}</p>
        </Dialog>
      ) : null}
    </div>
  );
}
