import fs from 'node:fs';
import { Prng } from '../simulation/prng.js';
import { Bystander } from '../attacks/bystander.js';
import { Target } from '../attacks/target.js';
import { bodiesCampaign, fuzzNamespace, prepareObjects } from './bodies.js';
import { seedOf, within, type Campaign, type CampaignName } from './campaign.js';
import { http1Campaign } from './http1.js';
import { http2Campaign } from './http2.js';
import { peerCampaign } from './peer.js';

export interface FuzzOptions {
  /** Run one after another on one server. */
  readonly seeds: readonly number[];
  /** Seconds for each seed. */
  readonly seconds: number;
  readonly only: readonly CampaignName[];
  /** The first step of each campaign, and the maximum number. */
  readonly from?: number;
  readonly steps?: number;
  readonly progress?: (line: string) => void;
}

export interface Costly {
  readonly step: number;
  readonly seed: number;
  readonly cpuSeconds: number;
  readonly did: string;
}

export interface FuzzReport {
  /** Findings with the command that repeats each. */
  readonly findings: readonly string[];
  readonly steps: Readonly<Partial<Record<CampaignName, number>>>;
  /** Counts of outcomes by campaign. */
  readonly outcomes: Readonly<Partial<Record<CampaignName, Readonly<Record<string, number>>>>>;
  /** The step of each campaign with the most processor time, other campaigns included; use `--only` to separate them. */
  readonly costliest: Readonly<Partial<Record<CampaignName, Costly>>>;
  /** Latencies of `/livez` during the run. */
  readonly probes: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };
  /** Resident memory at the end, relative to that after the warm-up. */
  readonly memoryGrowth: number;
}

/** The warm-up as a share of the whole time: code is compiled and pages are cached. */
const warmUpShare = 0.25;
/** An invalid session is found silent after 30 s and closed 15 s later, with checks every 5 s. */
const givenBackWithinMs = 120_000;
const memoryGrowthMax = 1.5;
const findingsMax = 20;
const progressMs = 10_000;

