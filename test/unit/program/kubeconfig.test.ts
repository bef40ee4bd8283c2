import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { loadKubeconfig } from '../../../program/kubeconfig.js';
import { fileErrors } from '../../../controllers/usableOptions.js';
import { readControllerManagerOptions } from '../../../controllers/options/read.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

describe('program/kubeconfig', () => {
  const written = (text: string): string => {
    const file = path.join(temporaryDirectory('kubeconfig'), 'kubeconfig');
    fs.writeFileSync(file, text);
    return file;
  };
  const master = 'https://127.0.0.1:1';

  for (const [what, text] of [
    ['is empty', ''],
    ['says nothing', '{}'],
    ['lacks version and kind', 'clusters: []'],
  ] as const)
    it(`that ${what} leaves everything to --master`, () => expect(loadKubeconfig(written(text), master)).to.deep.equal({ server: master }));

  for (const [what, text, reason] of [
    ['a text', 'just words', 'it holds no members'],
    ['a list', '- a', 'it holds no members'],
    ['another kind', 'apiVersion: v1\nkind: Pod', 'it holds v1 Pod, not v1 Config'],
    ['another version', 'apiVersion: v2\nkind: Config', 'it holds v2 Config, not v1 Config'],
    ['clusters that are no list', 'clusters: { a: b }', 'clusters must be a list of objects with names'],
    ['users without names', 'users: [{ user: {} }]', 'users must be a list of objects with names'],
  ] as const)
    it(`of ${what} is refused, also beside --master`, () => {
      const file = written(text);
      expect(() => loadKubeconfig(file, master)).to.throw(`${file} is no kubeconfig: ${reason}`);
      const read = readControllerManagerOptions([`--kubeconfig=${file}`, `--master=${master}`]);
      expect(read.ok && fileErrors(read.options)).to.deep.equal([`--kubeconfig: ${file} is no kubeconfig: ${reason}`]);
    });
});
