import { expect } from 'chai';
import type { FlagKind, FlagTable } from '../../../server/catalogue/flags/flag.js';
import { controllerManagerFlags } from '../../../controllers/options/flags.js';
import { apiServerFlags } from '../../../server/options/apiserver.js';
import { runToEnd } from './bundledProgram.js';
import { specifiedOptions } from './probed.js';

/** What no value of the kind is. Texts have no such value of their own: `texts` has those of options that want a form. */
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
  'etcd-prefix': 'x',
  'etcd-servers': 'x',
  'watch-cache-sizes': 'x',
  'oidc-issuer-url': 'http://x',
  'service-account-jwks-uri': 'http://x',
  'requestheader-username-headers': 'X Y',
  'allow-metric-labels': 'x',
  'runtime-config': 'api/all=maybe',
};

/** The bundles refuse what cannot be right, all of it at once, in the words and with the code of the reference. */
export function refusals(): void {
  for (const [program, table] of [
    ['apiserver', apiServerFlags as FlagTable],
    ['controller-manager', controllerManagerFlags as FlagTable],
  ] as const)
    it(`${program} refuses every value that none is, and says which would be`, async function () {
      this.timeout(60_000);
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
}
