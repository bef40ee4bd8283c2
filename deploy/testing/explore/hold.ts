import type { Asked } from './gateway.js';

/** Something delayed until the operator rests: events, an old view, or a late write. */
export interface HoldTerms {
  /** The resource whose events wait; undefined for none. */
  readonly resource?: string;
  /** The held watches end with 410. */
  readonly expires?: boolean;
  /** Lasts to the end of the next step. */
  readonly pastStep?: number;
  /** Possibly stale lists come from this version, from which on watches wait. */
  readonly version?: string;
  /** The resources of these lists; undefined for all. */
  readonly resources?: readonly string[] | undefined;
  /** Carried out at the end. */
  readonly late?: () => Promise<unknown>;
}

export class Hold {
  readonly terms: HoldTerms;
  readonly released: Promise<void>;
  #open: () => void = () => undefined;

  constructor(terms: HoldTerms) {
    this.terms = terms;
    this.released = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  holdsWatch(resource: string, url: string): boolean {
    const { resource: held, version } = this.terms;
    return (
      held === resource || (version !== undefined && new URL(url, 'https://localhost').searchParams.get('resourceVersion') === version)
    );
  }

  async release(): Promise<void> {
    await this.terms.late?.();
    this.#open();
  }

  /** Ends a run: nothing more is carried out. */
  abandon(): void {
    this.#open();
  }
}

/** Returns the request for an old state; null where the newest is requested, or seen. */
export function fromPast({ url, call }: Asked, { version, resources }: HoldTerms): string | null {
  if (version === undefined || call?.verb !== 'list' || resources?.includes(call.resource) === false) return null;
  const asked = new URL(url, 'https://localhost');
  const { searchParams } = asked;
  if (searchParams.get('resourceVersion') !== '0' || searchParams.get('continue')) return null;
  searchParams.set('resourceVersion', version);
  searchParams.set('resourceVersionMatch', 'Exact');
  return asked.pathname + asked.search;
}
