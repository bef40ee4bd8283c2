import { errorText } from '../api/errorText.js';
/** Rejects with the reason, for the log, when the condition does not hold. */
export interface HealthCheck {
  readonly name: string;
  readonly group?: string;
  readonly check: () => void | Promise<void>;
}

/** Resolves with its text, or null. */
export interface HealthWarning {
  readonly name: string;
  readonly warning: () => Promise<string | null>;
}

export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

export interface HealthReport {
  readonly code: 200 | 500;
  readonly text: string;
  readonly failures: readonly { readonly name: string; readonly reason: unknown }[];
}

export interface HealthRegistry {
  add(check: HealthCheck, endpoints: readonly HealthEndpoint[]): void;
  /** The line in the verbose output is not a check and cannot be excluded. */
  addWarning(warning: HealthWarning, endpoints: readonly HealthEndpoint[]): void;
  report(endpoint: HealthEndpoint, options: { readonly verbose: boolean; readonly exclude: readonly string[] }): Promise<HealthReport>;
  /** Returns the reason of a failure, unlike the public report. Null without such a check. */
  single(endpoint: HealthEndpoint, name: string): Promise<HealthReport | null>;
}

/** A check without a result by then has failed. */
const checkTimeoutMs = 5_000;

export type HealthObserver = (endpoint: HealthEndpoint, name: string, passed: boolean) => void;

export function createHealthRegistry(observe: HealthObserver = () => {}): HealthRegistry {
  const checks: Record<HealthEndpoint, HealthCheck[]> = { healthz: [], livez: [], readyz: [] };
  const warnings: Record<HealthEndpoint, HealthWarning[]> = { healthz: [], livez: [], readyz: [] };
  return {
    addWarning: (warning, endpoints) => {
      for (const endpoint of endpoints) warnings[endpoint].push(warning);
    },
    add: (check, endpoints) => {
      for (const endpoint of endpoints) checks[endpoint].push(check);
    },
    report: async (endpoint, { verbose, exclude }) => {
      const excluded = new Set(exclude);
      const results = await Promise.all(
        checks[endpoint].map(async (check) => {
          const by = [check.name, check.group].find((name) => name !== undefined && excluded.has(name)) ?? null;
          const failure = by === null ? await run(check) : null;
          if (by === null) observe(endpoint, check.name, failure === null);
          return { name: check.name, excludedBy: by, failure };
        }),
      );
      const used = new Set(results.map(({ excludedBy }) => excludedBy));
      const shown = verbose ? await Promise.all(warnings[endpoint].map(lineOf)) : [];
      return describe(endpoint, results, { verbose, unknown: exclude.filter((name) => !used.has(name)), warnings: shown });
    },
    single: async (endpoint, name) => {
      const check = checks[endpoint].find((candidate) => candidate.name === name);
      if (check === undefined) return null;
      const failure = await run(check);
      observe(endpoint, name, failure === null);
      return failure === null
        ? { code: 200, text: 'ok', failures: [] }
        : { code: 500, text: `internal server error: ${textOf(failure.reason)}\n`, failures: [{ name, ...failure }] };
    },
  };
}

const textOf = (reason: unknown): string => errorText(reason);

type Failure = { readonly reason: unknown };
interface Result {
  readonly name: string;
  readonly excludedBy: string | null;
  readonly failure: Failure | null;
}

async function run({ check }: HealthCheck): Promise<Failure | null> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`no answer within ${checkTimeoutMs} ms`));
      }, checkTimeoutMs);
    });
    await Promise.race([check(), limit]);
    return null;
  } catch (reason) {
    return { reason };
  } finally {
    clearTimeout(timer);
  }
}

async function lineOf({ name, warning }: HealthWarning): Promise<string> {
  const text = await warning().catch(() => 'not known');
  return text === null ? `[+]${name} ok\n` : `[!]${name} warning: ${text}\n`;
}

/** Unique and sorted, with commas and without spaces, for clients that compare the text (`healthz.go` of apiserver). */
const namesOf = (names: readonly string[]): string =>
  [...new Set(names)]
    .sort()
    .map((name) => JSON.stringify(name))
    .join(',');

function lineOfResult({ name, excludedBy, failure }: Result): string {
  if (failure !== null) return `[-]${name} failed: reason withheld\n`;
  if (excludedBy === null) return `[+]${name} ok\n`;
  return `[+]${name} excluded${excludedBy === name ? '' : ` with ${excludedBy}`}: ok\n`;
}

function describe(
  endpoint: HealthEndpoint,
  results: readonly Result[],
  { verbose, unknown, warnings }: { readonly verbose: boolean; readonly unknown: readonly string[]; readonly warnings: readonly string[] },
): HealthReport {
  const failures = results.flatMap(({ name, failure }) => (failure === null ? [] : [{ name, reason: failure.reason }]));
  if (failures.length === 0 && !verbose) return { code: 200, text: 'ok', failures };
  let text = results.map(lineOfResult).concat(warnings).join('');
  if (unknown.length > 0) text += `warn: some health checks cannot be excluded: no matches for ${namesOf(unknown)}\n`;
  return failures.length === 0
    ? { code: 200, text: `${text}${endpoint} check passed\n`, failures }
    : { code: 500, text: `${text}${endpoint} check failed\n`, failures };
}
