import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { probedOptions, specifiedOptions, type ProbedProgram } from './probed.js';

/** Options with other tests of the bundles. */
const shownElsewhere: Readonly<Record<ProbedProgram, Readonly<Record<string, string>>>> = {
  apiserver: {
    'etcd-servers': 'etcd',
    'etcd-servers-overrides': 'etcd',
    'etcd-cafile': 'etcd',
    'etcd-certfile': 'etcd',
    'etcd-keyfile': 'etcd',
    'etcd-healthcheck-timeout': 'etcd',
    'etcd-readycheck-timeout': 'etcd',
    'peer-ca-file': 'peers',
  },
  'controller-manager': { 'kube-api-content-type': 'managerEncoding' },
};

/** Options without an external probe, with reasons. The list only shrinks. */
const unprobed: Readonly<Record<ProbedProgram, Readonly<Record<string, string>>>> = {
  apiserver: {},
  'controller-manager': {
    'cluster-name': 'needs a cloud; unit/controllers/cloud has one in memory',
    'configure-cloud-routes': 'needs a cloud; unit/controllers/cloud has one in memory',
    'route-reconciliation-period': 'needs a cloud; unit/controllers/cloud has one in memory',
    'concurrent-service-syncs': 'needs a cloud; unit/controllers/cloud has one in memory',
    'concurrent-validating-admission-policy-status-syncs': 'no webhook is asked about policies; unit/controllers/policystatus counts',
  },
};

/** Every option has a probe, a named test, or an entry above. */
export function coverage(): void {
  for (const program of ['apiserver', 'controller-manager'] as const)
    it(`every option of ${program} is looked at, or it is said why not`, () => {
      const specified = specifiedOptions(program);
      const [shown, elsewhere, without] = [probedOptions(program), shownElsewhere[program], unprobed[program]];
      const left = specified.filter((name) => !shown.has(name) && elsewhere[name] === undefined && without[name] === undefined);
      expect(left, 'neither probed nor listed').to.deep.equal([]);
      expect(
        Object.keys({ ...elsewhere, ...without }).filter((name) => shown.has(name)),
        'listed, and probed: take it from the list',
      ).to.deep.equal([]);
      expect([...shown, ...Object.keys(without)].filter((name) => !specified.includes(name))).to.deep.equal([]);
      for (const [name, test] of Object.entries(elsewhere))
        expect(fs.readFileSync(path.join(packageRoot, 'test/cluster', `${test}.test.ts`), 'utf8'), name).to.match(
          new RegExp(`--${name}|${name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}`),
        );
    });
}
