import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

export interface Rotation {
  /** The size at which a new file begins. */
  readonly maxBytes: number;
  /** The retention in days; 0 for ever. */
  readonly maxAgeDays: number;
  /** The number of old files to keep; 0 for all. */
  readonly maxBackups: number;
  readonly compress: boolean;
  /** Failed compressions and removals of old files; the log goes on. */
  readonly report: (error: Error) => void;
}

const dayMs = 86_400_000;

/** A log file that is rotated when full. Names of old files have the time: `audit-2026-01-02T03-04-05.678.log`. */
export class RotatingFile {
  readonly #file: string;
  readonly #rotation: Rotation;
  #handle: fs.FileHandle;
  #size: number;
  #rotatedAt = 0;
  #tidying: Promise<void> = Promise.resolve();

  private constructor(file: string, rotation: Rotation, handle: fs.FileHandle, size: number) {
    this.#file = file;
    this.#rotation = rotation;
    this.#handle = handle;
    this.#size = size;
  }

  /** Opens or continues a file, and makes its folder. Rejects when it cannot be written. */
  static async open(file: string, rotation: Rotation): Promise<RotatingFile> {
    await makeFolder(path.dirname(path.resolve(file)));
    const handle = await openLog(file);
    return new RotatingFile(file, rotation, handle, (await handle.stat()).size);
  }

  /** Writes the whole text or nothing: undoes a partial write to a full disk, so that lines stay whole. Calls must not overlap. */
  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    if (this.#size > 0 && this.#size + bytes.length > this.#rotation.maxBytes) await this.#rotate();
    try {
      for (let written = 0; written < bytes.length;) written += (await this.#handle.write(bytes, written)).bytesWritten;
      this.#size += bytes.length;
    } catch (error) {
      // A special file cannot be truncated, but has written nothing.
      await this.#handle.truncate(this.#size).catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#tidying;
    await this.#handle.close();
  }

  async #rotate(): Promise<void> {
    // Two rotations in one millisecond must not share a name.
    this.#rotatedAt = Math.max(Date.now(), this.#rotatedAt + 1);
    await fs.rename(this.#file, this.#backupName(new Date(this.#rotatedAt)));
    const full = this.#handle;
    this.#handle = await openLog(this.#file);
    this.#size = 0;
    await full.close();
    this.#tidying = this.#tidying
      .then(() => this.#tidy())
      .catch((error: unknown) => {
        this.#rotation.report(error as Error);
      });
  }

  #parts(): { readonly folder: string; readonly stem: string; readonly ending: string } {
    const ending = path.extname(this.#file);
    return { folder: path.dirname(this.#file), stem: `${path.basename(this.#file, ending)}-`, ending };
  }

  #backupName(now: Date): string {
    const { folder, stem, ending } = this.#parts();
    return path.join(folder, `${stem}${now.toISOString().slice(0, -1).replaceAll(':', '-')}${ending}`);
  }

  async #tidy(): Promise<void> {
    const { maxAgeDays, maxBackups, compress } = this.#rotation;
    const backups = await this.#backups();
    const oldest = maxAgeDays === 0 ? 0 : Date.now() - maxAgeDays * dayMs;
    const kept = backups.filter(({ time }, index) => time >= oldest && (maxBackups === 0 || index < maxBackups));
    for (const { file } of backups) if (!kept.some((backup) => backup.file === file)) await fs.rm(file, { force: true });
    if (compress) for (const { file } of kept) if (!file.endsWith('.gz')) await compressFile(file);
  }

  async #backups(): Promise<readonly { readonly file: string; readonly time: number }[]> {
    const { folder, stem, ending } = this.#parts();
    const found = (await fs.readdir(folder)).flatMap((name) => {
      const rest = name.startsWith(stem) ? name.slice(stem.length).replace(/\.gz$/, '') : '';
      const stamp = rest.endsWith(ending) ? rest.slice(0, rest.length - ending.length) : '';
      const time = Date.parse(`${stamp.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:')}Z`);
      return Number.isNaN(time) ? [] : [{ file: path.join(folder, name), time }];
    });
    return found.sort((a, b) => b.time - a.time);
  }
}

/** Recursive `mkdir` never returns in Node 20 on file systems that create nothing, such as /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(path.dirname(folder));
  await fs.mkdir(folder, { mode: 0o755 });
}

/** Readable by the server alone: events reveal who does what. */
const openLog = (file: string): Promise<fs.FileHandle> => fs.open(file, 'a', 0o600);

/** Compresses under a temporary name first, so that a crash leaves the old file. */
async function compressFile(file: string): Promise<void> {
  const unfinished = `${file}.gz.tmp`;
  await pipeline(createReadStream(file), createGzip(), createWriteStream(unfinished, { mode: 0o600 }));
  await fs.rename(unfinished, `${file}.gz`);
  await fs.rm(file, { force: true });
}
