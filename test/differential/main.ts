import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { errorText } from '../../api/errorText.js';
import { startCluster } from '../../deploy/cluster.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { Connection } from '../golden/connection.js';
import { areas } from './areas/index.js';
import type { Area } from './area.js';
import { campaign, sequenceOf, type Result } from './campaign.js';
import { findingLines, readSequence, Report, summary } from './report.js';
import { knownAs, readKnown } from './known.js';
import { Pair } from './pair.js';
import { addRecordings, recorded } from './recordings.js';

/** `npm run differential`: sends the same requests to another API server and ours, and reports differences. */
const usage = `usage: npm run differential -- --against URL (--token T | --cert F --key F) [OPTION...] [FILE...]

  Starts a server of ours, sends both the same generated requests, and compares status, headers, bodies and events. Each rule by which they differ is
  shown once, by the smallest sequence that was found. Ends with 1 if there is one that is not in test/differential/known.json.

  --against URL       a kube-apiserver 1.36 that may be written to
  --token T, --cert F, --key F
                      an administrator there
  --ca F              who vouches for it; without it, nobody need
  --area NAME         one area (all of them): ${areas.map(({ name }) => name).join(', ')}
  --seed N            which cases there are (1)
  --cases N           cases of each area (200, or as many as the time allows)
  --minutes M         begin no more cases after that time, and make differences no smaller after as long again
  --case SEED:INDEX   one case, with what was said to each step
  --out FOLDER        where differences are written (differential-report)
  --flag F            a flag for our server, as the other one has it; may be repeated
  --update            keep the cases in which both agree, at most 25 an area, as recordings for the test suite
  FILE...             files of a report, whose sequences are sent again; with --update, those that agree now are kept

examples:
  npm run differential -- --against https://127.0.0.1:6443 --token admintoken --area kinds --minutes 10
  npm run differential -- --against https://127.0.0.1:6443 --cert admin.crt --key admin.key --seed 7 --cases 1000
  npm run differential -- --against https://127.0.0.1:6443 --token admintoken differential-report/kinds/status/001.json

${areas.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join('\n')}`;

const options = {
  against: { type: 'string' },
  token: { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
  ca: { type: 'string' },
  area: { type: 'string' },
  seed: { type: 'string', default: '1' },
  cases: { type: 'string' },
  minutes: { type: 'string' },
  case: { type: 'string' },
  out: { type: 'string', default: 'differential-report' },
  flag: { type: 'string', multiple: true },
  update: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h' },
} as const;
type Values = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>['values'];

const minuteMs = 60_000;
const casesDefault = 200;

async function main(): Promise<number> {
  const { values, positionals } = readArguments();
  if (values.help) return say(usage, 0);
  const chosen = areas.filter(({ name, needsControllers }) =>
    values.area === undefined ? needsControllers !== true : name === values.area,
  );
  if (values.against === undefined) throw new UsageError('--against is missing');
  if (chosen.length === 0) throw new UsageError(`no area ${values.area ?? ''}`);
  if (values.case !== undefined && values.area === undefined) throw new UsageError('--case needs --area');
  const managers = chosen.some(({ needsControllers }) => needsControllers === true) ? 1 : 0;
  return between(values, managers, (pair) => {
    if (positionals.length > 0) return again(pair, positionals, values);
    return values.case === undefined ? differential(pair, chosen, values) : oneCase(pair, chosen, values.case);
  });
}

class UsageError extends Error {
  override readonly name = 'UsageError';
}

function readArguments(): { readonly values: Values; readonly positionals: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const wrong = (['seed', 'cases', 'minutes'] as const).find((name) => !(Number(values[name] ?? 1) > 0));
    if (wrong) throw new UsageError(`--${wrong} is a number above 0, not ${values[wrong]}`);
    return { values, positionals };
  } catch (cause) {
    throw new UsageError(errorText(cause), { cause });
  }
}

/** Both servers, with controller managers where areas need them. */
async function between(values: Values, managers: number, work: (pair: Pair) => Promise<number>): Promise<number> {
  const { against = '', token, cert: certFile, key: keyFile, ca: caFile } = values;
  const theirs = new Connection({ address: against, token, certFile, keyFile, caFile });
  const dataDirectory = temporaryDirectory('differential');
  const same = path.join(dataDirectory, 'tokens.csv');
  fs.writeFileSync(same, tokenLine(await userAt(theirs)), { mode: 0o600 });
  const apiserverFlags = [`--token-auth-file=${same}`, ...(values.flag ?? [])];
  const cluster = await startCluster({ dataDirectory, replicas: 1, managers, balancer: false, apiserverFlags });
  const ours = new Connection({ address: cluster.address, token: ourToken });
  try {
    return await work(new Pair(theirs, ours));
  } finally {
    theirs.close();
    ours.close();
    await cluster.stop();
  }
}

