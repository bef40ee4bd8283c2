import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FormSubject } from '../../../../server/storage/commonForms.js';
import type { SegmentValue } from '../../../../server/storage/segment.js';
import { SharedForms, type FormCounts } from '../../../../server/threads/sharedForms.js';

/** One of several threads that request the same forms: its task and result. */
export interface FormWork {
  readonly table: SharedArrayBuffer;
  /** Two counters: started threads, and threads that have finished a step. */
  readonly gate: SharedArrayBuffer;
  readonly thread: number;
  readonly threads: number;
  readonly peers: readonly MessagePort[];
  readonly steps: number;
  readonly keys: number;
  readonly versions: number;
  readonly waitMs: number;
  /** All threads request the same key at once, one key a step; otherwise random ones. */
  readonly inStep: boolean;
}

export interface FormWorkDone {
  readonly asked: number;
  readonly makes: number;
  readonly counts: FormCounts;
  /** Errors; expected to be empty. */
  readonly wrong: readonly string[];
}

const facts = { resource: { group: '', resource: 'configmaps' } };
const lettersMax = 26;
/** The number of forms in use; the oldest are released. */
const heldMax = 400;
const wrongMax = 5;

/** The content of a key, version and form: its length and letters are almost unique. */
function textOf(key: number, version: number, form: string): string {
  const letter = String.fromCharCode('a'.charCodeAt(0) + ((key + version) % lettersMax));
  return `${form} of ${key} at ${version} ${letter.repeat(1 + ((key * 31 + version * 7) % 1_500))}`;
}

function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function work({ gate, steps, keys, versions, inStep, thread, threads, ...rest }: FormWork): Promise<FormWorkDone> {
  const words = new Int32Array(gate);
  const forms = new SharedForms({ thread, threads, ...rest });
  const random = chance(thread + 1);
  const held: { readonly check: () => void; readonly leave: () => void }[] = [];
  const wrong: string[] = [];
  let makes = 0;
  let asked = 0;

  const ask = (key: number, version: number, form: string): void => {
    const subject: FormSubject = { facts, namespace: 'ns', name: `object-${key}`, version };
    const expected = textOf(key, version, form);
    const notes = [key, version, expected.length, 0] as const;
    const make = (): { bytes: Buffer; notes: typeof notes } => {
      makes++;
      return { bytes: Buffer.from(expected), notes };
    };
    asked++;
    const found = forms.of(subject, form, make);
    const check = (): void => {
      const isRight = found.bytes.toString() === expected && found.notes.every((note, at) => note === notes[at]);
      if (!isRight && wrong.length < wrongMax) wrong.push(`${expected.slice(0, 40)}: ${found.bytes.toString().slice(0, 40)}`);
    };
    check();
    const lodger: SegmentValue = { size: found.bytes.length, moveOut: () => undefined };
    const place = found.segment?.add(lodger) ?? 0;
    held.push({ check, leave: () => found.segment?.leave(place, lodger.size) });
    if (held.length <= heldMax) return;
    const oldest = held.shift();
    // Many later writes must not have replaced it.
    oldest?.check();
    oldest?.leave();
  };

  /** Waits for all threads. */
  const meet = (meeting: number): void => {
    if (Atomics.add(words, 0, 1) + 1 === threads * meeting) Atomics.notify(words, 0);
    for (let there = Atomics.load(words, 0); there < threads * meeting; there = Atomics.load(words, 0)) Atomics.wait(words, 0, there, 100);
  };

  // Slabs are announced before their use: all threads know the first ones.
  meet(1);
  await nextTurn();
  await nextTurn();
  for (let step = 0; step < steps; step++) {
    if (inStep) {
      meet(step + 2);
      ask(step, 1, 'item');
      await nextTurn();
    } else {
      ask(random(keys), 1 + random(versions) + Math.floor((step * versions) / steps), random(2) === 0 ? 'item' : 'metadata');
      if (step % 64 === 0) await nextTurn();
    }
  }
  for (const { check } of held) check();
  return { asked, makes, counts: forms.counts, wrong };
}

parentPort?.postMessage(await work(workerData as FormWork));
// The last thread stays until others have read its memory.
await new Promise((resolve) => parentPort?.once('message', resolve));
