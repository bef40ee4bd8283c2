export interface MemberView {
  readonly id: string;
  /** The launcher's report; null where there is none. */
  readonly program: 'running' | 'paused' | 'partitioned' | 'down' | null;
  /** The member's own report, `serving` if it stores no objects; null without an answer. */
  readonly role: string | null;
  readonly term: number | null;
  readonly snapshotsInstalled: number | null;
}

/** A member's state in one word, which sets its lane's colour. */
export type Standing =
  | 'leader'
  | 'follower'
  | 'candidate'
  | 'learner'
  | 'serving'
  | 'silent'
  | 'paused'
  | 'partitioned'
  | 'down'
  | 'unknown';

export interface TimelineEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly member: string;
  readonly what:
    | 'elected'
    | 'steppedDown'
    | 'killed'
    | 'started'
    | 'paused'
    | 'resumed'
    | 'cutOff'
    | 'healed'
    | 'silent'
    | 'answers'
    | 'snapshot'
    | 'stands';
  readonly term: number | null;
}

/** A time during which a member's state did not change. */
export interface Span {
  readonly standing: Standing;
  readonly from: number;
  /** Null while it lasts. */
  to: number | null;
}

const spansMax = 500;
const eventsMax = 300;

/** The launcher's report of a stopped program overrides the program's last one. */
export function standingOf({ program, role }: MemberView): Standing {
  if (program === 'down' || program === 'paused') return program;
  // A leader without followers briefly continues to report leadership.
  if (program === 'partitioned') return 'partitioned';
  if (role === null) return 'silent';
  if (role === 'leader' || role === 'follower' || role === 'learner' || role === 'serving') return role;
  return role === 'candidate' || role === 'preCandidate' ? 'candidate' : 'unknown';
}

function changesOf(before: MemberView | null, now: MemberView, at: number): readonly TimelineEvent[] {
  const event = (what: TimelineEvent['what']): TimelineEvent => ({ at, member: now.id, what, term: now.term });
  if (before === null) return now.role === 'leader' ? [event('elected')] : [];
  const [was, is] = [standingOf(before), standingOf(now)];
  const events: TimelineEvent[] = [];
  if (before.program !== now.program) events.push(...programChanges(before.program, now.program).map(event));
  else if (is === 'silent' && was !== 'silent') events.push(event('silent'));
  else if (was === 'silent' && is !== 'silent') events.push(event('answers'));
  if (now.role === 'leader' && (before.role !== 'leader' || before.term !== now.term)) events.push(event('elected'));
  else if (before.role === 'leader' && now.role !== null && now.role !== 'leader') events.push(event('steppedDown'));
  if (is === 'candidate' && was !== 'candidate') events.push(event('stands'));
  if (now.snapshotsInstalled !== null && before.snapshotsInstalled !== null && now.snapshotsInstalled > before.snapshotsInstalled)
    events.push(event('snapshot'));
  return events;
}

function programChanges(before: MemberView['program'], now: MemberView['program']): readonly TimelineEvent['what'][] {
  if (now === null || before === null) return [];
  if (now === 'down') return ['killed'];
  if (now === 'paused') return ['paused'];
  if (now === 'partitioned') return ['cutOff'];
  return [({ down: 'started', paused: 'resumed', partitioned: 'healed', running: 'answers' } as const)[before]];
}

/** Members' states since the page was opened, with events, newest first. */
export class Timeline {
  readonly #windowMs: number;
  readonly spans = new Map<string, Span[]>();
  events: readonly TimelineEvent[] = [];
  readonly #last = new Map<string, MemberView>();

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Called periodically with all members. */
  observe(members: readonly MemberView[], at: number): void {
    for (const member of members) {
      const last = this.#last.get(member.id) ?? null;
      // A silent member keeps its last term and counts, to detect changes later.
      const known = member.role === null && last !== null ? { ...member, snapshotsInstalled: last.snapshotsInstalled } : member;
      const changes = changesOf(last, known, at);
      if (changes.length > 0) this.events = [...[...changes].reverse(), ...this.events].slice(0, eventsMax);
      this.#last.set(member.id, known);
      this.#extend(member.id, standingOf(member), at);
    }
  }

  #extend(id: string, standing: Standing, at: number): void {
    const spans = this.spans.get(id) ?? [];
    this.spans.set(id, spans);
    const last = spans.at(-1);
    if (last?.standing === standing) return;
    if (last) last.to = at;
    spans.push({ standing, from: at, to: null });
    while (spans.length > spansMax || (spans[0]?.to ?? at) < at - this.#windowMs) spans.shift();
  }
}
