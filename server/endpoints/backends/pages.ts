import { Transform } from 'node:stream';
import { seenThrough, type View } from './links.js';
import { TagScanner } from './tagScanner.js';

/** HTML standard, index of attributes, and HTML 4. */
const linkAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['formaction', 'src', 'usemap'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
};
/** The content of these elements contains no markup. */
const raw: ReadonlySet<string> = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']);
/** A longer tag passes unchanged. */
const tagCharactersMax = 64 * 1024;
const comment = '<!--';

/** Rewrites links in a stream of any ASCII-based encoding. Buffers at most one tag. */
export class PageLinks extends Transform {
  readonly #view: View;

  /** Undecided characters. */
  #rest = '';
  #ready = '';
  /** The text that ends an unread part: a comment, a script. */
  #until: string | null = null;
  #tag: TagScanner | null = null;
  /** The position up to which the current tag has been read. */
  #read = 0;

  constructor(view: View) {
    super();
    this.#view = view;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#rest += chunk.toString('latin1');
    while (this.#step()) {}
    this.#send();
    done();
  }

  override _flush(done: () => void): void {
    this.#pass(this.#rest.length);
    this.#send();
    done();
  }

  /** Returns false when a decision needs more input. */
  #step(): boolean {
    if (this.#until !== null) return this.#unread(this.#until);
    return this.#tag === null ? this.#text() : this.#inTag(this.#tag);
  }

  #unread(until: string): boolean {
    const at = this.#rest.toLowerCase().indexOf(until);
    // The start of the end text may be here already.
    this.#pass(at < 0 ? Math.max(0, this.#rest.length - until.length + 1) : at + until.length);
    if (at >= 0) this.#until = null;
    return at >= 0;
  }

  #text(): boolean {
    const at = this.#rest.indexOf('<');
    this.#pass(at < 0 ? this.#rest.length : at);
    if (at < 0 || (this.#rest.length < comment.length && comment.startsWith(this.#rest))) return false;
    if (this.#rest.startsWith(comment)) {
      // Its dashes may belong to the end text.
      this.#pass('<!'.length);
      this.#until = '-->';
    } else if (/^<[a-z]/i.test(this.#rest)) {
      [this.#tag, this.#read] = [new TagScanner(), 1];
    } else {
      this.#pass(1);
    }
    return true;
  }

  #inTag(tag: TagScanner): boolean {
    while (this.#read < this.#rest.length && this.#read < tagCharactersMax) {
      if (!tag.take(this.#rest, this.#read++)) continue;
      const whole = this.#rest.slice(0, this.#read);
      this.#rest = this.#rest.slice(this.#read);
      this.#ready += this.#rewritten(whole, tag);
      [this.#tag, this.#until] = [null, raw.has(tag.name) ? `</${tag.name}` : null];
      return true;
    }
    if (this.#read < tagCharactersMax) return false;
    this.#pass(this.#read);
    this.#tag = null;
    return true;
  }

  #rewritten(whole: string, { name, values }: TagScanner): string {
    const links = Object.hasOwn(linkAttributes, name) ? (linkAttributes[name] ?? []) : [];
    let [text, at] = ['', 0];
    for (const { attribute, from, to } of values) {
      if (!links.includes(attribute)) continue;
      text += `${whole.slice(at, from)}${seenThrough(whole.slice(from, to), this.#view)}`;
      at = to;
    }
    return text + whole.slice(at);
  }

  #pass(characters: number): void {
    this.#ready += this.#rest.slice(0, characters);
    this.#rest = this.#rest.slice(characters);
  }

  #send(): void {
    if (this.#ready !== '') this.push(Buffer.from(this.#ready, 'latin1'));
    this.#ready = '';
  }
}
