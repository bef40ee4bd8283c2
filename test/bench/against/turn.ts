import type { Load, Measure } from './measures.js';
import type { Turn } from './report.js';
import { processorSecondsOf, type Subject } from './subject.js';

/** Measures once, and what it cost the servers and the load generator, which is this process. */
export async function oneTurn(subject: Subject, measure: Measure, load: Load, turn: number): Promise<Turn> {
  const before = { server: processorSecondsOf(subject), generator: process.cpuUsage(), at: performance.now() };
  const rates = await measure.run(subject, load, turn);
  const elapsedSeconds = (performance.now() - before.at) / 1000;
  const generator = process.cpuUsage(before.generator);
  // Turns have a beginning that is not counted, so processor time is set beside the rate and not beside a number of requests.
  const each = (processorSeconds: number): number => ((processorSeconds / elapsedSeconds) * 1e6) / rates.perSecond;
  const { perSecond, p50Ms, p99Ms } = rates;
  return {
    perSecond,
    p50Ms,
    p99Ms,
    serverUs: each(processorSecondsOf(subject) - before.server),
    generatorUs: each((generator.user + generator.system) / 1e6),
  };
}
