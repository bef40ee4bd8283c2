const fullCodes: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/** Shells report this exit status for a program ended by SIGPIPE. */
const brokenPipeStatus = 141;

/** Drops lines on a full disk: without a listener, the first failure would end the process. Ends the program silently when its reader has gone (`| head`). */
export function guardStandardStreams(
  streams: readonly NodeJS.WritableStream[] = [process.stdout, process.stderr],
  exit: (status: number) => void = (status) => process.exit(status),
): void {
  for (const stream of streams)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') exit(brokenPipeStatus);
      else if (!fullCodes.has(error.code)) throw error;
    });
}
