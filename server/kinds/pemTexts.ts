/** One undecoded block of a PEM text. */
export interface PemText {
  readonly type: string;
  /** Includes the first and last line. */
  readonly whole: string;
  /** Excludes the first and last line. */
  readonly content: string;
}

const begin = '-----BEGIN ';
const endMark = '-----END ';
const close = '-----';

interface Open {
  readonly type: string;
  readonly from: number;
  readonly contentFrom: number;
}

/** The blocks of a text in order; text around them and incomplete blocks are ignored. Reads each line once: a pattern would take quadratic time. */
export function pemTexts(text: string): PemText[] {
  const blocks: PemText[] = [];
  let open: Open | null = null;
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from);
    const next = end < 0 ? text.length : end + 1;
    if (text.startsWith(close, from)) {
      const line = text.slice(from, next).trimEnd();
      const ended = typeIn(line, endMark);
      if (open !== null && ended === open.type)
        blocks.push({ type: open.type, whole: text.slice(open.from, from + line.length), content: text.slice(open.contentFrom, from) });
      const begun = typeIn(line, begin);
      if (begun !== null) open = { type: begun, from, contentFrom: next };
      else if (ended !== null) open = null;
    }
    from = next;
  }
  return blocks;
}

function typeIn(line: string, marker: string): string | null {
  return line.startsWith(marker) && line.endsWith(close) && line.length >= marker.length + close.length
    ? line.slice(marker.length, -close.length)
    : null;
}
