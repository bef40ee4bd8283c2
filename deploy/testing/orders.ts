/** What the launcher of a test and the faults inside its API servers (`memberFaults.ts`) say to each other. Plain data, for threads and processes alike. */

/** Which requests are meant. All that is given must fit. */
export interface RequestPattern {
  readonly method?: string;
  /** Source of a regular expression over path and query. */
  readonly path: string;
  /** Only watches, or only what is none. */
  readonly watch?: boolean;
  /** Common name of the client certificate. */
  readonly user?: string;
}

/** What happens to a request instead of being served; `latencyMs` alone serves it later. */
export interface FailureTerms {
  readonly latencyMs?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  /** The connection breaks: before the request is looked at, or after it was carried out and before it is answered. */
  readonly reset?: 'before' | 'after';
}

export interface Rule extends RequestPattern {
  readonly rule: number;
  readonly failure: FailureTerms;
  /** How many requests it hits; null for all. */
  readonly times: number | null;
  /**
   * Each hit makes the file of this name with its number behind it. Members are threads or processes, and meet requests at the same time; and the test may
   * wait for a program in a way that lets nobody ask it.
   */
  readonly claims: string;
}

/** Answered with `done` once it is carried out, where it carries a number. */
export type MemberOrder = Order & { readonly turn?: number };
export interface Done {
  readonly done: number;
}

type Order =
  /** All rules that are in force. */
  | { readonly order: 'rules'; readonly rules: readonly Rule[] }
  /** Ends the watches under way. */
  | { readonly order: 'dropWatches'; readonly pattern: RequestPattern }
  /** No byte passes between this member and these, in either direction. */
  | { readonly order: 'cutOff'; readonly from: readonly string[] }
  /** Each commit of the log takes this much longer; 0 for as long as it takes. */
  | { readonly order: 'slowDisk'; readonly ms: number }
  /** How far the clock is ahead of the machine's. It never goes back. */
  | { readonly order: 'clock'; readonly aheadMs: number };

/** A rule has hit for the last time. */
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
