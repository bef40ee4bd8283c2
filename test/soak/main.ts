/** `npm run soak`: ordinary clients of healthy servers for a given time. Exits with 1 after an unexpected response. */
import { Command, InvalidArgumentError } from 'commander';
import { soak } from './soak.js';

interface Options {
  readonly minutes: number;
  readonly seed: number;
  readonly threads: number;
}

const minutesMax = 7 * 24 * 60;
const seedMax = 2 ** 31 - 1;
const threadsMax = 8;

const examples = `
Examples:
  npm run soak -- --minutes 60               an hour
  npm run soak -- --minutes 5 --threads 3    five minutes, with three serving threads in each server
`;

function number(from: number, to: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= from && value <= to) return value;
    throw new InvalidArgumentError(`It must be a number from ${from} to ${to}.`);
  };
}

const { minutes, seed, threads } = new Command('soak')
  .description(
    'Sends all verbs with bodies of 0 to 400 kB to three API servers and a balancer by plain HTTP/1.1 and HTTP/2, client-node, Python and kubectl, and checks every response and every event.',
  )
  .option('--minutes <n>', 'how long', number(0.1, minutesMax), 1)
  .option('--seed <n>', 'draws the requests of each client', number(0, seedMax), Date.now() % seedMax)
  .option('--threads <n>', 'serving threads of each API server', number(1, threadsMax), 1)
  .allowExcessArguments(false)
  .addHelpText('after', examples)
  .parse()
  .opts<Options>();

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const { findings, requests, events, memory } = await soak({ seconds: minutes * 60, seed, threads, progress: print });
print(
  Object.entries(requests)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ') + ` requests; ${events} events`,
);
for (const line of [...memory, ...findings]) print(line);
const verdict = findings.length === 0 ? 'every response and every event was as it should be' : `${findings.length} findings`;
// A watch's retries do not keep the program alive.
process.stdout.write(`seed ${seed}: ${verdict}\n`, () => process.exit(findings.length === 0 ? 0 : 1));
