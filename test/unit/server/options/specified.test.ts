import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { helpText } from '../../../../program/flags/help.js';
import type { FlagKind, FlagTable } from '../../../../program/flags/flag.js';
import { readApiServerOptions } from '../../../../server/options/read.js';
import { apiServerFlags } from '../../../../server/options/flags.js';
import { optionsPage } from '../../../../server/options/page.js';
import { neutralOptionName } from '../../../../api/catalogue/vocabulary.js';
import { formatDuration } from '../../../../program/flags/duration.js';
import { packageRoot } from '../../../fixtures/packageRoot.js';

/** Every option of the specification: name (in neutral spelling), type and default. */
const specified = JSON.parse(fs.readFileSync(path.join(packageRoot, 'test/unit/server/options/specified.json'), 'utf8')) as [
  string,
  string,
  string,
][];
const table: FlagTable = apiServerFlags;
const real = new Map(Object.keys(table).flatMap((name) => [[name, name] as const, [neutralOptionName(name) ?? name, name] as const]));

/** Types of the specification, and ours. */
const kinds: Readonly<Record<string, readonly FlagKind[]>> = {
  bool: ['bool'],
  int: ['int'],
  'int (seconds)': ['int'],
  float: ['float'],
  duration: ['duration'],
  quantity: ['quantity'],
  string: ['string', 'repeated'],
  strings: ['strings', 'repeated'],
  stringToString: ['map', 'repeated'],
  'key=value': ['map'],
  'key=value pairs': ['map'],
  'N1-N2': ['string'],
  'pattern=N,...': ['string'],
  colonSeparatedMultimapStringString: ['gates'],
  'version[=true]': ['version'],
};
/** Different defaults, with reasons. */
const otherDefaults: Readonly<Record<string, string>> = {
  'cert-dir': 'the specification has one for each program, in one row',
  'api-audiences': 'the issuer, where there is one: worked out when it is known',
  'authorization-mode': 'worked out, since --authorization-config stands in its place',
  'oidc-ca-file': 'those of the host, where it is not given',
  'service-account-key-file': 'the key of TLS, where it is not given',
  'storage-backend': 'in its real spelling',
  'storage-media-type': 'in its real spelling',
  'audit-log-version': 'in its real spelling',
  'audit-webhook-version': 'in its real spelling',
  'tls-cipher-suites': 'those of the runtime, where they are not given',
  version: 'described in words',
  'anonymous-auth': 'on, unless a configuration file says something: so "not given" is told apart',
};
/** Invalid values by type. */
const nonsense: Partial<Record<FlagKind, string>> = {
  bool: 'maybe',
  int: 'x',
  float: 'x',
  duration: 'x',
  quantity: 'x',
  map: 'x',
  gates: 'x',
};
/** Options that a part's tests name otherwise: the place that reads the option, its name there, and the test. */
const byAnotherName: Readonly<Record<string, readonly [taken: string, word: string, test: string]>> = {
  'aggregator-reject-forwarding-redirect': [
    'server/assembly/extensionServers.ts',
    'rejectsRedirects',
    'test/unit/server/aggregation/aggregation.test.ts',
  ],
  'authorization-webhook-cache-unauthorized-ttl': [
    'server/assembly/accessSettings.ts',
    'unauthorizedTtl',
    'test/unit/server/authorization/webhook.test.ts',
  ],
  'enable-aggregator-routing': ['server/assembly/webhooks.ts', 'endpointAddresses', 'test/unit/server/webhook/services.test.ts'],
  'peer-advertise-port': ['server/server.ts', 'port', 'test/unit/server/presence/presence.test.ts'],
  'shutdown-send-retry-after': ['server/assembly/front.ts', 'sendRetryAfter', 'test/unit/server/http/shutdown.test.ts'],
  'shutdown-watch-termination-grace-period': ['server/assembly/front.ts', 'watchGraceMs', 'test/unit/server/http/shutdown.test.ts'],
};

const help = helpText(apiServerFlags, { program: 'apiserver', about: '', examples: [], width: 100 });

function shownDefault(name: string): string {
  const { kind, default: value } = table[name]!;
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return 'none';
  if (kind === 'duration') return value === 0 ? 'none' : formatDuration(value as number);
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object') return 'none';
  return String(value);
}

/** Names in tests that are passed to a server or read from its options. */
const tested = fs
  .readdirSync(path.join(packageRoot, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('specified.test.ts'))
  .map((file) => fs.readFileSync(path.join(packageRoot, 'test', file), 'utf8'))
  .concat(fs.readFileSync(path.join(packageRoot, 'deploy', 'flags.ts'), 'utf8'))
  .join('\n');

describe('options of the specification', () => {
  for (const [neutral, type, given] of specified) {
    const name = real.get(neutral) ?? neutral;
    it(`--${name} is read, checked and reported`, () => {
      const flag = table[name];
      if (flag === undefined) throw new Error(`--${neutral} is not known`);
      expect(kinds[type] ?? [type], type).to.include(flag.kind);
      expect(help).to.match(new RegExp(`^ {2}(?:-\\w, )?--${name}(?: |$)`, 'm'));
      expect(flag.withoutEffect).to.equal(undefined);
      if (otherDefaults[name] === undefined) {
        const wanted =
          given === '[]' || (given === '0' && shownDefault(name) === 'none') || given.startsWith('none') ? 'none' : given.split(' ')[0];
        expect(
          shownDefault(name) === '0' || shownDefault(name) === 'false' ? [wanted, 'none'] : [shownDefault(name)],
          `the default of --${name}, specified as ${given}`,
        ).to.include(wanted);
      }
      const wrong = nonsense[flag.kind];
      if (wrong !== undefined) {
        const read = readApiServerOptions([`--${name}=${wrong}`]);
        expect(read.ok ? '' : read.errors.join(), 'names option, value and what is right').to.match(
          new RegExp(`(?:invalid argument "${wrong}" for "--${name}" flag: want|--${name} names ${wrong}, which) .+`),
        );
      }
    });
  }

  for (const [name, [taken, word, test]] of Object.entries(byAnotherName))
    it(`--${name} is ${word} in ${test}`, () => {
      const source = fs.readFileSync(path.join(packageRoot, taken), 'utf8').split('\n');
      expect(
        source.some((line) => line.includes(`'${name}'`) && line.includes(word)),
        taken,
      ).to.equal(true);
      expect(fs.readFileSync(path.join(packageRoot, test), 'utf8')).to.contain(word);
    });

  it('have their effect shown by a test that names them, or what they are called further in', () => {
    const missing = specified
      .map(([neutral]) => real.get(neutral) ?? neutral)
      .filter((name) => byAnotherName[name] === undefined && !tested.includes(`--${name}`) && !tested.includes(`'${name}'`));
    expect(missing).to.deep.equal([]);
  });

  it('are in docs/options.md as they are; npm run generate writes it', () => {
    expect(fs.readFileSync(path.join(packageRoot, 'docs/options.md'), 'utf8')).to.equal(optionsPage(apiServerFlags));
  });

  it('leave none of them without effect', () => {
    const names = specified.map(([neutral]) => real.get(neutral) ?? neutral);
    expect(names.filter((name) => table[name]?.withoutEffect)).to.deep.equal([]);
  });
});
