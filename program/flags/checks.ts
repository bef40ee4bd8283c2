import { isIP } from 'node:net';
import { quotedPairs } from './quotedPairs.js';

/** Each returns the expected form, or null when the value is valid. */
type Check = (value: string) => string | null;

export const ipAddress: Check = (value) => (isIP(value) > 0 ? null : 'an IP address such as 127.0.0.1 or ::1');

/** One, or two separated by a comma. */
export const cidrs: Check = (value) => {
  const parts = value.split(',');
  return parts.length <= 2 && parts.every(isCidr) ? null : 'an address range such as 10.0.0.0/24, or two of them with a comma between';
};

function isCidr(text: string): boolean {
  const [, address, bits] = /^(.+)\/(\d{1,3})$/.exec(text) ?? [];
  const family = isIP(address ?? '');
  return family > 0 && Number(bits) <= (family === 4 ? 32 : 128);
}

/** Parses `30000-32767`, `30000+2767` or one port; NaN for anything else. */
export function portsIn(text: string): { readonly first: number; readonly last: number } {
  const [, low = NaN, sign = '-', number] = /^(\d{1,5})(?:([-+])(\d{1,5}))?$/.exec(text) ?? [];
  const first = Number(low);
  return { first, last: sign === '+' ? first + Number(number) : Number(number ?? low) };
}

export const portRange: Check = (value) => {
  const { first, last } = portsIn(value);
  return first >= 1 && first <= last && last <= 65_535 ? null : 'a range of ports such as 30000-32767';
};

const regularExpression: Check = (value) => {
  try {
    new RegExp(value);
    return null;
  } catch {
    return 'a regular expression';
  }
};

/** A pattern must be anchored at both ends, as in the reference, or it would match `https://example.com.evil.test`. */
export const originPattern: Check = (value) => {
  const wrong = regularExpression(value);
  if (wrong !== null) return wrong;
  return /\^|\/\//.test(value) && /[$:]/.test(value)
    ? null
    : 'a regular expression that is tied to the start of the host name (^ or //) and to its end ($ or :), such as ^https://example\\.com$';
};

/** Directives of RFC 6797, section 6.1. */
export const hstsDirective: Check = (value) =>
  /^(max-age=\d{1,10}|includeSubDomains|preload)$/.test(value.trim()) ? null : 'max-age=SECONDS, includeSubDomains or preload';

/** `host:port`, with an IPv6 address in brackets. */
export const hostPort: Check = (value) => {
  const [, port] = /^(?:\[[0-9a-fA-F:.]+\]|[^\s:[\]/,=]*):(\d{1,5})$/.exec(value) ?? [];
  return port !== undefined && Number(port) <= 65_535 ? null : 'an address such as 10.0.0.1:2380 or [::1]:2380';
};

export const minorVersion: Check = (value) => (/^\d+\.\d+$/.test(value) ? null : 'a version such as 1.35');

/** A token of RFC 9110, section 5.6.2. */
export const headerName: Check = (value) => (/^[\w!#$%&'*+.^`|~-]+$/.test(value) ? null : 'the name of a header such as X-Remote-User');

export const httpsUrl: Check = (value) => (/^https:\/\/[^\s/]+/.test(value) ? null : 'a URL that begins with https://');

/** The host may be missing: clients may insert theirs. */
export const httpsScheme: Check = (value) =>
  /^https:/i.test(value) && URL.canParse(value.replace(/^https:\/\/\/+/i, 'https://host/')) ? null : 'a URL that begins with https://';

export const serverUrl: Check = (value) => (/^(https?|unixs?):\/\/\S+$/.test(value) ? null : 'a URL such as https://10.0.0.1:2379');

export const reportedVersion: Check = (value) =>
  /^(true|raw|false|v\d+\.\d+\.\d+([-+][\w.+-]*)?)$/.test(value) ? null : 'nothing, "raw", or a version such as v1.36.0';

/** `pattern=N,...`, for example `listener=4,storage*=2`. */
export const moduleLevels: Check = (value) =>
  value.split(',').every((part) => /^[^=,\s]+=\d{1,2}$/.test(part)) ? null : 'patterns with levels such as access=3,storage*=2';

/** `metric,label=value,...`; the values may be quoted. */
export const metricLabels: Check = (value) =>
  quotedPairs(value).every((pair) => /^[A-Za-z_:][\w:]*,[A-Za-z_]\w*=.+$/.test(pair))
    ? null
    : 'a metric, one of its labels and the values that it may have, such as apiserver_request_total,verb=GET,LIST';

export const portNumber: Check = (value) =>
  /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535 ? null : 'a port from 1 to 65535';
