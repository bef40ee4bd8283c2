/** Native code of `@photostructure/sqlite` aborts the process when its thread is terminated meanwhile: a thread passes a gate into each call, closed at exit. */
const Gate = { open: 0, inside: 1, closing: 2, closed: 3 } as const;

const closingMs = 5_000;

const started = new Set<Int32Array>();
const closeAll = (): void => {
  for (const gate of started) close(gate);
};

/** Call `ended` when the thread has. */
export function gateOfThread(): { readonly gate: SharedArrayBuffer; readonly ended: () => void } {
  const gate = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const cell = new Int32Array(gate);
  if (started.size === 0) process.on('exit', closeAll);
  started.add(cell);
  const ended = (): void => {
    started.delete(cell);
    if (started.size === 0) process.off('exit', closeAll);
  };
  return { gate, ended };
}

function close(gate: Int32Array): void {
  const end = performance.now() + closingMs;
  while (Atomics.compareExchange(gate, 0, Gate.open, Gate.closed) === Gate.inside && performance.now() < end) {
    Atomics.compareExchange(gate, 0, Gate.inside, Gate.closing);
    Atomics.wait(gate, 0, Gate.closing, closingMs);
  }
}

let own: Int32Array | null = null;

export function useGate(gate: SharedArrayBuffer): void {
  own = new Int32Array(gate);
}

/** Does not return once the gate is closed. */
export function pass<T>(call: () => T): T {
  if (own === null) return call();
  if (Atomics.compareExchange(own, 0, Gate.open, Gate.inside) !== Gate.open) awaitEnd(own);
  try {
    return call();
  } finally {
    if (Atomics.compareExchange(own, 0, Gate.inside, Gate.open) !== Gate.inside) {
      Atomics.store(own, 0, Gate.closed);
      Atomics.notify(own, 0);
      awaitEnd(own);
    }
  }
}

function awaitEnd(gate: Int32Array): void {
  for (;;) Atomics.wait(gate, 0, Gate.closed);
}
