import { pemTexts } from '../pemTexts.js';

/** RFC 1421 in the form of RFC 7468. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const header = /^[^:\r\n]+:[^\r\n]*\r?\n/;

/** Text around the blocks is ignored. */
export function pemBlocks(text: string): PemBlock[] {
  return pemTexts(text).flatMap(({ type, content }) => {
    let rest = content;
    while (header.test(rest)) rest = rest.replace(header, '');
    const base64 = rest.replace(/\s/g, '');
    return /^[A-Za-z0-9+/]*={0,2}$/.test(base64) && base64.length % 4 === 0
      ? [{ type, hasHeaders: rest !== content, bytes: Buffer.from(base64, 'base64') }]
      : [];
  });
}
