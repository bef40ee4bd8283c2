/** Part of a plan. */
export interface NextSync {
  /** Time of the next sync without a change. */
  readonly againAfterMs: number | null;
}
