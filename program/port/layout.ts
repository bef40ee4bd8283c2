const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];
const [comma, colon, quote, backslash, newline] = [0x2c, 0x3a, 0x22, 0x5c, 0x0a];
const indent = '  ';

/** Bytes indented at a time, so that other requests are not delayed. */
const stepBytes = 64 * 1024;

/** The parts are one document, cut anywhere. Space outside strings must be line ends only, as our encoders write it. */
export function* laidOut(parts: Iterable<Buffer>): Generator<Buffer> {
  const layout = new Layout();
  for (const part of parts) for (let at = 0; at < part.length; at += stepBytes) yield layout.next(part.subarray(at, at + stepBytes));
}

class Layout {
  #depth = 0;
  #opened = false;
  #inString = false;
  #escaped = false;

  next(part: Buffer): Buffer {
    const out: Buffer[] = [];
    let from = 0;
    for (let at = 0; at < part.length; at++) {
      const byte = part[at] ?? 0;
      if (this.#inString) {
        this.#passString(byte);
        continue;
      }
      const around = this.#around(byte);
      if (around === null) continue;
      out.push(part.subarray(from, at), Buffer.from(around));
      from = at + 1;
    }
    out.push(part.subarray(from));
    return Buffer.concat(out);
  }

  #passString(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) this.#inString = false;
  }

  /** Null keeps the byte. */
  #around(byte: number): string | null {
    if (byte === newline) return '';
    if (byte === closeObject || byte === closeList) return this.#close(byte);
    const line = this.#opened ? this.#newLine() : '';
    this.#opened = byte === openObject || byte === openList;
    if (this.#opened) this.#depth++;
    if (byte === quote) this.#inString = true;
    if (byte === comma) return `,${this.#newLine()}`;
    if (byte === colon) return ': ';
    return line === '' ? null : line + String.fromCharCode(byte);
  }

  #close(byte: number): string {
    const empty = this.#opened;
    this.#opened = false;
    this.#depth--;
    return (empty ? '' : this.#newLine()) + String.fromCharCode(byte);
  }

  #newLine(): string {
    return String.fromCharCode(newline) + indent.repeat(this.#depth);
  }
}
