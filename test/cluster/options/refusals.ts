import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import type { FlagKind, FlagTable } from '../../../program/flags/flag.js';
import { controllerManagerFlags } from '../../../controllers/options/flags.js';
import { apiServerFlags } from '../../../server/options/flags.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { reservePort } from '../../fixtures/tlsBackends.js';
import { runToEnd } from './bundledProgram.js';
import type { ProbedProgram } from './asserted.js';
import { specifiedOptions } from './probed.js';

/** Invalid values by type of option. Strings have none; `texts` has those of options with a format. */
const nonsense: Partial<Record<FlagKind, string>> = {
  bool: 'maybe',
  int: 'x',
  float: 'x',
  duration: 'x',
  quantity: 'x',
  map: 'x',
  gates: 'x',
  version: 'x',
};
const texts: Readonly<Record<string, string>> = {
  'bind-address': 'example.com',
  'advertise-address': 'here',
  vmodule: 'x',
  'show-hidden-metrics-for-version': 'x',
  'cors-allowed-origins': 'example.com',
  'strict-transport-security-directives': 'foo',
  'service-cluster-ip-range': '10.0.0.0',
  'cluster-cidr': '10.0.0.0',
  'service-node-port-range': '5-4',
  'peer-advertise-ip': 'x',
  'peer-advertise-port': 'x',
  'etcd-prefix': 'a b',
  'etcd-servers': 'x',
  'watch-cache-sizes': 'x',
  'oidc-issuer-url': 'http://x',
  'service-account-jwks-uri': 'http://x',
  'requestheader-username-headers': 'X Y',
  'allow-metric-labels': 'x',
  'runtime-config': 'api/all=maybe',
};

/** Options that make file options effective, in groups that can be combined. */
const companions: Readonly<Record<ProbedProgram, readonly (readonly [without: RegExp, beside: readonly string[]])[]>> = {
  apiserver: [
    [
      /^(?:authorization|authentication)-config$/,
      [
        ...['--authorization-mode=ABAC,Webhook', '--oidc-issuer-url=https://x', '--oidc-client-id=x', '--etcd-servers=http://127.0.0.1:1'],
        ...['--feature-gates=UnknownVersionInteroperabilityProxy=true', '--service-account-issuer=https://y'],
      ],
    ],
    [/^(?!authorization-config$|authentication-config$)/, []],
  ],
  'controller-manager': [
    [/^cluster-signing-(?:cert|key)-file$/, ['--enable-leader-migration']],
    [/^(?!cluster-signing-(?:cert|key)-file$)/, []],
  ],
};
/** Files that a program writes, or that others read. */
const notRead: ReadonlySet<string> = new Set(['audit-log-path', 'cloud-config']);

/** Options that read a file with invalid content; `with` is the other file of a pair. */
const lookedInto: Readonly<
  Record<ProbedProgram, Readonly<Record<string, { readonly with?: string; readonly beside?: readonly string[] }>>>
> = {
  apiserver: {
    'allow-metric-labels-manifest': {},
    'tls-cert-file': { with: 'tls-private-key-file' },
    'admission-control-config-file': {},
    'kubelet-client-certificate': { with: 'kubelet-client-key' },
    'kubelet-certificate-authority': {},
    'proxy-client-cert-file': { with: 'proxy-client-key-file' },
    'egress-selector-config-file': {},
    'peer-ca-file': { beside: ['--feature-gates=UnknownVersionInteroperabilityProxy=true'] },
    'tracing-config-file': {},
    'encryption-provider-config': {},
    'client-ca-file': {},
    'token-auth-file': {},
    'authentication-config': {},
    'authentication-token-webhook-config-file': {},
    'oidc-ca-file': { beside: ['--oidc-issuer-url=https://x', '--oidc-client-id=x'] },
    'requestheader-client-ca-file': {},
    'service-account-key-file': {},
    'authorization-config': {},
    'authorization-policy-file': { beside: ['--authorization-mode=ABAC'] },
    'authorization-webhook-config-file': { beside: ['--authorization-mode=Webhook'] },
    'audit-policy-file': {},
  },
  'controller-manager': {
    'allow-metric-labels-manifest': {},
    'tls-cert-file': { with: 'tls-private-key-file' },
    kubeconfig: {},
    'leader-migration-config': { beside: ['--enable-leader-migration', '--leader-elect=true'] },
    'pv-recycler-pod-template-filepath-hostpath': {},
    'pv-recycler-pod-template-filepath-nfs': {},
    'root-ca-file': {},
    'service-account-private-key-file': {},
    'cluster-signing-cert-file': { with: 'cluster-signing-key-file' },
    'cluster-signing-kube-apiserver-client-cert-file': { with: 'cluster-signing-kube-apiserver-client-key-file' },
    'cluster-signing-kubelet-client-cert-file': { with: 'cluster-signing-kubelet-client-key-file' },
    'cluster-signing-kubelet-serving-cert-file': { with: 'cluster-signing-kubelet-serving-key-file' },
    'cluster-signing-legacy-unknown-cert-file': { with: 'cluster-signing-legacy-unknown-key-file' },
    'authentication-kubeconfig': {},
    'authorization-kubeconfig': {},
    'client-ca-file': {},
    'requestheader-client-ca-file': {},
  },
};

