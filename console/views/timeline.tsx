import type { VNode } from 'preact';
import { t } from '../english.js';
import type { Timeline } from '../model/timeline.js';
import { clock } from '../parts/words.js';

const rowHeight = 26;
const width = 1_000;
const shownEvents = 60;

/** A lane per member, and events as text. The drawing grows with the observed time, from one minute on. */
export function TimelineView({
  timeline,
  ids,
  windowMs,
  now,
}: {
  readonly timeline: Timeline;
  readonly ids: readonly string[];
  readonly windowMs: number;
  readonly now: number;
}): VNode {
  const begun = Math.min(now, ...[...timeline.spans.values()].map((spans) => spans[0]?.from ?? now));
  const span = Math.min(windowMs, Math.max(30_000, now - begun));
  return (
    <section aria-labelledby="timeline" class="timeline">
      <h2 id="timeline">{t.replicas.timeline}</h2>
      <p class="soft">{t.replicas.timelineAbout}</p>
      <div class="timeline-body">
        <Rows timeline={timeline} ids={ids} span={span} now={now} />
        <EventLog label={t.replicas.events} events={timeline.events} />
      </div>
    </section>
  );
}

interface RowsProps {
  readonly timeline: Timeline;
  readonly ids: readonly string[];
  /** The time that the drawing spans, in milliseconds. */
  readonly span: number;
  readonly now: number;
}

function Rows({ timeline, ids, span, now }: RowsProps): VNode {
  const minutes = span / 60_000;
  const marks = [0, 1 / 3, 2 / 3, 1].map((part) => minutes * part);
  return (
    <div class="lanes">
      <ul class="lane-names" aria-hidden="true">
        {ids.map((id) => (
          <li>{id}</li>
        ))}
      </ul>
      <div>
        <Drawing timeline={timeline} ids={ids} span={span} now={now} />
        <div class="marks" aria-hidden="true">
          {[...marks].reverse().map((minute) => (
            <span>{t.replicas.minutesAgo(minute)}</span>
          ))}
        </div>
        <ul class="legend" aria-hidden="true">
          {(['leader', 'follower', 'candidate', 'silent', 'paused', 'partitioned', 'down'] as const).map((standing) => (
            <li>
              <span class={`standing ${standing}`} />
              {t.replicas.standing[standing]}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function Drawing({ timeline, ids, span, now }: RowsProps): VNode {
  const x = (at: number): number => Math.max(0, width - ((now - at) / span) * width);
  return (
    <svg viewBox={`0 0 ${width} ${ids.length * rowHeight}`} preserveAspectRatio="none" height={ids.length * rowHeight} aria-hidden="true">
      {ids.map((id, row) =>
        (timeline.spans.get(id) ?? []).map(({ standing, from, to }) => {
          const left = x(from);
          return (
            <rect
              class={`span ${standing}`}
              x={left}
              y={row * rowHeight + 4}
              width={Math.max(1, x(to ?? now) - left)}
              height={rowHeight - 8}
            />
          );
        }),
      )}
      {timeline.events
        .filter(({ what, at }) => what === 'elected' && at > now - span)
        .map(({ at, member }) => (
          <line class="election" x1={x(at)} x2={x(at)} y1={ids.indexOf(member) * rowHeight} y2={(ids.indexOf(member) + 1) * rowHeight} />
        ))}
    </svg>
  );
}

const EventLog = ({ label, events }: { readonly label: string; readonly events: Timeline['events'] }): VNode => (
  <div class="events">
    <h3>{label}</h3>
    {events.length === 0 ? <p class="soft">{t.replicas.noEvents}</p> : null}
    <div class="event-log" role="log" aria-label={label} tabIndex={0}>
      <ol>
        {events.slice(0, shownEvents).map(({ at, member, what, term }) => (
          <li key={`${at} ${member} ${what}`} data-event={what} data-member={member}>
            <time>{clock(at)}</time>
            <span class={`dot ${what}`} />
            <span>
              <b>{member}</b> {t.replicas.what[what]}
              {term !== null && (what === 'elected' || what === 'stands') ? <em> · {t.replicas.inTerm(term)}</em> : null}
            </span>
          </li>
        ))}
      </ol>
    </div>
  </div>
);
