/** Messages from a test's launcher to the faults in its API servers (`memberFaults.ts`). Plain data, for threads and processes alike. */

/** Selects requests. All given conditions must match. */
export interface RequestPattern {
  readonly method?: string;
  /** Source of a regular expression over path and query. */
  readonly path: string;
  readonly watch?: boolean;
  /** Common name of the client certificate. */
  readonly user?: string;
}

/** Replaces the normal handling of a request; `latencyMs` alone delays it. */
export interface FailureTerms {
  readonly latencyMs?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  /** Resets the connection before the request is handled, or after it was executed and before its response. */
  readonly reset?: 'before' | 'after';
}

export interface Rule extends RequestPattern {
  readonly rule: number;
  readonly failure: FailureTerms;
  readonly times: number | null;
  /** Each hit creates a file of this name plus its number: members in several threads or processes count together. */
  readonly claims: string;
}

/** An order with a number is answered by `done` once it is executed. */
export type MemberOrder = Order & { readonly turn?: number };
export interface Done {
  readonly done: number;
}

type Order =
  /** All rules that are in effect. */
  | { readonly order: 'rules'; readonly rules: readonly Rule[] }
  /** Ends current watches. */
  | { readonly order: 'dropWatches'; readonly pattern: RequestPattern }
  /** No byte passes between this member and these, in either direction. */
  | { readonly order: 'cutOff'; readonly from: readonly string[] }
  /** Delay of each log commit in milliseconds; 0 for none. */
  | { readonly order: 'slowDisk'; readonly ms: number }
  /** Lead over the machine's clock, which never decreases. */
  | { readonly order: 'clock'; readonly aheadMs: number };

export interface Spent {
  readonly spent: number;
}

export const isSpent = (value: unknown): value is Spent => typeof value === 'object' && value !== null && 'spent' in value;
export const isDone = (value: unknown): value is Done => typeof value === 'object' && value !== null && 'done' in value;
export const isMemberOrder = (value: unknown): value is MemberOrder => typeof value === 'object' && value !== null && 'order' in value;

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly user: string | null;
}

const watchQuery = /[?&]watch=(?:1|true|True|TRUE|t|T)(?:&|$)/;
export const isWatch = ({ method, url }: Pick<SeenRequest, 'method' | 'url'>): boolean => method === 'GET' && watchQuery.test(url);

export function fits(pattern: RequestPattern, seen: SeenRequest): boolean {
  if (pattern.method !== undefined && pattern.method !== seen.method) return false;
  if (pattern.watch !== undefined && pattern.watch !== isWatch(seen)) return false;
  if (pattern.user !== undefined && pattern.user !== seen.user) return false;
  return new RegExp(pattern.path).test(seen.url);
}
