import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { goMembers } from '../../../../../api/catalogue/goStructures.js';
import { printedAs } from '../../../../../server/registry/validation/internalStructures.js';
import { packageRoot } from '../../../../fixtures/packageRoot.js';

/** Names of structures in the rules of kinds: `core.v1.PodSpec`. */
const namesIn = (folder: string): readonly string[] =>
  fs
    .readdirSync(path.join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => fs.readFileSync(path.join(packageRoot, folder, file), 'utf8').match(/(?<=')[a-z]+\.v\d\w*\.[A-Z]\w+(?=')/g) ?? []);

describe('registry/validation/internalStructures', () => {
  it('knows every structure that the rules of kinds quote', () => {
    const names = namesIn('server/kinds');
    expect(names).to.include.members(['core.v1.PodSpec', 'batch.v1.PodFailurePolicy']);
    expect(names.filter((name) => goMembers(name) === undefined)).to.deep.equal([]);
  });

  it('moves members, adds those of elsewhere, and leaves out others, as the internal structures do', () => {
    const names = Object.keys(printedAs('core.v1.PodSpec', {}));
    expect(names.slice(names.indexOf('Subdomain')).slice(0, 2)).to.deep.equal(['Subdomain', 'SetHostnameAsFQDN']);
    expect(names).not.to.include('HostNetwork');
    expect(Object.keys(printedAs('core.v1.PodSecurityContext', {})).slice(0, 5)).to.deep.equal([
      'HostNetwork',
      'HostPID',
      'HostIPC',
      'ShareProcessNamespace',
      'HostUsers',
    ]);
    expect(printedAs('apps.v1.RollingUpdateStatefulSetStrategy', {})).to.deep.equal({ Partition: 0, MaxUnavailable: null });
  });
});
