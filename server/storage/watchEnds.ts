/** Clients get the meaning where the reference's message lacks it. */
const expiries = {
  Compacted: { about: 'the store has compacted the version', inMessage: false },
  BeforeHistory: { about: 'the version is older than the changes that the server keeps', inMessage: false },
  ClientTooSlow: { about: 'the client took events more slowly than the server forgot them', inMessage: true },
  StoreTooSlow: { about: 'the store returned earlier states more slowly than changes arrived', inMessage: true },
  Reloaded: { about: 'the server loaded its state anew, without the changes in between', inMessage: true },
} as const;

/** The reasons for which a watch ends: label of a metric, field of the log, row in docs/operations.md. */
export const watchEnds = {
  ...expiries,
  TimedOut: { about: 'the timeout of the request passed' },
  ClientClosed: { about: 'the client closed the watch or its connection' },
  ClientStalled: { about: 'the client took nothing for a minute while events waited' },
  Aborted: { about: 'the server is stopping, or sheds load' },
  ResourceChanged: { about: 'the definition of the resource changed, or was deleted' },
  EventFailed: { about: 'an event could not be converted or encoded' },
  VersionTooLarge: { about: 'the requested version did not arrive in time' },
  Unavailable: { about: 'the store is unavailable, or an object unreadable' },
} as const satisfies Readonly<Record<string, { readonly about: string }>>;

export type ExpiryReason = keyof typeof expiries;
export type WatchEnd = keyof typeof watchEnds;

export interface Expired {
  readonly outcome: 'expired';
  readonly why: ExpiryReason;
  /** The oldest version that is available. */
  readonly oldest: number;
}

export const expired = (why: ExpiryReason, oldest: number): Expired => ({ outcome: 'expired', why, oldest });

/** Returns the text after the reference's message, which lacks such reasons; empty for its own. */
export const expiryText = (why: ExpiryReason): string => (expiries[why].inMessage ? `: ${expiries[why].about}` : '');
