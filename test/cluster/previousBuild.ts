import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { programFile } from '../../deploy/programs.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';

/** The programs of an earlier build (`dist/programs`), with which replicas start first; absent in CI. */
const earlier = process.env['PREVIOUS_BUILD'];

/** An API server whose build is chosen at its start. */
export class ChosenBuild {
  readonly program: string | undefined;
  readonly #file = path.join(temporaryDirectory('builds'), 'apiserver.mjs');

  constructor() {
    this.program = earlier === undefined ? undefined : this.#file;
    this.earlier();
  }

  /** Applies to later starts. Without an earlier build all are the same. */
  earlier(): void {
    if (earlier === undefined) return;
    const program = path.resolve(earlier, 'apiserver.js');
    const help = spawnSync(process.execPath, [program, '--help'], { encoding: 'utf8' }).stdout;
    this.#choose(
      program,
      [...help.matchAll(/--([a-z0-9-]+)/g)].map(([, name = '']) => name),
    );
  }
  current(): void {
    if (earlier !== undefined) this.#choose(programFile('apiserver'), null);
  }

  /** Removes flags that a build does not know; null for none. */
  #choose(program: string, known: readonly string[] | null): void {
    fs.writeFileSync(
      this.#file,
      `import fs from 'node:fs';
      const known = ${JSON.stringify(known)};
      const given = process.argv.slice(2).map((flag) => {
        const [, file] = /^--raft-cluster-token-file=(.*)/.exec(flag) ?? [];
        return file === undefined || known === null ? flag : '--raft-cluster-token=' + fs.readFileSync(file, 'utf8').trim();
      });
      const flags = given.filter((flag) => known === null || known.includes(/^--([a-z0-9-]+)/.exec(flag)?.[1]));
      process.argv = [process.argv[0], ${JSON.stringify(program)}, ...flags];
      await import(${JSON.stringify(pathToFileURL(program).href)});`,
    );
  }
}
