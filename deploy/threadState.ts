/** Messages between a program in a thread (`threadLeash.ts`) and its launcher (`managedThread.ts`). */
export type ThreadOrder = 'SIGTERM' | 'SIGSTOP' | 'SIGKILL';

/** `workerData` of the first thread: shared with its launcher. */
export interface ThreadTerms {
  /** Two cells, see `Cell`. */
  readonly standstill: Int32Array<SharedArrayBuffer>;
}

export const Cell = {
  state: 0,
  ended: 1,
} as const;

export const ThreadState = {
  run: 0,
  standStill: 1,
  /** Ends the thread, even where it is suspended. */
  end: 2,
} as const;
