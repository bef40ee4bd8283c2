const fullCodes: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Standard output and standard error may be files on a full disk. Their lines are lost then; without a listener the first failure would end the process. The
 * streams go on once there is room. A program calls this once.
 */
export function outliveFullDisk(streams: readonly NodeJS.WritableStream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!fullCodes.has(error.code)) throw error;
    });
}
