const fullCodes: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Standard output and errors may be files on a disk that is full. The lines are lost then; without a listener the first of them would end the process. The streams go on
 * once there is room. To be called once, by a program.
 */
export function outliveFullDisk(streams: readonly NodeJS.WritableStream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!fullCodes.has(error.code)) throw error;
    });
}
