import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { ViewProps } from '../app.js';
import { ApiError, messageOf } from '../api/client.js';
import {
  figuresOf,
  order,
  programs,
  servers,
  statusOf,
  type Figures,
  type KnownServer,
  type MemberCommand,
  type ProgramState,
  type RaftStatus,
} from '../api/cluster.js';
import { t } from '../english.js';
import { quantile } from '../model/metrics.js';
import { Series } from '../model/series.js';
import { standingOf, Timeline, type MemberView, type Standing } from '../model/timeline.js';
import { Chart } from '../parts/chart.js';
import { useLook, useRedraw } from '../parts/hooks.js';
import { bytes, Heading, Problem, seconds } from '../parts/words.js';
import { TimelineView } from './timeline.js';

const statusEveryMs = 400;
const answerMs = 900;
const figuresEveryMs = 2_000;
const windowMs = 15 * 60_000;

/** All that is known of the members, kept while the view is open. */
class Watching {
  readonly timeline = new Timeline(windowMs);
  readonly series = new Series(windowMs / figuresEveryMs);
  servers: readonly KnownServer[] = [];
  launcher = false;
  programs: readonly ProgramState[] = [];
  readonly statuses = new Map<string, RaftStatus>();
  readonly figures = new Map<string, { readonly now: Figures; readonly rates: Rates }>();
  problem: string | null = null;
  reading = 0;

  /** Members by id: those that the group has, and those whose servers have said so. */
  get ids(): readonly string[] {
    const known = new Set([...this.statuses.values()].flatMap(({ members }) => members.map(({ id }) => id)));
    for (const { memberId } of this.servers) if (memberId !== null) known.add(memberId);
    for (const { name, role } of this.programs) if (role === 'apiserver') known.add(name);
    return [...known].sort();
  }

  server(id: string): KnownServer | undefined {
    return this.servers.filter(({ memberId }) => memberId === id).sort((a, b) => (b.renewedAt ?? 0) - (a.renewedAt ?? 0))[0];
  }

  view(id: string): MemberView {
    const status = this.statuses.get(id);
    return {
      id,
      program: this.launcher ? (this.programs.find(({ name }) => name === id)?.state ?? null) : null,
      role: status?.role ?? null,
      term: status?.term ?? null,
      snapshotsInstalled: status?.figures.snapshotsInstalled ?? null,
    };
  }

  /** Who leads in the highest term: a member that was cut off may still believe that it does. */
  get leader(): RaftStatus | null {
    const leaders = [...this.statuses.values()].filter(({ role }) => role === 'leader');
    return leaders.sort((a, b) => b.term - a.term)[0] ?? null;
  }
}

interface Rates {
  readonly requests: number | null;
  readonly commits: number | null;
  readonly p50: number | null;
  readonly p99: number | null;
}
const noRates: Rates = { requests: null, commits: null, p50: null, p99: null };

function ratesOf(before: Figures | undefined, now: Figures): Rates {
  // Counters that fell belong to a process that was started anew.
  if (before === undefined || now.at <= before.at || now.requests < before.requests) return noRates;
  const passed = (now.at - before.at) / 1000;
  return {
    requests: (now.requests - before.requests) / passed,
    commits: Math.max(0, now.commitIndex - before.commitIndex) / passed,
    p50: quantile(0.5, before.latency, now.latency),
    p99: quantile(0.99, before.latency, now.latency),
  };
}

/** The Raft group: members, charts, what happened, and buttons where a launcher is. */
export function Replicas({ client }: ViewProps): VNode {
  const [watching] = useState(() => new Watching());
  const [said, setSaid] = useState('');
  const redraw = useRedraw();
  const leasesAt = useRef(Number.NEGATIVE_INFINITY);

  const look = async (signal: AbortSignal): Promise<void> => {
    const limited = (): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
    try {
      if (performance.now() - leasesAt.current > 5_000 || watching.servers.length === 0) {
        const found = await servers(client, limited());
        [watching.servers, watching.launcher] = [found.servers, found.launcher];
        leasesAt.current = performance.now();
      }
      const state = watching.launcher ? programs(client, limited()) : Promise.resolve([]);
      await Promise.all([
        state.then((list) => (watching.programs = list)),
        ...watching.ids.map(async (id) => {
          const server = watching.server(id);
          const status = server === undefined ? null : await statusOf(client, server.name, limited()).catch(onlyRefusals);
          if (status === null) watching.statuses.delete(id);
          else watching.statuses.set(status.memberId, status);
        }),
      ]);
      watching.problem = null;
      // A look that was cut short by the end of the connection says nothing about members.
      if (!signal.aborted)
        watching.timeline.look(
          watching.ids.map((id) => watching.view(id)),
          Date.now(),
        );
    } catch (error) {
      if (signal.aborted) return;
      watching.problem = error instanceof ApiError ? (error.code === 403 ? t.replicas.notAllowed : error.message) : t.retrying;
    }
    redraw();
  };
  useLook(look, statusEveryMs);

  useLook(async (signal) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(answerMs * 2)]);
    await Promise.all(
      watching.ids.map(async (id) => {
        const server = watching.server(id);
        const now = server === undefined ? null : await figuresOf(client, server.name, limited).catch(() => null);
        if (now === null) watching.figures.delete(id);
        else watching.figures.set(id, { now, rates: ratesOf(watching.figures.get(id)?.now, now) });
      }),
    );
    if (signal.aborted || watching.figures.size === 0) return;
    watching.series.add(Date.now() / 1000, pointsOf(watching));
    watching.reading++;
    redraw();
  }, figuresEveryMs);

  const act = async (command: MemberCommand, id: string): Promise<void> => {
    setSaid('');
    try {
      await order(client, command, id);
      setSaid(t.replicas.act.done(t.replicas.act[command], id));
    } catch (error) {
      // The member that carries the word may be the one that is killed.
      setSaid(error instanceof ApiError ? messageOf(error) : t.replicas.act.done(t.replicas.act[command], id));
    }
  };

  const { leader, ids } = watching;
  return (
    <>
      <Heading text={t.replicas.heading} about={t.replicas.about} />
      {watching.problem === null ? null : <Problem>{watching.problem}</Problem>}
      {ids.length === 0 ? null : (
        <>
          <p class={`lead-line ${leader === null ? 'bad' : ''}`} role="status">
            <span class={`standing ${leader === null ? 'down' : 'leader'}`} />
            {leader === null ? t.replicas.noLeader : t.replicas.leaderIs(leader.memberId, leader.term)}
            <span class="said">{said}</span>
          </p>
          <Members watching={watching} act={watching.launcher ? act : null} />
          <TimelineView timeline={watching.timeline} ids={ids} windowMs={windowMs} now={Date.now()} />
          <Charts watching={watching} />
        </>
      )}
    </>
  );
}

