import { setTimeout as delay } from 'node:timers/promises';
import { describeExit, type ManagedProgram } from './managedProgram.js';
import { describeReadiness, probeReadiness } from './readiness.js';

/** Time from start to ready. The first start on a slow disk takes longest. */
const usualTimeoutMs = 60_000;
const readyPollMs = 20;
const probeTimeoutMs = 2000;

export interface ReadyTerms {
  /** PEM text of the certificate's authority; without it, any certificate is accepted. */
  readonly ca: string | undefined;
  /** Gives up. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Resolves when a program has sent `ready`, or when `/readyz` succeeds at its address (for a balancer: through a ready replica). Rejects with the end of the
 * program's log when it ends early or takes too long.
 */
export async function awaitReady(program: ManagedProgram, { ca, signal }: ReadyTerms): Promise<void> {
  const { address, readyTimeoutMs = usualTimeoutMs } = program.spec;
  const deadline = performance.now() + readyTimeoutMs;
  const word = await wordOf(program, readyTimeoutMs, signal);
  if (word === 'late' && address === null) throw startFailure(program, notReady(program));
  if (address !== null) await answers(program, new URL(address), { ca, signal, deadline });
  if (!program.running) throw startFailure(program, describeExit(await program.ended));
}

async function wordOf(program: ManagedProgram, timeoutMs: number, signal: AbortSignal | undefined): Promise<'ready' | 'ended' | 'late'> {
  const heard = new AbortController();
  const late = delay(timeoutMs, 'late' as const, {
    ref: false,
    signal: signal ? AbortSignal.any([signal, heard.signal]) : heard.signal,
  });
  try {
    return await Promise.race([
      program.saidReady.then(
        () => 'ready' as const,
        () => 'ended' as const,
      ),
      late,
    ]);
  } finally {
    late.catch(() => undefined);
    heard.abort();
  }
}

async function answers(
  program: ManagedProgram,
  { hostname, port }: URL,
  { ca, signal, deadline }: ReadyTerms & { readonly deadline: number },
): Promise<void> {
  while (program.running) {
    signal?.throwIfAborted();
    const readiness = await probeReadiness({ host: hostname, port: Number(port), timeoutMs: probeTimeoutMs, ca });
    if (readiness.state === 'ready') return;
    if (performance.now() > deadline) throw startFailure(program, `${notReady(program)}: ${describeReadiness(readiness)}`);
    await delay(readyPollMs);
  }
}

const notReady = ({ spec }: ManagedProgram): string => `not ready after ${(spec.readyTimeoutMs ?? usualTimeoutMs) / 1000} s`;

function startFailure(program: ManagedProgram, reason: string): Error {
  const tail = program.logTail();
  const shown = tail === '' ? ' (it is empty)' : `; its last lines:\n${tail.replace(/^/gm, '    ')}`;
  return new Error(`${program.spec.name} did not start: ${reason}\n  log: ${program.spec.log}${shown}`);
}
