import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import path from 'node:path';
import { writeFileAtomically } from '../files.js';

const linkLifetimeMs = 5 * 60_000;
/** Bound on unused links; the oldest is dropped. */
const linksMax = 16;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Signs the owner of a local cluster into its console. A link works once, for minutes, and stands for the launcher's token. The token is in a file readable by
 * its owner only, and changes with each start.
 */
export class SignIn {
  readonly #now: () => number;
  readonly #token = randomBytes(32).toString('base64url');
  #links: { readonly digest: Buffer; readonly until: number }[] = [];

  /** `now` in milliseconds of a clock that is never set. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Writes the file of `--token-auth-file`, and returns its path. */
  writeTokenFile(directory: string): string {
    const file = path.join(path.resolve(directory), 'console-token.csv');
    writeFileAtomically(file, `${this.#token},kubernetes-admin,kubernetes-admin,"system:masters"\n`, 0o600);
    return file;
  }

  /** Returns a code that `redeem` takes once. */
  issue(): string {
    const code = randomBytes(24).toString('base64url');
    this.#links = [...this.#fresh(), { digest: digest(code), until: this.#now() + linkLifetimeMs }].slice(-linksMax);
    return code;
  }

  /** Returns the token, or null when the code is unknown, used or too old. */
  redeem(code: string): string | null {
    const asked = digest(code);
    const fresh = this.#fresh();
    const found = fresh.find((link) => timingSafeEqual(link.digest, asked));
    this.#links = fresh.filter((link) => link !== found);
    return found === undefined ? null : this.#token;
  }

  #fresh(): { readonly digest: Buffer; readonly until: number }[] {
    return this.#links.filter(({ until }) => until > this.#now());
  }
}
