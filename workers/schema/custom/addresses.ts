/** Network, host, mail and resource addresses by the Go library's rules. */

/** `sloppy` tolerates leading zeros in IPv4: older versions read them as decimal. */
function isIpv4(text: string, sloppy: boolean): boolean {
  const parts = text.split('.');
  return (
    parts.length === 4 &&
    parts.every(
      (part) =>
        /^\d+$/.test(part) && Number(part) <= 255 && (sloppy || part === '0' || !part.startsWith('0')) && (sloppy || part.length <= 3),
    )
  );
}

function isIpv6(text: string, sloppy: boolean): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1)?.at(-1) ?? '';
  const dotted = last.includes('.');
  if (dotted && !isIpv4(last, sloppy)) return false;
  const all = groups.flat();
  const plain = dotted ? all.slice(0, -1) : all;
  const count = plain.length + (dotted ? 2 : 0);
  // Two colons stand for at least one group.
  return plain.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group)) && (halves.length === 2 ? count < 8 : count === 8);
}

const isIp = (text: string, sloppy: boolean): boolean => (text.includes(':') ? isIpv6(text, sloppy) : isIpv4(text, sloppy));

/** Accepts IPv4, also within IPv6 in dotted form. */
export const isIpv4Format = (text: string): boolean => text.includes('.') && isIp(text, true);
export const isIpv6Format = (text: string): boolean => text.includes(':') && isIp(text, false);

export function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return false;
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  return isIp(address, true) && /^\d{1,8}$/.test(bits) && Number(bits) <= (address.includes(':') ? 128 : 32);
}

const macBytes: ReadonlySet<number> = new Set([6, 8, 20]);

export function isMac(text: string): boolean {
  const pairs = /^[0-9a-fA-F]{2}(?:([:-])[0-9a-fA-F]{2}(?:\1[0-9a-fA-F]{2})*)$/.test(text) ? text.split(/[:-]/).length : 0;
  const quads = /^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})+$/.test(text) ? 2 * text.split('.').length : 0;
  return macBytes.has(pairs) || macBytes.has(quads);
}

/** Accepts an absolute path, or a URI with a scheme. */
export function isRequestUri(text: string): boolean {
  if (text === '' || /[\0-\x1f\x7f]/.test(text)) return false;
  if (text === '*') return true;
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*)?:/.exec(text);
  if (scheme !== null && scheme[1] === undefined) return false;
  const afterScheme = scheme === null ? text : text.slice(scheme[0].length);
  const query = afterScheme.indexOf('?');
  const rest = query < 0 ? afterScheme : afterScheme.slice(0, query);
  if (!rest.startsWith('/')) return scheme !== null;
  if (scheme === null || !rest.startsWith('//')) return isEscaped(rest);
  const slash = rest.indexOf('/', 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  return isAuthority(authority) && isEscaped(slash < 0 ? '' : rest.slice(slash));
}

const isEscaped = (text: string): boolean => !/%(?![0-9a-fA-F]{2})/.test(text);

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@');
  if (at >= 0 && !(/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at)) && isEscaped(authority.slice(0, at)))) return false;
  const host = authority.slice(at + 1);
  const bracketed = /^\[([^\]]*)\](.*)$/s.exec(host);
  if (host.startsWith('[') && bracketed === null) return false;
  const port = bracketed === null ? (/:[^:]*$/.exec(host)?.[0] ?? '') : (bracketed[2] ?? '');
  if (!/^(?::\d*)?$/.test(port)) return false;
  const name = bracketed === null ? host.slice(0, host.length - port.length) : (bracketed[1] ?? '').replace(/%25.*$/s, '');
  // Escapes in a host are only for letters beyond ASCII.
  return (
    isEscaped(name) &&
    !/[ "<>{}|\\^`#]/.test(bracketed === null ? name.replace(/["<>]/g, '') : name) &&
    !/%[0-7](?!5)/.test(name.replace(/%25/g, ''))
  );
}

const atomPattern = /^(?:[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]|[^\0-\x7f])+/u;
const quoted = /^"(?:[^"\\\r\n\0]|\\[^\r\n\0])*"/u;
const space = /^[ \t]*/;

/** Accepts a mail address, with or without a name: `Jo <jo@example.com>`. */
export function isEmail(text: string): boolean {
  const reader = new MailReader(text);
  return reader.address() && reader.rest === '';
}

class MailReader {
  constructor(public rest: string) {}

  address(): boolean {
    this.#skip();
    const whole = this.rest;
    if (this.#specification() && (this.#skip(), this.rest === '')) return true;
    this.rest = whole;
    this.#phrase();
    if (!this.#take('<') || !(this.#skip(), this.#specification())) return false;
    this.#skip();
    return this.#take('>') && (this.#skip(), this.rest === '');
  }

  /** `local@domain`. */
  #specification(): boolean {
    const local = this.#takeMatch(quoted) ?? this.#dotted();
    if (local === null || local === '""') return false;
    this.#skip();
    if (!this.#take('@')) return false;
    this.#skip();
    return this.#takeMatch(/^\[[^[\]\\\r\n]*\]/) !== null || this.#dotted() !== null;
  }

  /** Reads atoms with single dots between them. */
  #dotted(): string | null {
    let text = '';
    for (;;) {
      const atom = this.#takeMatch(atomPattern);
      if (atom === null) return null;
      text += atom;
      if (!this.#take('.')) return text;
      text += '.';
    }
  }

  #phrase(): void {
    for (let word: string | null = ''; word !== null; this.#skip())
      word = this.#takeMatch(quoted) ?? this.#takeMatch(atomPattern) ?? this.#takeMatch(/^\./);
  }

  /** Skips blanks, and comments in parentheses, which may nest. */
  #skip(): void {
    this.#takeMatch(space);
    while (this.rest.startsWith('(')) {
      let [depth, at] = [0, 0];
      do {
        if (this.rest[at] === '\\') at++;
        else if (this.rest[at] === '(') depth++;
        else if (this.rest[at] === ')') depth--;
        at++;
      } while (depth > 0 && at < this.rest.length);
      if (depth > 0) return;
      this.rest = this.rest.slice(at);
      this.#takeMatch(space);
    }
  }

  #take(character: string): boolean {
    const found = this.rest.startsWith(character);
    if (found) this.rest = this.rest.slice(character.length);
    return found;
  }

  #takeMatch(pattern: RegExp): string | null {
    const found = pattern.exec(this.rest)?.[0] ?? null;
    if (found !== null) this.rest = this.rest.slice(found.length);
    return found;
  }
}
