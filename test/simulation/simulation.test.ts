import { expect } from 'chai';
import { brokenModes } from './broken.js';
import type { BrokenName } from './broken.js';
import { addCounts, countNames, formatCounts, noCounts } from './counts.js';
import { defaultSteps, SimulationFailure, replayCommand, simulate } from './simulation.js';
import type { SimulationOptions } from './simulation.js';

const seeds = 2_000;
const seedsPerTest = 250;

const schedule = (seed: number, broken: BrokenName = 'none'): SimulationOptions => ({ seed, steps: defaultSteps, servers: null, broken });

const found = new Map<BrokenName, SimulationFailure | null>();

/** The first failure among the default seeds, or null; cached. */
function firstFailure(broken: BrokenName): SimulationFailure | null {
  const known = found.get(broken);
  if (known !== undefined) return known;
  const failure = search(broken);
  found.set(broken, failure);
  return failure;
}

function search(broken: BrokenName): SimulationFailure | null {
  for (let seed = 1; seed <= seeds; seed++) {
    try {
      simulate(schedule(seed, broken));
    } catch (error) {
      if (error instanceof SimulationFailure) return error;
      throw error;
    }
  }
  return null;
}

describe('simulation of the Raft core', () => {
  const total = noCounts();

  for (let first = 1; first <= seeds; first += seedsPerTest) {
    const last = first + seedsPerTest - 1;
    it(`keeps every rule and comes to life again in the schedules of seeds ${first} to ${last}`, () => {
      for (let seed = first; seed <= last; seed++) addCounts(total, simulate(schedule(seed)));
    });
  }

  it('has tried everything that can happen', () => {
    process.stdout.write(`${seeds} schedules:\n${formatCounts(total)}\n`);
    for (const name of countNames) expect(total[name], name).to.be.greaterThan(0);
    expect(total.elections, 'elections').to.be.greaterThan(seeds);
    expect(total.writesAcknowledged, 'writes').to.be.greaterThan(10 * seeds);
    expect(total.readsServed, 'reads').to.be.greaterThan(seeds);
  });

  it('gives the same outcome for the same seed', () => {
    expect(simulate(schedule(42))).to.deep.equal(simulate(schedule(42)));
    expect(simulate(schedule(42))).not.to.deep.equal(simulate(schedule(43)));
  });
});

describe('simulation with a broken rule', () => {
  const rules = (Object.keys(brokenModes) as BrokenName[]).filter((name) => name !== 'none');

  for (const broken of rules) {
    it(`notices ${broken} within the seeds of the default run, and says how to replay it`, () => {
      const failure = firstFailure(broken);
      if (failure === null) throw new Error(`${broken} went unnoticed in ${seeds} schedules`);
      expect(failure.message)
        .to.contain(`seed ${failure.options.seed}, step ${failure.step}: `)
        .and.to.contain(replayCommand(failure.options));
      expect(() => simulate(failure.options)).to.throw(SimulationFailure, failure.message);
    });
  }

  it("notices a commit by counting older replicas through Raft's own rules, not through an assertion of the core", () => {
    expect(firstFailure('commitOlderTerm')?.message).to.match(/leader completeness|state-machine safety/);
  });

  it('notices forgotten votes as two leaders of one term', () => {
    expect(firstFailure('voteNotPersisted')?.message).to.contain('one leader per term');
  });

  it('notices trusting reads as reads that go back', () => {
    expect(firstFailure('readWithoutQuorum')?.message).to.contain('linearizable reads');
  });
});
