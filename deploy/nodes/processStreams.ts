/** The connection of `exec` and `attach`, over a WebSocket (`channels.ts`) or SPDY (`spdyStreams.ts`). */
export interface ProcessStreams {
  /** Resolves to all input; null when the client has gone, or sends too much. */
  input(): Promise<Buffer | null>;
  write(to: 'stdout' | 'stderr', data: string | Uint8Array): void;
  /** Reports the exit code, and closes everything. */
  finish(exitCode: number): void;
  onClose(gone: () => void): void;
}

/** Bound on input; a client that sends more is cut. */
export const inputBytesMax = 8 * 1024 * 1024;

/** Formats an exit code for the error stream (`metav1.Status`). */
export function closingStatus(exitCode: number): string {
  const failure = {
    status: 'Failure',
    message: `command terminated with exit code ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
  return JSON.stringify({ metadata: {}, ...(exitCode === 0 ? { status: 'Success' } : failure) });
}