/** Fuzzes a new server while an ordinary client uses it. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const target = await Target.start();
  try {
    return await new Run(target, options).go();
  } finally {
    await target.stop();
  }
}

class Run {
  readonly #target: Target;
  readonly #options: FuzzOptions;
  readonly #findings: string[] = [];
  readonly #steps: Partial<Record<CampaignName, number>> = {};
  readonly #outcomes: Partial<Record<CampaignName, Record<string, number>>> = {};
  readonly #costliest: Partial<Record<CampaignName, Costly>> = {};
  readonly #began = performance.now();
  #warmBytes: number | null = null;

  constructor(target: Target, options: FuzzOptions) {
    this.#target = target;
    this.#options = options;
  }

  async go(): Promise<FuzzReport> {
    const target = this.#target;
    await target.namespace(fuzzNamespace);
    await target.admin.expect(201, 'POST', `/api/v1/namespaces/${fuzzNamespace}/serviceaccounts`, {
      body: { metadata: { name: 'default' } },
    });
    const user = await target.user('fuzzer', { group: 'system:masters' });
    const made: Readonly<Record<CampaignName, () => Campaign>> = {
      http1: () => http1Campaign(target, user),
      http2: () => http2Campaign(target, user),
      bodies: () => bodiesCampaign(user.client),
      peer: () => peerCampaign(target),
    };
    await prepareObjects(user.client);
    const calm = await target.counts();
    const bystander = await Bystander.start(target);
    const teller = setInterval(() => {
      this.#options.progress?.(this.#soFar(bystander));
    }, progressMs);
    try {
      for (const [round, seed] of this.#options.seeds.entries())
        await Promise.all(
          this.#options.only.map(async (name) => {
            await this.#campaign(made[name](), seed, (round + 1) / this.#options.seeds.length);
          }),
        );
    } finally {
      clearInterval(teller);
      await bystander.stop();
    }
    await this.#judge(bystander, calm);
    const { p50Ms, p99Ms, maxMs } = bystander.summary('probe');
    return {
      findings: this.#findings,
      steps: this.#steps,
      outcomes: this.#outcomes,
      costliest: this.#costliest,
      probes: { p50Ms, p99Ms, maxMs },
      memoryGrowth: this.#memoryGrowth(),
    };
  }

  get #elapsedShare(): number {
    return (performance.now() - this.#began) / (this.#options.seeds.length * this.#options.seconds * 1_000);
  }

  /** Runs until this share of the time is over. */
  async #campaign(campaign: Campaign, seed: number, untilShare: number): Promise<void> {
    const { from = 0, steps = Infinity } = this.#options;
    const { name } = campaign;
    const outcomes = (this.#outcomes[name] ??= {});
    for (let step = from; step < from + steps && this.#elapsedShare < untilShare && this.#findings.length < findingsMax; step += 1) {
      const cpuBefore = this.#target.cpuSeconds();
      const { did, wrong, outcome } = await campaign.step(new Prng(seedOf(seed, name, step)));
      if (!this.#target.member().process.running) {
        this.#found(`the server ended\n  by ${did.slice(0, 2_000)}`, { seed, name, step });
        return;
      }
      const cpuSeconds = this.#target.cpuSeconds() - cpuBefore;
      if (cpuSeconds > (this.#costliest[name]?.cpuSeconds ?? 0)) this.#costliest[name] = { step, seed, cpuSeconds, did: did.slice(0, 300) };
      this.#steps[name] = (this.#steps[name] ?? 0) + 1;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (this.#warmBytes === null && this.#elapsedShare > warmUpShare) this.#warmBytes = this.#target.residentBytes();
      if (wrong !== null) this.#found(`${wrong}\n  by ${did.slice(0, 2_000)}`, { seed, name, step });
    }
  }

  #found(what: string, { seed, name, step }: { readonly seed: number; readonly name: CampaignName; readonly step: number }): void {
    this.#findings.push(
      `${what}\n  again: npm run fuzz -- --seed ${seed} --only ${name} --from ${step} --steps 1   (with what led to it: --from 0 --steps ${step + 1})`,
    );
    this.#options.progress?.(`FOUND ${this.#findings.at(-1) ?? ''}`);
  }

  /** Checks after the end: the log, the ordinary client's answers, and released resources. */
  async #judge(bystander: Bystander, calm: Awaited<ReturnType<Target['counts']>>): Promise<void> {
    const again = `\n  again: npm run fuzz -- --seed ${this.#options.seeds.join(' or ')} --seconds ${this.#options.seconds} --only ${this.#options.only.join(',')}`;
    const log = fs.existsSync(this.#target.member().process.spec.log) ? this.#target.log() : '';
    for (const line of new Set(
      log
        .split('\n')
        .filter((each) => /\bstack=|unhandled|uncaught/i.test(each))
        .map((each) => each.slice(0, 1_500))
        .slice(0, 3),
    ))
      this.#findings.push(`the log tells of a fault: ${line}${again}`);
    const refused = Object.entries(bystander.summary().statuses).filter(([status]) => status !== '200');
    if (refused.length > 0) this.#findings.push(`the bystander was refused: ${JSON.stringify(Object.fromEntries(refused))}${again}`);
    if (this.#target.member().process.running && (await within(this.#target.settled(calm), givenBackWithinMs)) === 'late')
      this.#findings.push(`not everything was given back: ${JSON.stringify({ calm, now: await this.#target.counts() })}${again}`);
    if (this.#memoryGrowth() > memoryGrowthMax)
      this.#findings.push(`memory grew to ${this.#memoryGrowth().toFixed(2)} times what it was${again}`);
  }

  #memoryGrowth(): number {
    if (this.#warmBytes === null || !this.#target.member().process.running) return 1;
    return this.#target.residentBytes() / this.#warmBytes;
  }

  #soFar(bystander: Bystander): string {
    const { p50Ms, p99Ms, maxMs } = bystander.summary('probe');
    const steps = Object.entries(this.#steps)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
    return `${((performance.now() - this.#began) / 1_000).toFixed(0)} s: ${steps}; /livez p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms, max ${maxMs.toFixed(0)} ms; memory x${this.#memoryGrowth().toFixed(2)}`;
  }
}
