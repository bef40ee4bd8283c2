import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { controllerCatalogue, isEnabled, isWanted, unknownControllers } from '../../../../controllers/catalogue.js';
import { leaderMigrationOf, placeOf } from '../../../../controllers/options/migration.js';
import { featuresOf } from '../../../../program/features/options.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { controllerManagerFlags } from '../../../../controllers/options/flags.js';
import { readControllerManagerOptions } from '../../../../controllers/options/read.js';
import type { Flag } from '../../../../program/flags/flag.js';
import { packageRoot } from '../../../fixtures/packageRoot.js';

/** These have one accepted value, so no code reads them. */
const singleValued = ['leader-elect-resource-lock', 'cidr-allocator-type', 'external-cloud-volume-plugin'];
/** These always apply or have no effect, as `--help` says. */
const alwaysSo = ['permit-address-sharing', 'cloud-config'];
/** Files that read options of both programs. */
const shared = ['program/port/portOptions.ts', 'server/options/emulation.ts', 'program/log/options.ts', 'program/metrics/options.ts'];
/** Files that only compare or print options. */
const comparing = ['options/flags.ts', 'options/read.ts', 'serving/pages.ts'];

const folder = path.join(packageRoot, 'controllers');
const sources = fs
  .readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !comparing.some((name) => file.endsWith(name)))
  .map((file) => path.join(folder, file))
  .concat(shared.map((file) => path.join(packageRoot, file)))
  .map((file) => fs.readFileSync(file, 'utf8'))
  .join('\n');
const isRead = (name: string): boolean =>
  sources.includes(`'${name}'`) || (/^\w+$/.test(name) && new RegExp(`options\\.${name}\\b|[{,] ${name}[ ,}]`).test(sources));

describe('controllers/options', () => {
  const flags: readonly (readonly [string, Flag])[] = Object.entries(controllerManagerFlags);

  it('that have no effect are marked, and the others are read somewhere', () => {
    const idle = flags
      .filter(
        ([name, { withoutEffect }]) =>
          withoutEffect === undefined && !isRead(name) && !singleValued.includes(name) && !alwaysSo.includes(name),
      )
      .map(([name]) => name);
    expect(idle, 'not marked, and nobody reads them').to.deep.equal([]);
    expect(
      flags.filter(([, { withoutEffect }]) => withoutEffect === true).map(([name]) => name),
      'without effect',
    ).to.deep.equal([]);
  });

  it('have the defaults of the reference', () => {
    const read = readControllerManagerOptions([]);
    expect(read.ok && read.options).to.include({
      'leader-elect': true,
      'leader-elect-lease-duration': 15_000,
      'leader-elect-renew-deadline': 10_000,
      'leader-elect-retry-period': 2_000,
      'leader-elect-resource-name': 'kube-controller-manager',
      'leader-elect-resource-namespace': 'kube-system',
      'kube-api-qps': 20,
      'kube-api-burst': 30,
      'min-resync-period': 43_200_000,
      'secure-port': 10_257,
      'use-service-account-credentials': false,
      'concurrent-deployment-syncs': 5,
      'concurrent-gc-syncs': 20,
    });
  });

  it('contradict each other with one sentence each', () => {
    const problems = (...argv: string[]): readonly string[] => {
      const read = readControllerManagerOptions(argv);
      return read.ok ? [] : read.errors;
    };
    expect(problems('--leader-elect-renew-deadline=20s')).to.deep.equal([
      '--leader-elect-renew-deadline must be shorter than --leader-elect-lease-duration',
    ]);
    expect(problems('--leader-elect-retry-period=10s')).to.deep.equal([
      '--leader-elect-retry-period must be shorter than --leader-elect-renew-deadline',
    ]);
    expect(problems('--tls-cert-file=x')[0]).to.contain('belong together');
    expect(problems('--concurrent-job-syncs=0')).to.have.length(1);
    expect(problems('--kube-api-content-type=text/plain')).to.have.length(1);
    expect(problems('--kube-api-qps=-1')).to.deep.equal([]);
    expect(problems('--enable-leader-migration')).to.deep.equal([]);
    expect(problems('--leader-migration-config=x')).to.deep.equal([]);
    expect(problems('--leader-elect=false', '--leader-elect-renew-deadline=20s')).to.deep.equal([]);
    expect(problems('--enable-leader-migration', '--leader-elect=false')[0]).to.contain('needs --leader-elect');
    expect(problems('--cloud-config=x')[0]).to.contain('needs --cloud-provider');
    expect(problems('--external-cloud-volume-plugin=aws')).to.have.length(1);
    expect(problems('--feature-gates=Unheard=true')[0]).to.contain('is no feature');
    expect(problems('--emulated-version=1.20')[0]).to.contain('a version from 1.33');
    expect(problems('--log-text-split-stream')[0]).to.contain('LoggingAlphaOptions');
    expect(problems('--show-hidden-metrics-for-version=1.20')[0]).to.contain('1.35');
    expect(problems('--cloud-provider=aws')).to.have.length(1);
    expect(problems('--cloud-provider=external')).to.deep.equal([]);
    expect(problems('--cidr-allocator-type=CloudAllocator')).to.have.length(1);
    expect(problems('--concurrent-service-endpoint-syncs=51')).to.have.length(1);
    expect(problems('--allocate-node-cidrs', '--cluster-cidr=10.0.0.0/16,10.1.0.0/16')[0]).to.contain('one range of each family');
    expect(problems('--allocate-node-cidrs', '--cluster-cidr=10.0.0.0/25')[0]).to.contain('/24');
    expect(problems('--allocate-node-cidrs', '--cluster-cidr=fd00::/40')[0]).to.contain('too many');
    expect(problems('--allocate-node-cidrs', '--cluster-cidr=10.0.0.0/16,fd00::/48')).to.deep.equal([]);
  });
});

