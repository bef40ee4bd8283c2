import { expect } from 'chai';
import { controllerCatalogue } from '../../../controllers/catalogue.js';
import { entryOf } from '../../fixtures/accountRights.js';
import { controllerWorld, type ControllerWorld } from '../../fixtures/controllerHarness.js';
import { DyingApi, type Death } from '../../fixtures/dyingApi.js';
import { MemoryCloud } from '../../fixtures/memoryCloud.js';
import { stateOf, thingsMade } from './outcome.js';
import { works, type Work } from './works.js';

/** A dead manager does not release its lease, so the next one waits for its end. */
const leaseMs = 15_000;
const minuteMs = 60_000;

/** Controllers without a test here, with reasons. */
const others: Readonly<Record<string, string>> = {
  'serviceaccount-token-controller': 'tokens are random; cluster/managers',
  'garbage-collector-controller': 'reads the graph from discovery; cluster/managers',
  'replicationcontroller-controller': 'is that of replica sets',
  'pod-garbage-collector-controller': 'deletes by one request each, without a state of its own',
  'resourcequota-controller': 'counts anew each time',
  'legacy-serviceaccount-token-cleaner-controller': 'labels and deletes by dates alone',
  'clusterrole-aggregation-controller': 'writes one object, made of others',
  'disruption-controller': 'counts anew each time',
  'endpointslice-mirroring-controller': 'is that of slices, with another source',
  'certificatesigningrequest-signing-controller': 'signs in threads of the platform; cluster/managerLoops',
  'persistentvolume-expander-controller': 'tells, and writes nothing',
  'selinux-warning-controller': 'tells, and writes nothing',
  'validatingadmissionpolicy-status-controller': 'applies a status that follows from the policy alone',
  'cloud-node-controller': 'initialises a node by one update, of facts that the cloud gives again',
};

interface Outcome {
  readonly state: readonly string[];
  readonly made: readonly string[];
  readonly writes: number;
  readonly died: boolean;
}

/** Runs a manager until it dies or is done, then a second one for the rest. */
async function done(
  { controller, flags = [], rootCa = null, cloud, seed, meanwhile = [], end, waitMs = minuteMs }: Work,
  death: Death,
): Promise<Outcome> {
  const { make } = entryOf(controller);
  const machines = cloud?.(new MemoryCloud()) ?? null;
  const options = { flags, rootCa, cloud: machines };
  const first = controllerWorld(options);
  const requests = new DyingApi(death);
  await seed(first.api);
  await first.start(make, requests.through);
  let next: ControllerWorld | null = null;
  const takeOver = async (): Promise<void> => {
    if (!requests.dead || next !== null) return;
    void first.stop();
    await first.advance(leaseMs);
    next = controllerWorld({ ...options, beside: first });
    await next.start(make);
    await next.advance(minuteMs);
  };
  for (const step of [...meanwhile, async () => first.advance(waitMs)]) {
    await takeOver();
    await step(first.api, first.clock);
    await first.settled();
  }
  await takeOver();
  // The surviving manager has time to finish.
  const { writes, dead: died } = requests;
  await first.advance(leaseMs + minuteMs + waitMs);
  const last = (next as ControllerWorld | null) ?? first;
  await last.stop();
  expect(
    last.errors.filter((error) => error.includes(' may not ')),
    'rights',
  ).to.deep.equal([]);
  const { api } = first;
  const state = [...(end?.(api) ?? stateOf(api.everything())), ...(machines?.reported() ?? [])];
  return { state, made: thingsMade(api.writes), writes, died };
}

describe('work of a manager that is killed', () => {
  for (const work of works)
    it(`${work.controller} ${work.what}: whichever write it dies at, the next one ends it, and nothing is made twice`, async function () {
      const undisturbed = await done(work, { atWrite: Infinity, carriedOut: false });
      expect(undisturbed.writes, 'there is something to do').to.be.greaterThan(0);
      for (const carriedOut of [false, true])
        for (let atWrite = 1; atWrite <= undisturbed.writes; atWrite += 1) {
          const { state, made, died } = await done(work, { atWrite, carriedOut });
          const when = `${carriedOut ? 'after' : 'before'} write ${atWrite} of ${undisturbed.writes}`;
          expect(died, when).to.equal(true);
          expect(state, `state, died ${when}`).to.deep.equal(undisturbed.state);
          expect(made, `made, died ${when}`).to.deep.equal(undisturbed.made);
        }
    });

  it('is shown for every controller but those named here', () => {
    const shown = works.map(({ controller }) => controller);
    expect(controllerCatalogue.map(({ name }) => name).filter((name) => !shown.includes(name))).to.deep.equal(Object.keys(others));
    expect(new Set(shown).size).to.equal(shown.length);
  });
});
