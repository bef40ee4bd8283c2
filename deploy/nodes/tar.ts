/** Reads and writes files and folders in `tar` archives (POSIX.1-2001, ustar with extended headers), for `kubectl cp`. Pure. */

export interface TarEntry {
  /** Excludes leading and trailing slashes. */
  readonly path: string;
  /** Null for a folder. */
  readonly bytes: Buffer | null;
}

const blockBytes = 512;
const nameBytesMax = 100;
const fields = { name: 0, mode: 100, size: 124, time: 136, checksum: 148, type: 156, magic: 257, prefix: 345 } as const;

/** Throws for invalid archives. Skips links and other entries. */
export function readTar(archive: Buffer): TarEntry[] {
  const entries: TarEntry[] = [];
  let longPath: string | null = null;
  for (let at = 0; at + blockBytes <= archive.length;) {
    const head = archive.subarray(at, at + blockBytes);
    if (head.every((byte) => byte === 0)) break;
    if (numberAt(head, fields.checksum, 8) !== checksumOf(head)) throw new Error('this does not look like a tar archive');
    const size = numberAt(head, fields.size, 12);
    const type = String.fromCharCode(head[fields.type] ?? 0);
    const bytes = archive.subarray(at + blockBytes, at + blockBytes + size);
    if (bytes.length < size) throw new Error('unexpected end of the archive');
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
    if (type === 'x') {
      longPath = /^\d+ path=(.*)$/m.exec(bytes.toString())?.[1] ?? longPath;
      continue;
    }
    const prefix = textAt(head, fields.prefix, 155);
    const path = longPath ?? (prefix === '' ? '' : `${prefix}/`) + textAt(head, fields.name, nameBytesMax);
    longPath = null;
    if (type === '5') entries.push({ path: bare(path), bytes: null });
    else if (type === '0' || type === '\0') entries.push({ path: bare(path), bytes: Buffer.from(bytes) });
  }
  return entries;
}

export function writeTar(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap(({ path, bytes }) => {
    const [name, type] = bytes === null ? [`${path}/`, '5'] : [path, '0'];
    const isLong = Buffer.byteLength(name) > nameBytesMax;
    return [...(isLong ? entry('long', 'x', extendedPath(name)) : []), ...entry(isLong ? 'long' : name, type, bytes ?? Buffer.alloc(0))];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]);
}

function entry(name: string, type: string, bytes: Buffer): Buffer[] {
  const head = Buffer.alloc(blockBytes);
  head.write(name, fields.name);
  head.write(type === '5' ? '0000755\0' : '0000644\0', fields.mode);
  head.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, fields.size);
  head.write('00000000000\0', fields.time);
  head.write(type, fields.type);
  head.write('ustar\x0000', fields.magic);
  head.write(`${checksumOf(head).toString(8).padStart(6, '0')}\0 `, fields.checksum);
  return [head, bytes, Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes)];
}

/** The length of a record includes the digits of the length. */
function extendedPath(path: string): Buffer {
  const rest = Buffer.byteLength(` path=${path}\n`);
  let length = rest + 1;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return Buffer.from(`${length} path=${path}\n`);
}

const checksumOf = (head: Buffer): number =>
  head.reduce((sum, byte, at) => sum + (at >= fields.checksum && at < fields.checksum + 8 ? 0x20 : byte), 0);
const textAt = (head: Buffer, at: number, length: number): string => head.toString('utf8', at, at + length).replace(/\0.*$/s, '');
const numberAt = (head: Buffer, at: number, length: number): number => parseInt(textAt(head, at, length).trim() || '0', 8);
const bare = (path: string): string => path.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
