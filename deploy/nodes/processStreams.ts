/** What `exec` and `attach` need of the connection to a client, over a WebSocket (`channels.ts`) or over SPDY (`spdyStreams.ts`). */
export interface ProcessStreams {
  /** All input of the process; null when the client has gone, or sends too much. */
  input(): Promise<Buffer | null>;
  write(to: 'stdout' | 'stderr', data: string | Uint8Array): void;
  /** Tells how the process ended, and closes everything. */
  finish(exitCode: number): void;
  onClose(gone: () => void): void;
}

/** Input beyond this is not kept: whoever sends more is cut off. */
export const inputBytesMax = 8 * 1024 * 1024;

/** How a program ended, as clients read it from the error stream (`metav1.Status`). */
export function closingStatus(exitCode: number): string {
  const failure = {
    status: 'Failure',
    message: `command terminated with exit code ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
  return JSON.stringify({ metadata: {}, ...(exitCode === 0 ? { status: 'Success' } : failure) });
}
