const fullCodes: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/** Lines are lost on a full disk; without a listener the first failure would end the process. */
export function outliveFullDisk(streams: readonly NodeJS.WritableStream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!fullCodes.has(error.code)) throw error;
    });
}
