import type { Load, Measure } from './measures.js';
import type { Turn } from './report.js';
import { processorSecondsOf, type Subject } from './subject.js';

/** Measures rates and the cost for servers and load generator (this process), after connections have opened. */
export async function oneTurn(subject: Subject, measure: Measure, load: Load, turn: number): Promise<Turn> {
  const now = (): { server: number; generator: NodeJS.CpuUsage; at: number } => ({
    server: processorSecondsOf(subject),
    generator: process.cpuUsage(),
    at: performance.now(),
  });
  let before = now();
  const opened = (): void => {
    before = now();
  };
  const rates = await measure.run(subject, { ...load, opened }, turn);
  const elapsedSeconds = (performance.now() - before.at) / 1000;
  const generator = process.cpuUsage(before.generator);
  // Processor time relates to the rate, because the beginning of a turn does not count.
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