describe('controllers/options/migration', () => {
  const config = (text: string): string => {
    const file = path.join(temporaryDirectory('migration'), 'config.yaml');
    fs.writeFileSync(file, text);
    return file;
  };
  const of = (text: string | null) =>
    leaderMigrationOf(
      { 'enable-leader-migration': true, 'leader-migration-config': text === null ? null : config(text) },
      (name) => unknownControllers([name]).length === 0,
    );
  const head = 'apiVersion: controllermanager.config.k8s.io/v1\nkind: LeaderMigrationConfiguration\n';

  it('gives the controllers that move a lease of their own', () => {
    const migration = of(`${head}leaderName: moving\ncontrollerLeaders:
- { name: route, component: kube-controller-manager }
- { name: job-controller, component: other }
- { name: cronjob, component: '*' }
`);
    expect(migration?.leaseName).to.equal('moving');
    const placed = (name: string) =>
      placeOf(
        controllerCatalogue.find((entry) => entry.name === name)!,
        migration,
      );
    expect(['node-route-controller', 'job-controller', 'cronjob-controller', 'namespace-controller'].map(placed)).to.deep.equal([
      'moves',
      'elsewhere',
      'moves',
      'stays',
    ]);
    expect(of(null)?.leaseName).to.equal('cloud-provider-extraction-migration');
    expect(leaderMigrationOf({ 'enable-leader-migration': false, 'leader-migration-config': null }, () => true)).to.equal(null);
  });

  it('refuses what cannot be meant', () => {
    expect(() => of(`${head}controllerLeaders: []\n`)).to.throw('lacks leaderName');
    expect(() => of(`${head}leaderName: a\nleaders: []\n`)).to.throw('leaders');
    expect(() => of(`${head}leaderName: a\ncontrollerLeaders: [{ name: unheard, component: x }]\n`)).to.throw('which is no controller');
    expect(() => of(`${head}leaderName: a\ncontrollerLeaders: [{ name: job }]\n`)).to.throw(
      'line 4: controllerLeaders[0].component must be there',
    );
    expect(of(`${head}leaderName: a\nresourceLock: endpoints\n`)?.resourceLock).to.equal('endpoints');
    expect(() => of(`${head}leaderName: a\nresourceLock: configmaps\n`)).to.throw('resourceLock');
  });
});

describe('controllers/catalogue', () => {
  const enabled = (...wanted: string[]): string[] =>
    controllerCatalogue.filter((entry) => isEnabled(entry, wanted)).map(({ name }) => name);

  const usual = controllerCatalogue.filter(({ offByDefault }) => !offByDefault).map(({ name }) => name);

  it('chooses controllers by name, alias and star', () => {
    const all = usual;
    expect(enabled('*')).to.deep.equal(all);
    expect(enabled('deployment-controller', 'replicaset')).to.have.members(['deployment-controller', 'replicaset-controller']);
    expect(enabled('*', '-job')).to.deep.equal(all.filter((name) => name !== 'job-controller'));
    expect(enabled('-job-controller')).to.deep.equal([]);
  });

  it('lets the first item that names a controller decide', () => {
    const [without, all] = [usual.filter((name) => name !== 'job-controller'), usual];
    expect(enabled('-job-controller', 'job-controller', '*')).to.deep.equal(without);
    expect(enabled('*', '-job', 'job-controller')).to.deep.equal(without);
    expect(enabled('job', '-job-controller', '*')).to.deep.equal(all);
  });

  it('knows the names that nothing has', () => {
    expect(unknownControllers(['*', '-namespace', 'daemonset-controller', 'unheard-of', '-nor-this'])).to.deep.equal([
      'unheard-of',
      '-nor-this',
    ]);
  });

  it('starts those that are off by default only by name', () => {
    expect(enabled('*')).to.not.include('token-cleaner-controller');
    expect(enabled('*', 'bootstrapsigner', 'token-cleaner-controller')).to.deep.equal(
      controllerCatalogue
        .filter(({ name, offByDefault }) => !offByDefault || ['bootstrap-signer-controller', 'token-cleaner-controller'].includes(name))
        .map(({ name }) => name),
    );
  });

  it('leaves out what gates and clouds say', () => {
    const wanted = (...argv: string[]): readonly string[] => {
      const read = readControllerManagerOptions(argv);
      if (!read.ok) throw new Error(read.errors.join());
      const { options } = read;
      const explicit = new Set(Object.keys(options['feature-gates']));
      const environment = { features: featuresOf(options), explicit, cloudProvider: options['cloud-provider'] };
      return controllerCatalogue.filter((entry) => !isWanted(entry, environment)).map(({ name }) => name);
    };
    expect(wanted()).to.deep.equal([]);
    expect(wanted('--feature-gates=StorageVersionAPI=false')).to.deep.equal(['storageversion-garbage-collector-controller']);
    expect(wanted('--feature-gates=AllAlpha=false,AllBeta=false')).to.include('podgroup-protection-controller');
    expect(wanted('--cloud-provider=external')).to.deep.equal([
      'service-lb-controller',
      'node-route-controller',
      'cloud-node-controller',
      'cloud-node-lifecycle-controller',
    ]);
  });

  it('names each controller and alias once', () => {
    const words = controllerCatalogue.flatMap(({ name, alias }) => [...new Set([name, alias])]);
    expect(new Set(words).size).to.equal(words.length);
  });
});