/** A server that is there and refuses is a matter for people; one that is not there is what the timeline is for. */
function onlyRefusals(error: unknown): null {
  if (error instanceof ApiError && (error.code === 403 || error.code === 401)) throw error;
  return null;
}

function pointsOf({ ids, figures, statuses, leader }: Watching): Record<string, number | null> {
  const points: Record<string, number | null> = {};
  for (const id of ids) {
    const found = figures.get(id);
    const status = statuses.get(id);
    const { requests, commits, p50, p99 } = found?.rates ?? noRates;
    Object.assign(points, {
      [`requests ${id}`]: requests,
      [`commits ${id}`]: commits,
      [`p50 ${id}`]: p50,
      [`p99 ${id}`]: p99,
      [`watches ${id}`]: found?.now.watches ?? null,
      [`loop ${id}`]: found?.now.loopSeconds ?? null,
      [`log ${id}`]: found?.now.logBytes ?? null,
      [`lag ${id}`]: status && leader ? Math.max(0, leader.commitIndex - status.appliedIndex) : null,
    });
  }
  return points;
}

const whole = (value: number | null): string =>
  value === null ? '–' : value < 10 ? value.toFixed(value === 0 ? 0 : 1) : Math.round(value).toLocaleString('en');
/** Both in milliseconds. */
const twoTimes = ({ p50, p99 }: Rates): string => (p50 === null || p99 === null ? '–' : `${tenths(p50)} / ${tenths(p99)} ms`);
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

/** Colours of members, by their order. */
const memberColours = 5;
export const colourOf = (index: number): string => `--member-${(index % memberColours) + 1}`;

function Charts({ watching }: { readonly watching: Watching }): VNode {
  const { ids, series, reading } = watching;
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
        const figures = watching.figures.get(id);
        const progress = leader?.members.find((member) => member.id === id)?.progress ?? null;
        const lag = status && leader ? Math.max(0, leader.commitIndex - status.appliedIndex) : null;
        const facts: readonly (readonly [label: string, value: string, hint?: string])[] = [
          [t.replicas.term, String(status?.term ?? '–')],
          [t.replicas.commit, status?.commitIndex.toLocaleString('en') ?? '–'],
          [t.replicas.applied, status?.appliedIndex.toLocaleString('en') ?? '–'],
          [t.replicas.lag, lag === null ? '–' : String(lag), t.replicas.lagHint],
          [t.replicas.requests, whole(figures?.rates.requests ?? null)],
          [t.replicas.latency, twoTimes(figures?.rates ?? noRates)],
          [t.replicas.watches, String(figures?.now.watches ?? '–')],
          [t.replicas.connections, String(figures?.now.connections ?? '–')],
          [t.replicas.loop, seconds(figures?.now.loopSeconds ?? null), t.replicas.loopHint],
          [t.replicas.log, figures ? bytes(figures.now.logBytes) : '–'],
          [t.replicas.store, figures ? bytes(figures.now.storeBytes) : '–'],
          [
            t.replicas.snapshot,
            progress?.state === 'snapshot' ? t.replicas.sending : status ? t.replicas.snapshots(status.figures.snapshotsInstalled) : '–',
          ],
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
            {act === null ? null : (
              <div class="actions" role="group" aria-label={t.replicas.actionsOf(id)}>
                {actionsFor[standing].map((command) => (
                  <button
                    type="button"
                    class={command === 'kill' ? 'danger' : ''}
                    aria-label={t.replicas.act.label(t.replicas.act[command], id)}
                    onClick={() => void act(command, id)}
                  >
                    {t.replicas.act[command]}
                  </button>
                ))}
              </div>
            )}
          </article>
        );
      })}
    </div>
  );
}