interface User {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
}

/** The user's name, which must be equal on both sides, because objects record it. */
async function userAt(server: Connection): Promise<User> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const { status, body } = await server
    .json('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', review)
    .catch((cause: unknown) => {
      throw new UsageError(`the server of --against does not answer: ${errorText(cause)}`, { cause });
    });
  if (status !== 201) throw new UsageError(`the other server does not say who we are: ${JSON.stringify(body)}`);
  return (body as { readonly status: { readonly userInfo: User } }).status.userInfo;
}

const ourToken = randomBytes(16).toString('hex');
const tokenLine = ({ username = '', uid = '', groups = [] }: User): string =>
  `${ourToken},${username},${uid},"${groups.filter((group) => group !== 'system:authenticated').join(',')}"\n`;

async function differential(pair: Pair, chosen: readonly Area[], values: Values): Promise<number> {
  const known = readKnown();
  const report = new Report(values.out);
  const seed = Number(values.seed);
  const span = values.minutes === undefined ? Infinity : Number(values.minutes) * minuteMs;
  const until = Date.now() + span;
  const cases = Number(values.cases ?? (values.minutes === undefined ? casesDefault : Infinity));
  say(`seed ${seed}`, 0);
  const agreeing = await agreeingKnown(pair);
  const results: Result[] = [];
  for (const area of chosen) {
    const bounds = { cases, until, shrinkUntil: until + span };
    const onFinding = (finding: Parameters<Report['add']>[0]): void => void say(findingLines(finding, report.add(finding)), 0);
    results.push(await campaign(pair, area, { seed, bounds, known, onFinding }));
  }
  for (const { area, agreed } of values.update ? results : [])
    addRecordings(
      area.name,
      agreed.map(({ sequence, answers }) => recorded(sequence, answers.ours)),
    );
  for (const reason of agreeing) say(`no longer different, and still in known.json: ${reason}`, 0);
  return say(summary(results), agreeing.length === 0 && results.every(({ findings }) => findings.length === 0) ? 0 : 1);
}

/** Known differences that no longer occur. One may be missing by chance where the other server is random. */
async function agreeingKnown(pair: Pair): Promise<string[]> {
  const reasons: string[] = [];
  for (const entry of readKnown()) {
    let differs = false;
    for (let time = 0; time < agreementsMax && !differs; time++)
      differs = (await pair.ask(entry)).differences.some(({ rule }) => new RegExp(entry.rule).test(rule.key));
    if (!differs) reasons.push(entry.reason);
  }
  return reasons;
}

const agreementsMax = 5;

async function again(pair: Pair, files: readonly string[], { update }: Values): Promise<number> {
  let left = 0;
  const known = readKnown();
  for (const file of files) {
    const sequence = readSequence(file);
    const answers = await pair.ask(sequence);
    const { ours } = answers;
    const differences = answers.differences.filter((each) => knownAs(each, known) === undefined);
    if (differences.length > 0) left++;
    for (const { at, request, want, got } of differences)
      say(`${file}\n  ${request} ${at}\n  theirs ${JSON.stringify(want)}\n  ours   ${JSON.stringify(got)}`, 0);
    const area = path.basename(path.dirname(path.dirname(path.resolve(file))));
    if (update && differences.length === 0) addRecordings(area, [recorded(sequence, ours)]);
  }
  return say(`${files.length - left} of ${files.length} agree`, left === 0 ? 0 : 1);
}

async function oneCase(pair: Pair, [area]: readonly Area[], text: string): Promise<number> {
  const [seed = 1, index = 0] = text.split(':').map(Number);
  if (area === undefined) return 2;
  const sequence = sequenceOf({ area, seed, index });
  const answers = await pair.ask(sequence);
  for (const [at, step] of sequence.steps.entries())
    say(JSON.stringify({ step, theirs: answers.theirs[at], ours: answers.ours[at] }, null, 2), 0);
  return say(JSON.stringify(answers.differences, null, 2), answers.differences.length === 0 ? 0 : 1);
}

function say(line: string, status: number): number {
  process.stdout.write(`${line}\n`);
  return status;
}

process.exitCode = await main().catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}; see npm run differential -- --help\n`);
  return 2;
});
