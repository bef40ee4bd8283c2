import { expect } from 'chai';
import { processorMs, SuspensionDetector } from '../../../../raft/replica/suspensionDetector.js';

describe('raft/replica/suspensionDetector', () => {
  const electionMs = 500;
  /** Checks a thread at each `at`; `processor` is its time with or waiting for a processor so far. */
  const answers = (
    steps: readonly {
      readonly at: number;
      readonly processor: number | null;
      readonly disk?: number;
      /** The process was continued during a disk wait. */
      readonly continued?: boolean;
      readonly rests?: number;
    }[],
  ): boolean[] => {
    let processor: number | null = 0;
    let continued = false;
    const continuations = { begin: () => undefined, sawOne: () => continued };
    const detector = new SuspensionDetector(electionMs, 0, { processorMs: () => processor, continuations });
    return steps.map((step) => {
      processor = step.processor;
      continued = step.continued ?? false;
      detector.waits();
      detector.waited(step.disk ?? 0);
      const stopped = detector.stopped(step.at);
      detector.rests(step.at + (step.rests ?? 0));
      return stopped;
    });
  };

  it('knows a stop by a gap in which the thread neither ran nor waited', () => {
    expect(
      answers([
        { at: 25, processor: 1 },
        { at: 1_025, processor: 2 },
        { at: 1_050, processor: 3 },
      ]),
    ).to.deep.equal([false, true, false]);
  });

  it('takes a gap of running, or of waiting for a processor, for lateness', () => {
    expect(
      answers([
        { at: 25, processor: 1 },
        { at: 1_025, processor: 900 },
      ]),
    ).to.deep.equal([false, false]);
    expect(
      answers([
        { at: 3_000, processor: 2_400 },
        { at: 6_000, processor: 4_900 },
      ]),
    ).to.deep.equal([true, true]);
  });

  it('does not count what the disk took', () => {
    expect(
      answers([
        { at: 1_000, processor: 1, disk: 980 },
        { at: 2_600, processor: 2, disk: 980 },
      ]),
    ).to.deep.equal([false, true]);
  });

  it('counts what the disk took where the process says that it was stopped meanwhile, and nothing shorter than an election', () => {
    expect(
      answers([
        { at: 1_000, processor: 1, disk: 980, continued: true },
        { at: 1_390, processor: 2, disk: 380, continued: true },
        { at: 2_390, processor: 3, disk: 980 },
      ]),
    ).to.deep.equal([true, false, false]);
  });

  it('counts a stop from when others may have an election on, and idle time between two words not at all', () => {
    const every = (ms: number): boolean[] => answers(Array.from({ length: 100 }, (_, step) => ({ at: step * ms, processor: step / 100 })));
    expect(every(399)).to.not.include(true);
    expect(every(401).slice(1)).to.not.include(false);
  });

  it('does not count what the thread slept on purpose beyond a usual pause, since its followers were notified of it', () => {
    const rested = (gap: number): boolean =>
      answers([
        { at: 10, processor: 1, rests: 350 },
        { at: 10 + gap, processor: 2 },
      ])[1] ?? false;
    expect([351, 399, 450, 649].map(rested)).to.deep.equal([false, false, false, false]);
    expect([651, 900, 5_000].map(rested)).to.deep.equal([true, true, true]);
    // An intermediate message ends the rest.
    expect(
      answers([
        { at: 10, processor: 1, rests: 350 },
        { at: 20, processor: 2, rests: 25 },
        { at: 430, processor: 3 },
      ]),
    ).to.deep.equal([false, false, true]);
  });

  it('knows a stop that is hardly longer than an election timeout, of a thread that ran and waited before and after', () => {
    expect(
      answers([
        { at: 251, processor: 200 },
        { at: 756, processor: 440 },
      ]),
    ).to.deep.equal([false, true]);
  });

  it('never says so where nobody tells the processor time', () => {
    expect(
      answers([
        { at: 10_000, processor: null },
        { at: 20_000, processor: null },
      ]),
    ).to.deep.equal([false, false]);
  });

  it('reads the time of the calling thread, which grows as it runs', function () {
    const before = processorMs();
    if (before === null) this.skip();
    for (let now: number | null = before; now !== null && now <= before + 1; now = processorMs());
    expect(processorMs()).to.be.greaterThan(before + 1);
  });
});
