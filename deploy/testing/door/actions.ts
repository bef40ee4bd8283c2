import type { ArmedFailure, Failure } from '../failures.js';
import type { TestMember } from '../member.js';
import type { TestCluster } from '../testCluster.js';

/** The actions that other processes can take on a cluster: one table for HTTP server, command line and help. */

type ParameterType = 'member' | 'number' | 'text';

export interface Parameter {
  readonly type: ParameterType;
  readonly about: string;
  readonly optional?: true;
  readonly oneOf?: readonly string[];
}

export type Values = Readonly<Record<string, string | number | undefined>>;

/** An invalid request; the message says what to change. */
export class WrongRequest extends Error {}

/** A cluster and the failures requested from outside, by number. */
export class Patient {
  readonly #failures = new Map<number, ArmedFailure>();
  #last = 0;

  constructor(readonly cluster: TestCluster) {}

  /** `leader` means the current leader. */
  async member(id: string): Promise<TestMember> {
    const member = id === 'leader' ? await this.cluster.leader() : this.cluster.members.find((each) => each.id === id);
    if (member === undefined)
      throw new WrongRequest(`there is no member ${id}: take leader, ${this.cluster.members.map((each) => each.id).join(', ')}`);
    return member;
  }

  async fail(match: string, failure: Failure): Promise<number> {
    const armed = await this.cluster.fail(match, failure);
    this.#last += 1;
    this.#failures.set(this.#last, armed);
    return this.#last;
  }

  failure(number: number): ArmedFailure {
    const failure = this.#failures.get(number);
    if (failure === undefined) throw new WrongRequest(`there is no failure ${number}: "fail" answers with the number of a new one`);
    return failure;
  }

  forget(): void {
    this.#failures.clear();
  }
}

export interface Action {
  readonly about: string;
  readonly takes: Readonly<Record<string, Parameter>>;
  run(patient: Patient, values: Values): Promise<object>;
}

const member: Parameter = { type: 'member', about: 'r1, r2 ..., or leader' };
const failureNumber: Parameter = { type: 'number', about: 'what "fail" answered' };

const onMember =
  (act: (member: TestMember, values: Values) => Promise<void> | void): Action['run'] =>
  async (patient, values) => {
    const chosen = await patient.member(String(values['member']));
    await act(chosen, values);
    return { member: chosen.id };
  };

const onCluster =
  (act: (cluster: TestCluster, values: Values) => Promise<void>): Action['run'] =>
  async ({ cluster }, values) => {
    await act(cluster, values);
    return {};
  };

