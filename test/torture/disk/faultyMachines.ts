import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { losePower, type Loss, type Survival } from './losePower.js';

export type DiskFault = 'slow' | 'syncFails' | 'full';

/** As `faultyDisk.c` numbers them. */
const modes: Readonly<Record<DiskFault | 'good', number>> = { good: 0, slow: 1, syncFails: 2, full: 3 };
/** The control page, as `shim.h` lays it out: the disk's mode, milliseconds of a slow one (32 bits each), and milliseconds that the wall clock is ahead (64 bits). */
const clockAt = 8;
const sources = ['faultyDisk.c', 'content.c', 'names.c', 'wallClock.c'];

/**
 * Machines whose disks fail, whose power is lost and whose wall clocks jump, each for one process at a time: through a library that is compiled here and preloaded.
 * Without a C compiler there are none.
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
   * What the environment of a machine's process must hold. Files below `dataDirectory` are followed, as far as the process names them by that path,
   * which must be absolute and without links, and on the file system of this object's own directory.
   */
  environment(id: string, dataDirectory: string): Readonly<Record<string, string>> {
    this.setDisk(id, 'good');
    this.#write(id, clockAt, BigInt64Array.of(0n));
    fs.mkdirSync(this.#journal(id), { recursive: true });
    return { LD_PRELOAD: this.#library, SHIM_CONTROL: this.#control(id), SHIM_DIRECTORY: dataDirectory, SHIM_JOURNAL: this.#journal(id) };
  }

  /** Takes effect with the process's next call. `ms` is how long each sync takes on a slow disk. */
  setDisk(id: string, state: DiskFault | 'good', ms = 0): void {
    this.#write(id, 0, Int32Array.of(modes[state], ms));
  }

  /** Moves the wall clock by `ms`, back when negative, on top of earlier jumps; at once. Other clocks stay. */
  jumpClock(id: string, ms: number): void {
    const ahead = (this.#clocks.get(id) ?? 0) + ms;
    this.#clocks.set(id, ahead);
    this.#write(id, clockAt, BigInt64Array.of(BigInt(ahead)));
  }

  /** When all processes of the machine are dead: what its disk holds now. */
  losePower(id: string, dataDirectory: string, survival: Survival): Loss {
    return losePower(this.#journal(id), dataDirectory, survival);
  }

  /** The machine and its disk are gone. */
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
