import diagnosticsChannel from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { BroadcastChannel, getEnvironmentData, parentPort, setEnvironmentData, threadId, workerData } from 'node:worker_threads';
import { Cell, ThreadState, type ThreadTerms } from './threadState.js';

/**
 * Loaded before the program into every thread of a program that runs as a thread (`managedThread.ts`). It provides what threads lack: the launcher's channel,
 * signals, and suspension. Threads started by the program inherit it.
 */

const inheritedKey = 'raftplane.standstill';

interface Inherited extends ThreadTerms {
  readonly channel: string;
}

/** Blocks while suspended. `end` means that nothing is left to do. */
function standStill({ standstill }: ThreadTerms): number {
  Atomics.wait(standstill, Cell.state, ThreadState.standStill);
  return Atomics.load(standstill, Cell.state);
}

function leashFirst(terms: ThreadTerms): void {
  const channel = `raftplane-${process.pid}-${threadId}`;
  setEnvironmentData(inheritedKey, { ...terms, channel });
  const others = new BroadcastChannel(channel) as BroadcastChannel & { unref(): void };
  others.unref();
  process.send = (message) => {
    parentPort?.postMessage(message);
    return true;
  };
  const deliver = messagesToListeners();
  parentPort?.on('message', (order: unknown) => {
    if (order === 'SIGTERM') return void process.emit('SIGTERM', 'SIGTERM');
    if (order === 'SIGKILL') return void process.exit();
    if (order !== 'SIGSTOP') return deliver(order);
    others.postMessage(order);
    // May also end here (`exitBetweenReads`), if killed meanwhile.
    setImmediate(() => {
      if (standStill(terms) === ThreadState.end) exit();
    });
  });
  parentPort?.unref();
  const exit = exitBetweenReads(terms);
}

/**
 * Makes `process.exit` end the thread only while no socket is being read; so it returns to its caller. After a thread's end, Node's loop runs one more turn,
 * and aborts the process when the body of an accepted HTTP/2 request has no receiver (an assertion in `StreamBase::CallJSOnreadMethod`). Returns a function
 * that ends the thread at once, from its own turn.
 */
function exitBetweenReads({ standstill }: ThreadTerms): typeof process.exit {
  const taken = new Set<Socket>();
  diagnosticsChannel.subscribe('net.server.socket', (message) => {
    const { socket } = message as { readonly socket: Socket };
    taken.add(socket);
    socket.once('close', () => taken.delete(socket));
  });
  const exit = process.exit.bind(process);
  process.exit = ((code) => void setImmediate(() => exit(code))) as typeof process.exit;
  process.once('exit', () => {
    for (const socket of taken) socket.destroy();
    Atomics.store(standstill, Cell.ended, 1);
    Atomics.notify(standstill, Cell.ended);
  });
  return exit;
}

/** Keeps messages for the first listener, as in a process. */
function messagesToListeners(): (message: unknown) => void {
  let early: unknown[] = [];
  const emit = (message: unknown): void => {
    process.emit('message', message, undefined);
  };
  process.on('newListener', (event: string) => {
    if (event !== 'message') return;
    const waiting = early;
    early = [];
    // The listener is there after this turn.
    queueMicrotask(() => waiting.forEach(emit));
  });
  return (message) => {
    if (process.listenerCount('message') === 0) early.push(message);
    else emit(message);
  };
}

function leashInner(terms: Inherited): void {
  const orders = new BroadcastChannel(terms.channel) as BroadcastChannel & { unref(): void };
  orders.onmessage = () => {
    // The first thread ends, and this one with it.
    if (standStill(terms) === ThreadState.end) Atomics.wait(terms.standstill, Cell.state, ThreadState.end);
  };
  orders.unref();
}

const inherited = getEnvironmentData(inheritedKey) as unknown as Inherited | undefined;
const own = workerData as Partial<ThreadTerms> | null;
if (inherited) leashInner(inherited);
else if (own?.standstill) leashFirst({ standstill: own.standstill });
