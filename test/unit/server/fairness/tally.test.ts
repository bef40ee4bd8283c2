import { expect } from 'chai';
import { Registry } from 'prom-client';
import { Fairness, type SeatRequest } from '../../../../server/fairness/fairness.js';
import { firstGuess } from '../../../../server/fairness/level.js';
import { levelOf, schemaOf } from '../../../../server/fairness/objects.js';
import { Tally } from '../../../../server/fairness/tally.js';
import type { ApiObject } from '../../../../api/object.js';
import { requestInfo } from '../../../../api/requestInfo.js';
import { shownSeries } from '../../../fixtures/shownSeries.js';

const level = {
  metadata: { name: 'one', uid: 'l' },
  spec: {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: 1,
      limitResponse: { type: 'Queue', queuing: { queues: 2, handSize: 1, queueLengthLimit: 5 } },
    },
  },
} as unknown as ApiObject;
const schema = {
  metadata: { name: 'all', uid: 's' },
  spec: {
    matchingPrecedence: 5,
    priorityLevelConfiguration: { name: 'one' },
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: '*' } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
      },
    ],
  },
} as unknown as ApiObject;

/** Requests that arrive, run and end at set times. */
class Scene {
  clock = 100;
  readonly registry = new Registry();
  readonly fairness: Fairness;
  readonly #seats: { release(): void }[] = [];

  constructor() {
    const tally = new Tally();
    tally.expose(this.registry, () => this.fairness);
    this.fairness = new Fairness({
      seats: 2,
      waitMaxMs: 60_000,
      estimate: () => ({ objects: 0, bytes: null, watchers: 7 }),
      now: () => this.clock,
      tally,
    });
    this.fairness.configure([schemaOf(schema)], [levelOf(level)]);
  }

  /** Settles when the request begins. */
  arrive(method: string, path: string): Promise<void> | void {
    const query = new URLSearchParams();
    const read = requestInfo(method, path, query);
    if (!read.ok) throw new Error(read.message);
    const guest: SeatRequest = {
      info: read.info,
      user: { name: 'u', uid: '', groups: [], extra: {} },
      query,
      response: { setHeader: () => undefined },
      closed: false,
      onClose: () => undefined,
      foundNoRoom: () => {},
      holdSeat: (seat) => {
        this.#seats.push(seat);
      },
    };
    const turn = this.fairness.admit(guest);
    // Those who still wait when a test ends are turned away later.
    turn?.catch(() => undefined);
    return turn;
  }

  /** Ends the oldest request. */
  leave(): void {
    this.#seats.shift()?.release();
  }

  shown(name: string): Promise<Readonly<Record<string, number>>> {
    return shownSeries(this.registry, `apiserver_${name}`);
  }

  /** Seconds for which a ratio was up to a bound. */
  async secondsUpTo(name: string, bound: string, labels: string): Promise<number> {
    const text = await this.registry.getSingleMetricAsString(`apiserver_flowcontrol_${name}`);
    const line = text
      .split('\n')
      .find((each) => each.includes(`le="${bound}"`) && labels.split(',').every((label) => each.includes(label)));
    return Math.round(Number(line?.split(' ').at(-1)) / 1e9);
  }
}

describe('what is reported of fairness', () => {
  const pods = '/api/v1/namespaces/n/pods';
  const named = 'flow_schema="all",priority_level="one"';

  it('the length of queues, and who watches what is written', async () => {
    const scene = new Scene();
    void scene.arrive('GET', `${pods}/a`);
    void scene.arrive('POST', pods);
    void scene.arrive('POST', pods);
    void scene.arrive('GET', `${pods}/a`);
    expect(await scene.shown('flowcontrol_request_queue_length_after_enqueue')).to.deep.equal({ [named]: 4 });
    expect(await scene.shown('flowcontrol_watch_count_samples')).to.deep.equal({ [named]: 2 });
    const text = await scene.registry.metrics();
    expect(text).to.include(`apiserver_flowcontrol_request_queue_length_after_enqueue_sum{${named}} 5`);
    expect(text).to.include(`apiserver_flowcontrol_watch_count_samples_sum{${named}} 14`);
    expect(await scene.shown('current_inqueue_requests')).to.deep.equal({ 'request_kind="readOnly"': 1, 'request_kind="mutating"': 1 });
    scene.fairness.stop();
  });

  it('how much is used, by how long it was', async () => {
    const scene = new Scene();
    scene.clock += 10;
    void scene.arrive('GET', `${pods}/a`);
    scene.clock += 20;
    void scene.arrive('GET', `${pods}/a`);
    void scene.arrive('POST', pods);
    scene.clock += 30;
    const seconds = async (name: string, labels: string, bounds: readonly string[]): Promise<readonly number[]> =>
      Promise.all(bounds.map((bound) => scene.secondsUpTo(name, bound, labels)));
    // Idle, half of the seats, all of them, and one more request.
    expect(
      await seconds('priority_level_seat_utilization', 'phase="executing",priority_level="one"', ['0', '0.5', '0.99', '1']),
    ).to.deep.equal([10, 30, 30, 60]);
    expect(await seconds('demand_seats', 'priority_level="one"', ['0.2', '0.6', '1.4', '1.7'])).to.deep.equal([10, 30, 30, 60]);
    expect(await seconds('priority_level_request_utilization', 'phase="waiting"', ['0', '0.03', '0.1'])).to.deep.equal([30, 30, 60]);
    expect(await seconds('read_vs_write_current_requests', 'phase="executing",request_kind="readOnly"', ['0', '0.5', '1'])).to.deep.equal([
      10, 30, 60,
    ]);
    expect(await seconds('read_vs_write_current_requests', 'phase="waiting",request_kind="mutating"', ['0', '0.5'])).to.deep.equal([
      30, 60,
    ]);
    scene.fairness.stop();
  });

  it('when requests begin in the world where all queues are served at once', async () => {
    const scene = new Scene();
    const own = 'priority_level="one"';
    expect(await scene.shown('flowcontrol_next_s_bounds')).to.deep.equal({});
    void scene.arrive('GET', `${pods}/a`);
    void scene.arrive('GET', `${pods}/a`);
    const third = scene.arrive('GET', `${pods}/a`);
    // One queue is busy, with two requests of an estimated time at one seat each.
    const bounds = (value: number): object => ({ [`bound="min",${own}`]: value, [`bound="max",${own}`]: value });
    expect(await scene.shown('flowcontrol_next_s_bounds')).to.deep.equal(bounds(2 * firstGuess));
    expect(await scene.shown('flowcontrol_next_discounted_s_bounds')).to.deep.equal(bounds(0));
    scene.clock += 1;
    scene.leave();
    await third;
    expect(await scene.shown('flowcontrol_dispatch_r')).to.deep.equal({ [own]: 2 });
    expect((await scene.shown('flowcontrol_latest_s'))[own]).to.be.closeTo(1 + firstGuess, 1e-9);
    scene.fairness.stop();
  });
});
