/** What is counted where answers about tokens are remembered. */
export interface TokenCacheCounts {
  /** There was an answer about a token; `hit`: a remembered one. */
  looked(how: 'hit' | 'miss', seconds: number): void;
  /** One more answer is being asked for, or one less. */
  fetching(delta: 1 | -1): void;
  /** One more request waits for what another one has asked for, or one less. */
  blocked(delta: 1 | -1): void;
  /** `error`: nobody could say, which is not remembered. */
  fetched(outcome: 'ok' | 'error'): void;
}
