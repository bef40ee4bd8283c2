/** Meaningless if the text is not JSON. */
export interface JsonSurvey {
  /** Members of all objects, counted as colons outside strings. */
  readonly members: number;
  readonly depth: number;
  /** Every number is an integer of at most 15 digits, which JSON.parse keeps exactly. */
  readonly plainNumbers: boolean;
}

const quoteByte = 0x22;
const backslash = 0x5c;
const digitsMax = 15;

/** Classes of bytes outside strings. */
const mark = { open: 1, close: 2, number: 3 } as const;
const marks = new Uint8Array(256);
for (const byte of Buffer.from('{[')) marks[byte] = mark.open;
for (const byte of Buffer.from('}]')) marks[byte] = mark.close;
for (const byte of Buffer.from('-0123456789')) marks[byte] = mark.number;

/**
 * Reads every byte once, at a small fraction of JSON.parse's cost. A native search in `latin1`, with a character per byte, skips strings faster than a loop.
 */
export const surveyJson = (bytes: Uint8Array, latin1: string): JsonSurvey => {
  let members = 0;
  let depth = 0;
  let depthMax = 0;
  let plainNumbers = true;
  const end = bytes.length;
  for (let index = 0; index < end; index++) {
    const byte = bytes[index] as number;
    if (byte === quoteByte) {
      const start = index + 1;
      index = latin1.indexOf('"', start);
      if (index > start && bytes[index - 1] === backslash) index = endOfEscaped(bytes, latin1, start, index);
      if (index < 0) break;
    } else if (byte === 0x3a) members++;
    else if (byte !== 0x2c) {
      const begun = marks[byte];
      if (begun === mark.open) {
        if (++depth > depthMax) depthMax = depth;
      } else if (begun === mark.close) depth--;
      else if (begun === mark.number && plainNumbers) {
        // One non-plain number decides; testing each digit of a long one would take quadratic time.
        const last = endOfNumber(bytes, index);
        if (last < 0) plainNumbers = false;
        else index = last;
      }
    }
  }
  return { members, depth: depthMax, plainNumbers };
};

/** Returns the first unescaped quote from `quote` on; -1 for none. */
const endOfEscaped = (bytes: Uint8Array, latin1: string, start: number, quote: number): number => {
  for (let index = quote; index >= 0; index = latin1.indexOf('"', index + 1)) {
    let before = index - 1;
    while (before >= start && bytes[before] === backslash) before--;
    if ((index - before) % 2 === 1) return index;
  }
  return -1;
};

/** Returns the last digit of a plain integer, or -1 for any other number. */
const endOfNumber = (bytes: Uint8Array, start: number): number => {
  let index = bytes[start] === 0x2d ? start + 1 : start;
  if (index > start && bytes[index] === 0x30) return -1;
  const first = index;
  for (let byte = bytes[index]; byte !== undefined && byte >= 0x30 && byte <= 0x39; byte = bytes[++index]);
  const next = bytes[index];
  if (next === 0x2e || next === 0x65 || next === 0x45 || index - first > digitsMax) return -1;
  return index - 1;
};