export const actions: Readonly<Record<string, Action>> = {
  leader: {
    about: 'Says who leads; waits for an election.',
    takes: {},
    run: async ({ cluster }) => ({ leader: (await cluster.leader()).id }),
  },
  members: {
    about: 'Says who is there, and who runs.',
    takes: {},
    run: async ({ cluster }) => ({ members: cluster.members.map(({ id, url, running }) => ({ id, url, running })) }),
  },
  kill: { about: 'Ends a member at once, as SIGKILL does.', takes: { member }, run: onMember((chosen) => chosen.kill()) },
  restart: {
    about: 'Starts a member again, after ending it where it still runs; answers when it is ready.',
    takes: { member },
    run: onMember((chosen) => chosen.restart()),
  },
  pause: {
    about: 'Lets a member stand still: its connections stay open, and nobody answers.',
    takes: { member },
    run: onMember((chosen) => {
      chosen.pause();
    }),
  },
  resume: {
    about: 'Lets a paused member go on.',
    takes: { member },
    run: onMember((chosen) => {
      chosen.resume();
    }),
  },
  'slow-disk': {
    about: 'Each write to the log of a member takes this much longer, until it is set to 0.',
    takes: { member, ms: { type: 'number', about: 'milliseconds' } },
    run: onMember((chosen, { ms }) => chosen.slowDisk(Number(ms))),
  },
  isolate: {
    about: 'Cuts a member off from all others; clients still reach it.',
    takes: { member },
    run: async (patient, values) => {
      const chosen = await patient.member(String(values['member']));
      await patient.cluster.isolate(chosen);
      return { member: chosen.id };
    },
  },
  partition: {
    about: 'Cuts two members off from each other.',
    takes: { a: member, b: member },
    run: async (patient, { a, b }) => {
      await patient.cluster.partition(await patient.member(String(a)), await patient.member(String(b)));
      return {};
    },
  },
  heal: { about: 'Ends all partitions.', takes: {}, run: onCluster((cluster) => cluster.heal()) },
  'transfer-leadership': {
    about: 'Lets another member lead, and says which.',
    takes: {},
    run: async ({ cluster }) => ({ leader: (await cluster.transferLeadership()).id }),
  },
  fail: {
    about: 'Lets the next requests that match fail, and answers with the number of this failure.',
    takes: {
      match: { type: 'text', about: '"PUT /apis/apps/**": a method or *, and a path in which * is one part and ** any' },
      status: { type: 'number', about: 'answer with this code', optional: true },
      reason: { type: 'text', about: 'of the Status; the usual one of the code unless given', optional: true },
      message: { type: 'text', about: 'of the Status', optional: true },
      retryAfterSeconds: { type: 'number', about: 'ask for this much patience', optional: true },
      latencyMs: { type: 'number', about: 'wait before anything else', optional: true },
      reset: {
        type: 'text',
        about: 'break the connection before the request is looked at, or after it was carried out',
        optional: true,
        oneOf: ['before', 'after'],
      },
      times: { type: 'number', about: 'how many requests; one unless given', optional: true },
    },
    run: async (patient, { match, ...failure }) => ({ failure: await patient.fail(String(match), failure as Failure) }),
  },
  hits: {
    about: 'Says how many requests a failure has hit.',
    takes: { failure: failureNumber },
    run: async (patient, { failure }) => ({ hits: patient.failure(Number(failure)).hits }),
  },
  remove: {
    about: 'Ends a failure before it has hit as often as it was to.',
    takes: { failure: failureNumber },
    run: async (patient, { failure }) => {
      await patient.failure(Number(failure)).remove();
      return {};
    },
  },
  'drop-watches': {
    about: 'Breaks watches under way, all or those that match.',
    takes: { match: { type: 'text', about: 'as for "fail"', optional: true } },
    run: onCluster((cluster, { match }) => cluster.dropWatches(match === undefined ? undefined : String(match))),
  },
  'expire-history': {
    about: 'Drops all history and all watches: a watch that resumes gets 410.',
    takes: {},
    run: onCluster((cluster) => cluster.expireHistory()),
  },
  'advance-clock': {
    about: 'Sets the clocks of servers, controllers and nodes forward.',
    takes: { ms: { type: 'number', about: 'milliseconds' } },
    run: async ({ cluster }, { ms }) => {
      await cluster.clock.advance(Number(ms));
      return { aheadMs: cluster.clock.aheadMs };
    },
  },
  reset: {
    about: 'Deletes everything that came since the start, and ends all faults.',
    takes: {},
    run: async (patient) => {
      await patient.cluster.reset();
      patient.forget();
      return {};
    },
  },
};

/** Checks the sent values against the action's parameters. Numbers may come as text, as from a command line. Throws `WrongRequest`. */
export function valuesFor({ takes }: Pick<Action, 'takes'>, given: Readonly<Record<string, unknown>>): Values {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(takes, name));
  if (unknown !== undefined) throw new WrongRequest(`it takes no ${unknown}; it takes ${Object.keys(takes).join(', ') || 'nothing'}`);
  const pairs = Object.entries(takes).flatMap(([name, parameter]) => {
    if (given[name] !== undefined) return [[name, valueOf(name, parameter, given[name])] as const];
    if (parameter.optional) return [];
    throw new WrongRequest(`${name} is missing: ${parameter.about}`);
  });
  return Object.fromEntries(pairs);
}

function valueOf(name: string, { type, oneOf }: Parameter, given: unknown): string | number {
  if (type === 'number') {
    const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw new WrongRequest(`${name} is a number from 0 on`);
    return value;
  }
  if (typeof given !== 'string' || (oneOf !== undefined && !oneOf.includes(given)))
    throw new WrongRequest(`${name} is ${oneOf === undefined ? 'text' : `one of ${oneOf.join(', ')}`}`);
  return given;
}
