import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { losePower, type Loss, type Survival } from './losePower.js';

export type DiskFault = 'slow' | 'syncFails' | 'full';

/** Numbers in `faultyDisk.c`. */
const modes: Readonly<Record<DiskFault | 'good', number>> = { good: 0, slow: 1, syncFails: 2, full: 3 };
/** The control page of `shim.h`: disk mode and sync milliseconds (32 bits each), then the wall clock's offset in milliseconds (64 bits). */
const clockAt = 8;
const sources = ['faultyDisk.c', 'content.c', 'names.c', 'wallClock.c'];

/**
 * Machines whose disks fail, lose power and have jumping clocks, each for one process at a time, by a preloaded library that is compiled here. Requires a C
 * compiler.
 */
export class FaultyMachines {
  readonly #directory: string;
  readonly #library: string;
  readonly #clocks = new Map<string, number>();

  private constructor(directory: string, library: string) {
    this.#directory = directory;
    this.#library = library;
  }

  static make(directory: string): FaultyMachines | null {
    if (process.platform !== 'linux') return null;
    fs.mkdirSync(directory, { recursive: true });
    const library = path.join(directory, 'shim.so');
    const files = sources.map((name) => path.join(packageRoot, 'test/torture/disk', name));
    const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, ...files, '-ldl', '-lpthread'], { stdio: 'ignore' });
    return status === 0 ? new FaultyMachines(directory, library) : null;
  }

  /**
   * The environment of a machine's process. The library tracks files that the process names by `dataDirectory`, an absolute path without links on this
   * object's file system.
   */
  environment(id: string, dataDirectory: string): Readonly<Record<string, string>> {
    this.setDisk(id, 'good');
    this.#write(id, clockAt, BigInt64Array.of(0n));
    fs.mkdirSync(this.#journal(id), { recursive: true });
    return { LD_PRELOAD: this.#library, SHIM_CONTROL: this.#control(id), SHIM_DIRECTORY: dataDirectory, SHIM_JOURNAL: this.#journal(id) };
  }

  /** Takes effect at the next call. `ms` is the duration of a sync on a slow disk. */
  setDisk(id: string, state: DiskFault | 'good', ms = 0): void {
    this.#write(id, 0, Int32Array.of(modes[state], ms));
  }

  /** Moves the wall clock by `ms` (may be negative) at once, in addition to earlier jumps. Other clocks stay. */
  jumpClock(id: string, ms: number): void {
    const ahead = (this.#clocks.get(id) ?? 0) + ms;
    this.#clocks.set(id, ahead);
    this.#write(id, clockAt, BigInt64Array.of(BigInt(ahead)));
  }

  /** Applies a power loss after all processes of the machine have ended. */
  losePower(id: string, dataDirectory: string, survival: Survival): Loss {
    return losePower(this.#journal(id), dataDirectory, survival);
  }

  forget(id: string): void {
    fs.rmSync(this.#journal(id), { recursive: true, force: true });
  }

  #write(id: string, at: number, numbers: Int32Array | BigInt64Array): void {
    const file = fs.openSync(this.#control(id), fs.constants.O_RDWR | fs.constants.O_CREAT);
    try {
      fs.writeSync(file, new Uint8Array(numbers.buffer), 0, numbers.byteLength, at);
    } finally {
      fs.closeSync(file);
    }
  }

  #control(id: string): string {
    return path.join(this.#directory, `${id}.control`);
  }

  #journal(id: string): string {
    return path.join(this.#directory, `${id}.journal`);
  }
}
