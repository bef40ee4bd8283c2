import fs from 'node:fs';
import path from 'node:path';
import { programFile, type ProgramName } from '../programs.js';
import type { Store } from './arguments.js';

export interface AssetTerms {
  readonly store: Store;
  readonly controllers: boolean;
}

/** A program that the assets need is missing on this machine. */
export class AssetMissing extends Error {}

/** The written files, by name, and those that could not be written. */
export interface Assets {
  readonly directory: string;
  readonly files: readonly string[];
  readonly missing: readonly string[];
}

/**
 * Writes the contents of `KUBEBUILDER_ASSETS`: scripts `kube-apiserver` and `etcd` that start programs of this package, and a link `kubectl` to the one in
 * `PATH`. Throws `AssetMissing` when etcd is requested and not installed.
 */
export function writeAssets(folder: string, { store, controllers }: AssetTerms): Assets {
  const directory = path.resolve(folder);
  const etcd = store === 'etcd' ? inPath('etcd', directory) : null;
  if (store === 'etcd' && etcd === null) throw new AssetMissing('there is no etcd in PATH: install one, or leave --store away');
  fs.mkdirSync(directory, { recursive: true });
  writeScript(
    directory,
    'kube-apiserver',
    script('envtestApiserver', [`--store=${store}`, ...(controllers ? ['--controllers'] : []), '--']),
  );
  if (etcd === null) writeScript(directory, 'etcd', script('envtestEtcd', []));
  else link(directory, 'etcd', etcd);
  const kubectl = inPath('kubectl', directory);
  if (kubectl !== null) link(directory, 'kubectl', kubectl);
  return {
    directory,
    files: ['kube-apiserver', 'etcd', ...(kubectl === null ? [] : ['kubectl'])],
    missing: kubectl === null ? ['kubectl'] : [],
  };
}

/** Runs the current Node, or the one in `PATH` if it is gone. */
function script(program: ProgramName, args: readonly string[]): string {
  const words = [programFile(program), ...args].map(quoted).join(' ');
  return `#!/bin/sh
# Written by "raftplane envtest-assets".
node=${quoted(process.execPath)}
[ -x "$node" ] || node=node
exec "$node" ${words} "$@"
`;
}

const quoted = (word: string): string => (/^[\w./=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** A running file is replaced, not overwritten. */
function writeScript(directory: string, name: string, text: string): void {
  const file = path.join(directory, name);
  fs.rmSync(file, { force: true });
  fs.writeFileSync(file, text, { mode: 0o755 });
}

function link(directory: string, name: string, target: string): void {
  const file = path.join(directory, name);
  fs.rmSync(file, { force: true });
  fs.symlinkSync(target, file);
}

/** Returns the first program of that name in `PATH` outside the folder itself. */
function inPath(name: string, except: string): string | null {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '' && path.resolve(folder) !== except);
  return folders.map((folder) => path.resolve(folder, name)).find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
