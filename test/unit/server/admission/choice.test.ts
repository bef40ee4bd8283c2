import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { readPluginConfigurations } from '../../../../server/admission/configuration.js';
import { enabledPlugins, knownPlugins } from '../../../../server/admission/names.js';
import { createPlugins } from '../../../../server/admission/plugins.js';
import { readApiServerOptions } from '../../../../server/options/read.js';
import { createMemoryStorage } from '../../../../server/storage/memory.js';
import { selectableFieldsOf } from '../../../../server/kinds/index.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { createSample, refusal } from '../registry/sample.js';

const storage = createMemoryStorage({ selectableFields: selectableFieldsOf });
const names = (enable: string[], disable: string[] = []): string[] =>
  createPlugins({ storage, enabled: enabledPlugins(enable, disable) }).map(({ name }) => name);

const refused: readonly (readonly [argument: string[], problem: RegExp])[] = [
  [['--enable-admission-plugins=Nope'], /--enable-admission-plugins: plugin "Nope" is unknown/],
  [['--disable-admission-plugins=LimitRangr'], /--disable-admission-plugins: plugin "LimitRangr" is unknown; did you mean LimitRanger\?/],
  [['--enable-admission-plugins=LimitRanger', '--disable-admission-plugins=LimitRanger'], /both name LimitRanger/],
];

describe('the choice of admission plugins', () => {
  for (const [argv, problem] of refused) {
    it(`is refused at start: ${argv.join(' ')}`, () => {
      const result = readApiServerOptions(argv);
      expect(result.ok ? '' : result.errors.join('\n')).to.match(problem);
    });
  }

  it('follows the options, in the order of the reference whatever theirs is', () => {
    expect(names([])).to.include.members(['LimitRanger', 'ServiceAccount', 'ResourceQuota']).and.not.include.members(['AlwaysDeny']);
    const chosen = names(['AlwaysDeny', 'AlwaysAdmit'], ['LimitRanger']);
    expect(chosen).to.not.include('LimitRanger');
    const places = chosen.map((name) => knownPlugins.findIndex((each) => each.name === name));
    expect(places).to.deep.equal([...places].sort((a, b) => a - b));
    expect([chosen[0], chosen.at(-1)]).to.deep.equal(['AlwaysAdmit', 'AlwaysDeny']);
  });

  it('keeps checks that are no plug-ins of the reference, and drops steps made elsewhere with their names', () => {
    const others = [
      { name: 'CertificateSigning', resources: null },
      { name: 'RBACEscalation', resources: null },
    ];
    const chosen = createPlugins({ storage, others, enabled: enabledPlugins([], ['CertificateSigning']) }).map(({ name }) => name);
    expect(chosen[0]).to.equal('RBACEscalation');
    expect(chosen).to.not.include('CertificateSigning');
  });

  it('takes effect on writes', async () => {
    const without = await createSample({ admission: enabledPlugins([], ['ServiceAccount', 'DefaultTolerationSeconds']) });
    const pod = await without.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    expect((pod['spec'] as { tolerations?: unknown }).tolerations).to.equal(undefined);
  });

  it('makes AlwaysDeny refuse all there is', async () => {
    const { storage: kept, create } = await createSample();
    await create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    const denying = await createSample({ storage: kept, admission: enabledPlugins(['AlwaysDeny'], []) });
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    for (const attempt of [
      denying.create({ ...map, metadata: { name: 'b' } }),
      denying.update(map, (object) => {
        object['data'] = { a: 'b' };
      }),
      denying.remove('v1/ConfigMap', 'a'),
    ]) {
      expect((await refusal(attempt)).message).to.match(/^configmaps "[ab]" is forbidden: admission control is denying all modifications$/);
    }
  });
});

describe('the admission configuration file', () => {
  const directory = temporaryDirectory('admission');
  after(() => {
    fs.rmSync(directory, { recursive: true, force: true });
  });
  const file = (name: string, text: string): string => {
    fs.writeFileSync(path.join(directory, name), text);
    return path.join(directory, name);
  };
  const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';

  it('gives each plug-in its own part, in place or in a file beside', () => {
    file('other.yaml', 'kind: Two\n');
    const main = file(
      'main.yaml',
      `${head}plugins:\n- name: PodSecurity\n  configuration: {kind: One}\n- name: EventRateLimit\n  path: other.yaml\n- name: LimitRanger\n`,
    );
    expect([...readPluginConfigurations(main)]).to.deep.equal([
      ['PodSecurity', { kind: 'One' }],
      ['EventRateLimit', { kind: 'Two' }],
    ]);
  });

  for (const [what, text, problem] of [
    ['another kind', 'apiVersion: v1\nkind: Pod\n', /must hold kind AdmissionConfiguration/],
    ['an unknown plug-in', `${head}plugins:\n- name: Nope\n`, /admission plugin "Nope" is unknown/],
    [
      'a plug-in twice',
      `${head}plugins:\n- name: PodSecurity\n- name: PodSecurity\n  configuration: {}\n- name: PodSecurity\n  configuration: {}\n`,
      /configures plugin PodSecurity twice/,
    ],
    ['a file that is not there', `${head}plugins:\n- name: PodSecurity\n  path: absent.yaml\n`, /absent\.yaml cannot be read/],
    ['a member twice', `${head}kind: AdmissionConfiguration\n`, /already set/],
    ['a misspelt member', `${head}plugin:\n- name: PodSecurity\n`, /plugin is unknown/],
    ['a misspelt member of a plug-in', `${head}plugins:\n- name: PodSecurity\n  config: {}\n`, /plugins\[0\]\.config is unknown/],
    ['no YAML', 'a: [', /bad\.yaml is not YAML/],
  ] as const) {
    it(`is refused with ${what}`, () => {
      expect(() => readPluginConfigurations(file('bad.yaml', text))).to.throw(problem);
    });
  }
});
