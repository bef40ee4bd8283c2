/**
 * `npm run fuzz`: sends valid and invalid requests, frames and bodies to a real server and checks that it still serves others. Exits with 1 after a finding.
 */
import { Command, InvalidArgumentError } from 'commander';
import { campaignNames, type CampaignName } from './campaign.js';
import { fuzz, type FuzzReport } from './fuzz.js';

interface Options {
  readonly seed: number;
  readonly seconds: number;
  readonly only: readonly CampaignName[];
  readonly from: number;
  readonly steps?: number;
}

const seedMax = 2 ** 31 - 1;
const secondsMax = 7 * 24 * 3_600;
/** The limit for `/livez` during the run. */
const probeP99MsMax = 250;

const examples = `
Examples:
  npm run fuzz                                            five minutes of everything, with a seed that is printed
  npm run fuzz -- --seed 7 --only bodies --seconds 60     one minute of objects in five encodings
  npm run fuzz -- --seed 7 --only http2 --from 812 --steps 1   one connection, exactly as it was

What each step does is drawn from the seed and its number alone; what it meets in the server depends on those before.
`;

function number(from: number, to: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isInteger(value) || value < from || value > to)
      throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`);
    return value;
  };
}

function campaigns(text: string): readonly CampaignName[] {
  const wanted = text.split(',');
  const unknown = wanted.filter((name) => !campaignNames.some((known) => known === name));
  if (unknown.length > 0) throw new InvalidArgumentError(`There is no ${unknown.join(', ')}, only ${campaignNames.join(', ')}.`);
  return campaignNames.filter((name) => wanted.includes(name));
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

function tell({ findings, steps, outcomes, costliest, probes, memoryGrowth }: FuzzReport, { seed }: Options): void {
  for (const [name, counts] of Object.entries(outcomes))
    print(
      `${name}: ${steps[name as CampaignName] ?? 0} steps; ${Object.entries(counts)
        .sort(([, a], [, b]) => b - a)
        .map(([outcome, count]) => `${outcome} x${count}`)
        .join(', ')}`,
    );
  for (const [name, { step, cpuSeconds, did }] of Object.entries(costliest))
    print(`${name}, the costliest step: ${step}, ${cpuSeconds.toFixed(2)} s of a processor: ${did}`);
  const late = probes.p99Ms > probeP99MsMax ? `, more than ${probeP99MsMax} ms` : '';
  print(
    `/livez: p50 ${probes.p50Ms.toFixed(1)} ms, p99 ${probes.p99Ms.toFixed(1)} ms${late}, max ${probes.maxMs.toFixed(1)} ms; memory x${memoryGrowth.toFixed(2)}`,
  );
  for (const finding of findings) print(`\nFOUND ${finding}`);
  print(findings.length === 0 ? `seed ${seed}: nothing was found` : `\nseed ${seed}: ${findings.length} findings`);
}

const options = new Command('fuzz')
  .description('Fuzzes an API server of its own: HTTP/1.1, frames of HTTP/2, bodies in five encodings, and the port between replicas.')
  .option('--seed <n>', 'draws everything', number(0, seedMax), Date.now() % seedMax)
  .option('--seconds <n>', 'how long', number(1, secondsMax), 300)
  .option('--only <names>', `some of ${campaignNames.join(', ')}`, campaigns, campaignNames)
  .option('--from <n>', 'the first step', number(0, seedMax), 0)
  .option('--steps <n>', 'how many steps of each; all that there is time for unless told', number(1, seedMax))
  .allowExcessArguments(false)
  .addHelpText('after', examples)
  .parse()
  .opts<Options>();
print(`seed ${options.seed}, ${options.seconds} s of ${options.only.join(', ')}`);
const report = await fuzz({ ...options, seeds: [options.seed], progress: print });
tell(report, options);
// Abandoned clients do not keep the program alive.
process.stdout.write('', () => process.exit(report.findings.length > 0 ? 1 : 0));
