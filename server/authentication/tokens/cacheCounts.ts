export interface TokenCacheCounts {
  /** A lookup ended; `hit`: in the cache. */
  looked(how: 'hit' | 'miss', seconds: number): void;
  /** The change in running fetches. */
  fetching(delta: 1 | -1): void;
  /** The change in requests that wait for another's fetch. */
  blocked(delta: 1 | -1): void;
  /** `error`: no result, which is not cached. */
  fetched(outcome: 'ok' | 'error'): void;
}
