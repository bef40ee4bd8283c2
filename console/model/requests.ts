/** Requests as the server reports them (`server/console/requestTap.ts`). */
export interface SeenRequest {
  readonly id: string;
  readonly at: number;
  readonly verb: string;
  readonly path: string;
  readonly resource: string;
  readonly namespace: string;
  readonly user: string;
  readonly impersonator: string;
  readonly code: number;
  readonly ms: number;
  /** Milliseconds by part. */
  readonly parts: Readonly<Record<string, number>>;
  readonly watch: boolean;
  readonly agent: string;
  readonly address: string;
  readonly server: string;
}

export interface Holder {
  readonly user: string;
  readonly resource: string;
  readonly count: number;
}

export interface RequestFilter {
  readonly text: string;
  readonly verb: string;
  /** Includes health probes, which are many. */
  readonly probes: boolean;
  readonly only: 'all' | 'refused' | 'failed' | 'slow' | 'watches';
}

const slowMs = 500;
const keptMax = 2_000;

export const isRefused = ({ code }: SeenRequest): boolean => code === 401 || code === 403 || code === 429;
export const isFailed = ({ code }: SeenRequest): boolean => code >= 500 || code === 0;
/** Excludes watches, whose long duration says nothing. */
export const isSlow = ({ ms, watch }: SeenRequest): boolean => !watch && ms >= slowMs;

export const joined = (kept: readonly SeenRequest[], more: readonly SeenRequest[]): readonly SeenRequest[] =>
  [...[...more].reverse(), ...kept].slice(0, keptMax);

const kinds: Readonly<Record<RequestFilter['only'], (request: SeenRequest) => boolean>> = {
  all: () => true,
  refused: isRefused,
  failed: isFailed,
  slow: isSlow,
  watches: ({ watch }) => watch,
};

const probePath = /^\/(?:readyz|livez|healthz)(?:\/|$)/;

export function fits(request: SeenRequest, { text, verb, only, probes }: RequestFilter): boolean {
  if (!probes && probePath.test(request.path)) return false;
  if (verb !== '' && request.verb !== verb) return false;
  if (!kinds[only](request)) return false;
  const wanted = text.trim().toLowerCase();
  return (
    wanted === '' || `${request.user} ${request.path} ${request.agent} ${request.code} ${request.server}`.toLowerCase().includes(wanted)
  );
}

export function worstFirst(requests: readonly SeenRequest[]): readonly SeenRequest[] {
  const weight = (request: SeenRequest): number => (isFailed(request) ? 3 : isRefused(request) ? 2 : isSlow(request) ? 1 : 0);
  return [...requests].sort((a, b) => weight(b) - weight(a) || b.at - a.at);
}

export interface UserCount {
  readonly user: string;
  readonly count: number;
  readonly refused: number;
}

export function topUsers(requests: readonly SeenRequest[], max: number): readonly UserCount[] {
  const counts = new Map<string, { user: string; count: number; refused: number }>();
  for (const request of requests) {
    const entry = counts.get(request.user) ?? { user: request.user, count: 0, refused: 0 };
    entry.count++;
    if (isRefused(request)) entry.refused++;
    counts.set(request.user, entry);
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || (a.user < b.user ? -1 : 1)).slice(0, max);
}

export interface HolderCount {
  readonly user: string;
  readonly count: number;
  readonly resources: number;
}

export function topHolders(holders: readonly Holder[], max: number): readonly HolderCount[] {
  const sums = new Map<string, { count: number; readonly resources: Set<string> }>();
  for (const { user, resource, count } of holders) {
    const sum = sums.get(user) ?? { count: 0, resources: new Set<string>() };
    sum.count += count;
    sum.resources.add(resource);
    sums.set(user, sum);
  }
  return [...sums]
    .map(([user, { count, resources }]) => ({ user, count, resources: resources.size }))
    .sort((a, b) => b.count - a.count || (a.user < b.user ? -1 : 1))
    .slice(0, max);
}