/** The bundles refuse every invalid option at once, with the reference's messages and exit code. */
export function refusals(): void {
  for (const [program, table] of [
    ['apiserver', apiServerFlags as FlagTable],
    ['controller-manager', controllerManagerFlags as FlagTable],
  ] as const)
    it(`${program} refuses every value that none is, and says which would be`, async function () {
      const wrong = specifiedOptions(program).flatMap((name): [string, string][] => {
        const flag = table[name]!;
        const value = flag.oneOf !== undefined ? 'nothing-such' : flag.check !== undefined ? texts[name] : undefined;
        const bad = value ?? nonsense[flag.kind];
        return bad === undefined ? [] : [[name, bad]];
      });
      expect(wrong.length).to.be.above(60);
      const { status, text } = await runToEnd(
        program,
        wrong.map(([name, value]) => `--${name}=${value}`),
      );
      expect(status).to.equal(1);
      const lines = text.split('\n');
      const silent = wrong.filter(
        ([name, value]) =>
          !lines.some((line) => line.startsWith(`Error: invalid argument ${JSON.stringify(value)} for "--${name}" flag: want `)),
      );
      expect(silent).to.deep.equal([]);
    });
  for (const [program, table] of [
    ['apiserver', apiServerFlags as FlagTable],
    ['controller-manager', controllerManagerFlags as FlagTable],
  ] as const)
    it(`${program} refuses every file that it cannot read, and says of which option`, async function () {
      const files = specifiedOptions(program).filter((name) => /^file\b/.test(table[name]!.value ?? '') && !notRead.has(name));
      expect(files.length).to.be.above(20);
      const looked = new Set<string>();
      for (const [without, beside] of companions[program]) {
        const given = files.filter((name) => !without.test(name));
        const { status, text } = await runToEnd(program, [...beside, ...given.map((name) => `--${name}=/nowhere/${name}`)]);
        expect(status, text).to.equal(1);
        const silent = given.filter((name) => !text.includes(`Error: --${name}: /nowhere/${name} cannot be read: ENOENT: `));
        expect(silent, text).to.deep.equal([]);
        for (const name of given) looked.add(name);
      }
      expect(files.filter((name) => !looked.has(name))).to.deep.equal([]);
      const { status, text } = await runToEnd(program, [
        '--bind-address=127.0.0.1',
        ...(program === 'apiserver' ? ['--storage-backend=memory', '--secure-port=0'] : ['--master=https://127.0.0.1:1']),
        '--tls-sni-cert-key=/nowhere/c,/nowhere/k',
      ]);
      expect(status).to.equal(1);
      expect(text).to.contain('--tls-sni-cert-key=/nowhere/c,/nowhere/k: cannot read the certificate /nowhere/c: ENOENT: ');
    });
  for (const program of ['apiserver', 'controller-manager'] as const)
    it(`${program} does not begin with a file in which there is something else, and says of which option`, async function () {
      const folder = temporaryDirectory('rubbish');
      const [rubbish, kubeconfig] = [path.join(folder, 'rubbish'), path.join(folder, 'kubeconfig')];
      fs.writeFileSync(rubbish, '{ [ rubbish\n');
      fs.writeFileSync(
        kubeconfig,
        JSON.stringify({
          'current-context': 'x',
          contexts: [{ name: 'x', context: { cluster: 'c' } }],
          clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
        }),
      );
      const usual: Readonly<Record<string, string>> = {
        'bind-address': '127.0.0.1',
        'cert-dir': folder,
        ...(program === 'apiserver'
          ? { 'secure-port': '0', 'storage-backend': 'memory' }
          : { 'secure-port': String(await reservePort()), kubeconfig, 'leader-elect': 'false' }),
      };
      const silent: string[] = [];
      for (const [option, { with: other, beside = [] }] of Object.entries(lookedInto[program])) {
        const reported = [option, ...(other === undefined ? [] : [other])].map((name) => `--${name}=${rubbish}`);
        const given = [...reported, ...beside];
        const rest = Object.entries(usual).filter(([name]) => !given.some((arg) => arg.startsWith(`--${name}=`)));
        const { status, text } = await runToEnd(program, [...rest.map(([name, value]) => `--${name}=${value}`), ...given]);
        const said = text.split('\n').some((line) => line.includes(`--${option}`) && line.includes(rubbish));
        if (status !== 1 || !said) silent.push(`${option}: ${status} ${text.slice(-300)}`);
      }
      expect(silent).to.deep.equal([]);
    });
}
