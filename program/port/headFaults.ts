import type { Request } from './message.js';

/** RFC 3986, sections 3.2.2 and 3.2.3, as the reference reads them. */
const hostCharacters = /^[\w.\-~!$&'()*+,;=:[\]%]*$/;

/** Returns the fault in the reference's words. Node checks this only in servers for HTTP/1.1 alone; for HTTP/2, nghttp2 does. */
export function headFaultOf({ httpVersionMajor, httpVersion, headers, rawHeaders }: Request): string | null {
  if (httpVersionMajor !== 1) return null;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at] as string)) hosts += 1;
  if (hosts > 1) return 'too many Host headers';
  if (hosts === 0 && httpVersion !== '1.0') return 'missing required Host header';
  if (!hostCharacters.test(headers.host ?? '')) return 'malformed Host header';
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return null;
  // Proxies and backends may interpret other codings, or an additional length, differently.
  if (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked') return 'unsupported transfer encoding';
  return headers['content-length'] === undefined ? null : 'both a transfer encoding and a length';
}

/** RFC 9110, section 10.1.1. Node answers `100-continue` by itself. */
export const expectsOther = ({ headers: { expect } }: Request): boolean =>
  expect !== undefined && !/(?:^|\W)100-continue(?:$|\W)/i.test(expect);

const isHost = (name: string): boolean => name.length === 4 && name.toLowerCase() === 'host';
