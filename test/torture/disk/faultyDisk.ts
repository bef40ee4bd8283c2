import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';

export type DiskFault = 'slow' | 'syncFails' | 'full';

/** As `faultyDisk.c` numbers them. */
const modes: Readonly<Record<DiskFault | 'good', number>> = { good: 0, slow: 1, syncFails: 2, full: 3 };

/** Makes disks of processes fail, through a library that is compiled here; without a C compiler there is none. */
export class FaultyDisks {
  private constructor(private readonly directory: string, private readonly library: string) {}

  static make(directory: string): FaultyDisks | null {
    if (process.platform !== 'linux') return null;
    fs.mkdirSync(directory, { recursive: true });
    const library = path.join(directory, 'faultyDisk.so');
    const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, path.join(packageRoot, 'test/torture/disk/faultyDisk.c'), '-ldl'], { stdio: 'ignore' });
    return status === 0 ? new FaultyDisks(directory, library) : null;
  }

  /** What the environment of a member's process must hold. `dataDirectory` must have no links in its path. */
  environment(id: string, dataDirectory: string): Readonly<Record<string, string>> {
    this.set(id, 'good');
    return { LD_PRELOAD: this.library, FAULTY_DISK_CONTROL: this.#control(id), FAULTY_DISK_DIRECTORY: dataDirectory };
  }

  /** Takes effect with the process's next call. `ms` is how long each sync takes on a slow disk. */
  set(id: string, state: DiskFault | 'good', ms = 0): void {
    const file = fs.openSync(this.#control(id), fs.constants.O_RDWR | fs.constants.O_CREAT);
    try {
      fs.writeSync(file, new Uint8Array(Int32Array.of(modes[state], ms).buffer), 0, 8, 0);
    } finally {
      fs.closeSync(file);
    }
  }

  #control(id: string): string {
    return path.join(this.directory, `${id}.control`);
  }
}
