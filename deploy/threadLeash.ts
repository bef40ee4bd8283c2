import { BroadcastChannel, getEnvironmentData, parentPort, setEnvironmentData, threadId, workerData } from 'node:worker_threads';

/**
 * Loaded into every thread of a program that runs as a thread (`managedThread.ts`), before the program. It stands in for what a process has and a
 * thread has not: the channel to whoever started it, signals, and being stopped where it stands. Threads that the program starts inherit it.
 */

export type ThreadOrder = 'SIGTERM' | 'SIGSTOP' | 'SIGKILL';

/** `workerData` of the first thread. */
export interface ThreadTerms {
  /** One number: 1 while the threads of the program are to stand still. */
  readonly standstill: Int32Array<SharedArrayBuffer>;
}

/** In the environment data of the threads that the first one starts: where they hear of a standstill, and its cell. */
const inheritedKey = 'raftplane.standstill';

interface Inherited extends ThreadTerms {
  readonly channel: string;
}

const standStill = ({ standstill }: ThreadTerms): void => {
  Atomics.wait(standstill, 0, 1);
};

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
    if (order === 'SIGTERM') process.emit('SIGTERM', 'SIGTERM');
    // Once nothing that came from a socket is being worked on: a thread that is ended inside Node's HTTP/2, between the head and the body of a request, makes
    // Node end the whole process.
    if (order === 'SIGKILL') return void setImmediate(() => process.exit());
    if (order !== 'SIGSTOP') return deliver(order);
    others.postMessage(order);
    standStill(terms);
  });
  parentPort?.unref();
}

/** As with the channel of a process, what comes before anybody listens is kept for the first who does. */
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
  orders.onmessage = () => standStill(terms);
  orders.unref();
}

const inherited = getEnvironmentData(inheritedKey) as unknown as Inherited | undefined;
const own = workerData as Partial<ThreadTerms> | null;
if (inherited) leashInner(inherited);
else if (own?.standstill) leashFirst({ standstill: own.standstill });
