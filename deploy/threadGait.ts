/** What a program that runs as a thread (`threadLeash.ts`) and its launcher (`managedThread.ts`) tell each other. */

export type ThreadOrder = 'SIGTERM' | 'SIGSTOP' | 'SIGKILL';

/** `workerData` of the first thread: what it shares with its launcher. */
export interface ThreadTerms {
  /** Two cells, see `Cell`. */
  readonly standstill: Int32Array<SharedArrayBuffer>;
}

export const Cell = {
  /** What the threads of the program are to do: a `Gait`. */
  gait: 0,
  /** 1 from when the first thread has said all it had to say, and only Node's own end is left. */
  ended: 1,
} as const;

export const Gait = {
  run: 0,
  standStill: 1,
  /** Nothing more, even where it stands still. */
  end: 2,
} as const;
