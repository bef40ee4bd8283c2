import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ViewProps } from './viewProps.js';
import { optional, type ApiClient } from '../api/client.js';
import { managersOf, servers } from '../api/cluster.js';
import { t } from '../english.js';
import { QueueHistory, type ManagerReading } from '../model/queues.js';
import { age, type ApiObject } from '../model/objects.js';
import { useLook, useRedraw } from '../parts/hooks.js';
import { Heading, Problem, seconds } from '../parts/words.js';
import { componentOf, EventList, timeOf, type EventObject } from './about.js';

const everyMs = 2_000;
const eventsMax = 60;

interface Lease extends ApiObject {
  readonly spec?: { readonly holderIdentity?: string; readonly renewTime?: string; readonly leaseTransitions?: number };
}

interface Seen {
  lease: Lease | null;
  events: readonly EventObject[];
  hasLauncher: boolean | null;
  problem: string;
}

/** Controller managers: the active one, its work, and its last event. */
export function Controllers({ client }: ViewProps): VNode {
  const [seen] = useState<Seen>(() => ({ lease: null, events: [], hasLauncher: null, problem: '' }));
  const [queues] = useState(() => new QueueHistory());
  const [idle, setIdle] = useState(false);
  const redraw = useRedraw();
  useLook(async (signal) => {
    await readManagers(client, { seen, queues }, signal);
    if (!signal.aborted) redraw();
  }, everyMs);

  const now = Date.now();
  return (
    <>
      <Heading text={t.controllers.heading} about={t.controllers.about} />
      {seen.problem === '' ? null : <Problem>{seen.problem}</Problem>}
      <div class="cards">
        <LeaseCard lease={seen.lease} now={now} />
        {queues.managers.map((manager) => (
          <ManagerCard key={manager.name} {...manager} />
        ))}
      </div>
      <section aria-labelledby="queues">
        <h2 id="queues">{t.controllers.queues}</h2>
        {seen.hasLauncher === false ? <p class="soft">{t.controllers.local}</p> : null}
        {queues.queues.length === 0 ? null : <Queues queues={queues.queues} now={now} idle={idle} setIdle={setIdle} />}
      </section>
      {queues.loops.length === 0 ? null : (
        <section aria-labelledby="loops">
          <h2 id="loops">{t.controllers.loops}</h2>
          <ul class="loops">
            {queues.loops.map((name) => (
              <Loop key={name} name={name} last={seen.events.find((event) => componentOf(event) === name)} now={now} />
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="said">
        <h2 id="said">{t.controllers.events}</h2>
        {seen.events.length === 0 ? (
          <p class="soft">{t.controllers.noEvents}</p>
        ) : (
          <EventList events={seen.events.slice(0, eventsMax)} about />
        )}
      </section>
    </>
  );
}

interface Known {
  readonly seen: Seen;
  readonly queues: QueueHistory;
}

async function readManagers(client: ApiClient, { seen, queues }: Known, signal: AbortSignal): Promise<void> {
  try {
    seen.hasLauncher ??= await optional(
      servers(client, signal).then(({ launcher }) => launcher),
      false,
    );
    const [lease, events, managers] = await Promise.all([
      optional<Lease | null>(
        client.json('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager', { signal }),
        null,
      ),
      optional<{ readonly items: readonly EventObject[] }>(client.json('/api/v1/events?limit=500', { signal }), { items: [] }),
      seen.hasLauncher ? optional<readonly ManagerReading[]>(managersOf(client), []) : [],
    ]);
    seen.lease = lease;
    seen.events = [...events.items].sort((a, b) => timeOf(b) - timeOf(a));
    queues.read(managers, Date.now());
    seen.problem = '';
  } catch {
    if (signal.aborted) return;
    seen.problem = t.retrying;
  }
}

function LeaseCard({ lease, now }: { readonly lease: Lease | null; readonly now: number }): VNode {
  const renewed = Date.parse(lease?.spec?.renewTime ?? '');
  return (
    <section class="card" aria-labelledby="lease">
      <h2 id="lease">{t.controllers.lease}</h2>
      {lease === null ? (
        <p class="soft">{t.controllers.noLease}</p>
      ) : (
        <dl>
          <div class="wide">
            <dt>{t.controllers.holder}</dt>
            <dd class="breaks">{lease.spec?.holderIdentity}</dd>
          </div>
          <div>
            <dt>{t.controllers.renewed}</dt>
            <dd>{Number.isNaN(renewed) ? '–' : t.controllers.ago(age(renewed, now))}</dd>
          </div>
          <div>
            <dt>{t.controllers.transitions}</dt>
            <dd>{lease.spec?.leaseTransitions ?? 0}</dd>
          </div>
        </dl>
      )}
    </section>
  );
}

const ManagerCard = ({ name, state, controllers, memoryBytes }: QueueHistory['managers'][number]): VNode => (
  <section class="card" aria-labelledby={`manager-${name}`}>
    <h2 id={`manager-${name}`}>
      {name}{' '}
      <span class={`badge ${state === 'works' ? 'leader' : state === 'standsBy' ? 'follower' : 'down'}`}>{t.controllers[state]}</span>
    </h2>
    <p class="soft">
      {state === 'noAnswer' ? '–' : `${t.controllers.running(controllers)} · ${Math.round(memoryBytes / 1024 / 1024)} MiB`}
    </p>
  </section>
);

type Queue = QueueHistory['queues'][number];

interface QueuesProps {
  readonly queues: readonly Queue[];
  readonly now: number;
  readonly idle: boolean;
  readonly setIdle: (idle: boolean) => void;
}

function Queues({ queues, now, idle, setIdle }: QueuesProps): VNode {
  const shown = queues.filter(({ depth, lastAt }) => idle || depth > 0 || lastAt !== null);
  return (
    <>
      <label class="check">
        <input type="checkbox" checked={idle} onChange={(event) => setIdle(event.currentTarget.checked)} />
        {t.controllers.idle}
      </label>
      {shown.length === 0 ? <p class="soft">{t.controllers.noneBusy}</p> : <QueueTable queues={shown} now={now} />}
    </>
  );
}

const QueueTable = ({ queues, now }: { readonly queues: readonly Queue[]; readonly now: number }): VNode => (
  <div class="scroll" tabIndex={0} role="group" aria-label={t.controllers.queue}>
    <table class="plain">
      <thead>
        <tr>
          {(['queue', 'depth', 'adds', 'retries', 'done', 'mean', 'longest', 'last'] as const).map((column) => (
            <th scope="col">{t.controllers[column]}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {queues.map((queue) => (
          <QueueRow key={queue.name} queue={queue} now={now} />
        ))}
      </tbody>
    </table>
  </div>
);

const QueueRow = ({ queue, now }: { readonly queue: Queue; readonly now: number }): VNode => (
  <tr class={queue.depth > 0 || now - (queue.lastAt ?? 0) < everyMs * 2 ? 'lit' : ''}>
    <th scope="row">{queue.name}</th>
    <td>{depthBar(queue.depth)}</td>
    <td>{queue.adds.toLocaleString('en')}</td>
    <td class={queue.retries > 0 ? 'warn' : ''}>{queue.retries.toLocaleString('en')}</td>
    <td>{queue.done.toLocaleString('en')}</td>
    <td>{seconds(queue.meanSeconds)}</td>
    <td>{queue.longestSeconds > 0 ? seconds(queue.longestSeconds) : '–'}</td>
    <td>{queue.lastAt === null ? <span class="soft">{t.controllers.notYet}</span> : t.controllers.ago(age(queue.lastAt, now))}</td>
  </tr>
);

const Loop = ({ name, last, now }: { readonly name: string; readonly last: EventObject | undefined; readonly now: number }): VNode => (
  <li data-loop={name} class={last === undefined ? 'soft' : ''}>
    <b>{name.replace(/-controller$/, '')}</b>
    {last === undefined ? (
      <span>{t.controllers.saidNothing}</span>
    ) : (
      <span title={last.message}>
        {last.reason} <em>{last.involvedObject?.name}</em>, {t.controllers.ago(age(timeOf(last), now))}
      </span>
    )}
  </li>
);

const depthBar = (depth: number): VNode => (
  <span class="depth">
    <b>{depth}</b>
    <span class="bar-of" style={{ width: `${Math.min(100, Math.log2(depth + 1) * 12)}px` }} />
  </span>
);
