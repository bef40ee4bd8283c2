import { wellnessOf } from './wellness.js';

/** The part of a server's table that the overview reads. */
export interface TablePage {
  readonly columnDefinitions?: readonly { readonly name: string }[];
  readonly rows?: readonly {
    readonly cells: readonly unknown[];
    readonly object: { readonly metadata: { readonly name: string; readonly namespace?: string } };
  }[];
  readonly metadata?: { readonly remainingItemCount?: number };
}

export interface Unwell {
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
}

export interface KindSummary {
  /** Objects of the page, and remaining ones reported by the server. */
  readonly count: number;
  readonly isWhole: boolean;
  readonly unwell: readonly Unwell[];
}

/** Summarizes a table page by common columns: `Status`, `Ready` as `1/2`, and `Desired` with `Ready`. */
export function kindSummaryOf({ columnDefinitions = [], rows = [], metadata }: TablePage): KindSummary {
  const at = (name: string): number => columnDefinitions.findIndex((column) => column.name === name);
  const [status, ready, desired] = [at('Status'), at('Ready'), at('Desired')];
  const remaining = metadata?.remainingItemCount ?? 0;
  const unwell = rows.flatMap(({ cells, object: { metadata: of } }): Unwell[] => {
    const cell = (index: number): string => (index < 0 ? '' : String(cells[index] ?? ''));
    const state = stateOf(cell(status), cell(ready), cell(desired));
    return state === null ? [] : [{ namespace: of.namespace ?? '', name: of.name, state }];
  });
  return { count: rows.length + remaining, isWhole: remaining === 0, unwell };
}

const overStates: ReadonlySet<string> = new Set(['Completed', 'Complete', 'Succeeded', 'Terminating']);

/** Returns an object's problem in plain words, or null. */
function stateOf(status: string, ready: string, desired: string): string | null {
  if (wellnessOf(status) === 'unwell') return status;
  if (overStates.has(status)) return null;
  const [, now, wanted] = /^(\d+)\/(\d+)$/.exec(ready) ?? ['', ready, desired];
  if (now === '' || wanted === '' || now === undefined || wanted === undefined) return null;
  return Number(now) < Number(wanted) ? `${status === '' || status === 'Running' ? '' : `${status}, `}${now} of ${wanted} ready` : null;
}

/** Returns failed checks of a verbose health report, such as `[-]etcd failed: reason withheld`. */
export const failedChecks = (report: string): readonly string[] =>
  report.split('\n').flatMap((line) => /^\[-\](\S+)/.exec(line)?.slice(1) ?? []);
