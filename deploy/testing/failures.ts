import fs from 'node:fs';
import path from 'node:path';
import type { FailureTerms, MemberOrder, RequestPattern, Rule } from './orders.js';

export interface Failure {
  /** Answers with this code and a Status with the reason: 409, 429, 500, 503 … */
  readonly status?: number;
  /** Reason of the Status; by default the usual one of the code. */
  readonly reason?: string;
  readonly message?: string;
  readonly retryAfterSeconds?: number;
  /** Wait before anything else. */
  readonly latencyMs?: number;
  /** Resets the connection before the request is handled, or after it was executed, so that the client cannot know. */
  readonly reset?: 'before' | 'after';
  /** Number of requests that fail; one unless given. */
  readonly times?: number;
}

/**
 * Selects requests: `'PATCH /apis/apps/**'` (a method or `*`, then a path; `*` matches one part, `**` any number), a regular expression over path and query,
 * or single conditions.
 */
export type RequestMatch =
  | string
  | RegExp
  | { readonly method?: string; readonly path?: string | RegExp; readonly watch?: boolean; readonly user?: string };

/** A failure in effect. */
export interface ArmedFailure {
  readonly hits: number;
  /** Resolves when it has hit all its requests. */
  readonly spent: Promise<void>;
  /** Ends it early; resolves when every member knows. */
  remove(): Promise<void>;
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** Throws for an invalid pattern. */
export function patternOf(match: RequestMatch): RequestPattern {
  if (match instanceof RegExp) return { path: match.source };
  if (typeof match !== 'string') {
    const { path, ...rest } = match;
    return { ...rest, path: path instanceof RegExp ? path.source : globSource(path ?? '**') };
  }
  const words = /^(?:(\*|[A-Z]+)\s+)?(\/\S*|\*\*)$/.exec(match);
  if (!words) throw new Error(`${JSON.stringify(match)} names no requests: write a method and a path, such as "PATCH /api/v1/**"`);
  const [, method = '*', path = ''] = words;
  return { path: globSource(path), ...(method === '*' ? {} : { method }) };
}

/** A path matches with any query. */
function globSource(glob: string): string {
  const parts = glob
    .split(/(\*\*|\*)/)
    .map((part) => (part === '**' ? '.*' : part === '*' ? '[^/?]*' : part.replace(/[.+^${}()|[\]\\?]/g, '\\$&')));
  return `^${parts.join('')}(?:\\?.*)?$`;
}

export function termsOf({ status, reason, message, retryAfterSeconds, latencyMs, reset }: Failure): FailureTerms {
  const common = { ...(latencyMs === undefined ? {} : { latencyMs }), ...(reset === undefined ? {} : { reset }) };
  if (status === undefined) return common;
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  const document = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: message ?? `the test lets this request fail with ${status}`,
    reason: reason ?? reasons[status] ?? '',
    ...details,
    code: status,
  };
  const headers: Record<string, string> = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return { ...common, status, headers, body: JSON.stringify(document) };
}

/** All failures of a cluster. Members apply them; this records which are in effect. */
export class Failures {
  readonly #folder: string;
  readonly #tell: (order: MemberOrder) => Promise<void>;
  readonly #armed = new Map<number, { readonly rule: Rule; readonly finish: () => void }>();
  #last = 0;

  /** `tell` resolves when every running member has the rules. Hits are counted in `folder`, which must exist. */
  constructor(folder: string, tell: (order: MemberOrder) => Promise<void>) {
    this.#folder = folder;
    this.#tell = tell;
  }

  get order(): MemberOrder {
    return { order: 'rules', rules: [...this.#armed.values()].map(({ rule }) => rule) };
  }

  async add(match: RequestMatch, failure: Failure): Promise<ArmedFailure> {
    const { times = 1 } = failure;
    const folder = this.#folder;
    const id = ++this.#last;
    const prefix = `${id}-`;
    const rule: Rule = {
      ...patternOf(match),
      rule: id,
      failure: termsOf(failure),
      times: times === Infinity ? null : times,
      claims: path.join(folder, prefix),
    };
    let finish: () => void = () => undefined;
    const spent = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.#armed.set(id, { rule, finish });
    await this.#tell(this.order);
    return {
      get hits() {
        return fs.readdirSync(folder).filter((name) => name.startsWith(prefix)).length;
      },
      spent,
      remove: () => this.#remove(id),
    };
  }

  /** Called when a member reports the last hit of a rule. */
  spent(id: number): void {
    this.#armed.get(id)?.finish();
    void this.#remove(id);
  }

  async clear(): Promise<void> {
    this.#armed.clear();
    await this.#tell(this.order);
  }

  async #remove(id: number): Promise<void> {
    if (this.#armed.delete(id)) await this.#tell(this.order);
  }
}
