import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { readEncryptionConfiguration } from '../../../../../server/storage/encryption/configuration.js';
import { keyNameCharactersMax, opened, sealed } from '../../../../../server/storage/encryption/transformer.js';
import { createEncryption } from '../../../../../server/storage/encryption/encryption.js';
import { temporaryDirectory } from '../../../../fixtures/temporaryDirectory.js';

const key = (bytes: number): string => Buffer.alloc(bytes, 7).toString('base64');

function fileWith(resources: unknown, more: object = {}): string {
  const file = path.join(temporaryDirectory('encryption'), 'config.json');
  fs.writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources, ...more }));
  return file;
}

const entry = (resources: readonly string[], ...providers: readonly object[]): object => ({
  resources,
  providers: providers.length === 0 ? [{ identity: {} }] : providers,
});
const aescbc = (...names: readonly string[]): object => ({ aescbc: { keys: names.map((name) => ({ name, secret: key(32) })) } });
const kms = (more: object = {}): object => ({ kms: { apiVersion: 'v2', name: 'vault', endpoint: 'unix:///run/kms.sock', ...more } });

describe('encryption, configuration', () => {
  it('takes names of every permitted length, members without a value, and wildcards beside other groups', () => {
    const names = (length: number) => 'n'.repeat(length);
    const rules = readEncryptionConfiguration(
      fileWith([
        entry(['*.apps', 'secrets', 'pods'], kms({ name: names(keyNameCharactersMax), cachesize: null, timeout: '1ms' })),
        entry(['configmaps'], aescbc(names(keyNameCharactersMax)), { identity: {} }),
      ]),
    );
    expect(rules.map(({ providers }) => providers.map((facts) => (facts.kind === 'kms' ? facts.kms.timeoutMs : facts.kind)))).to.deep.equal(
      [[1], ['keyed', 'identity']],
    );
  });

  const refused: Readonly<Record<string, readonly [unknown, RegExp]>> = {
    'nothing at all': [[], /resources must have at least one entry/],
    'an entry without resources': [[entry([])], /resources\[0\]\.resources must name resources/],
    'an entry without providers': [[{ resources: ['secrets'], providers: [] }], /providers must have at least one entry/],
    'an unknown provider': [[entry(['secrets'], { rot13: {} })], /providers\[0\]\.rot13 is unknown/],
    'two providers in one': [
      [entry(['secrets'], { identity: {}, ...aescbc('a') })],
      /must have one kind of provider, not identity and aescbc/,
    ],
    'a provider without keys': [[entry(['secrets'], { aesgcm: { keys: [] } })], /aesgcm\.keys must have at least one key/],
    'a key of a wrong length': [
      [entry(['secrets'], { aescbc: { keys: [{ name: 'a', secret: key(20) }] } })],
      /secret must have 16, 24, 32 bytes, not 20/,
    ],
    'a key that is not base64': [[entry(['secrets'], { aesgcm: { keys: [{ name: 'a', secret: '***' }] } })], /secret must be base64/],
    'a key without a name': [[entry(['secrets'], { aesgcm: { keys: [{ name: '', secret: key(16) }] } })], /name must have 1 to/],
    'a key of secretbox that is too short': [
      [entry(['secrets'], { secretbox: { keys: [{ name: 'a', secret: key(16) }] } })],
      /secret must have 32 bytes, not 16/,
    ],
    'a key without padding': [
      [entry(['secrets'], { aesgcm: { keys: [{ name: 'a', secret: key(16).replaceAll('=', '') }] } })],
      /must be base64/,
    ],
    'a resource without a name': [[entry([''])], /"" is no resource/],
    'a resource in capitals': [[entry(['Secrets'])], /"Secrets" is no resource/],
    'an entry that is empty': [[entry(['secrets'], {})], /must have one kind of provider, not none/],
    'a service without a name': [[entry(['secrets'], kms({ name: '' }))], /kms\.name must have 1 to/],
    'a service with a long name': [[entry(['secrets'], kms({ name: 'n'.repeat(keyNameCharactersMax + 1) }))], /kms\.name must have 1 to/],
    'no time for a service': [[entry(['secrets'], kms({ timeout: '0s' }))], /timeout must be a time above 0/],
    'a lone star': [[entry(['*'])], /must name a group/],
    'a wildcard among groups': [[entry(['secrets.*'])], /stands only in "\*\.\*"/],
    'a wildcard beside what it covers': [[entry(['*.apps', 'deployments.apps'])], /"\*\.apps" covers others/],
    'everything beside something': [[entry(['*.*', 'secrets'])], /"\*\.\*" covers the others/],
    'a wildcard in two entries': [[entry(['*.apps']), entry(['*.apps'])], /"\*\.apps" is covered by "\*\.apps" of an earlier entry/],
    'a wildcard behind everything': [[entry(['*.*']), entry(['*.apps'])], /"\*\.apps" is covered by "\*\.\*" of an earlier entry/],
    'a resource behind everything': [[entry(['*.*']), entry(['secrets'])], /"secrets" is covered by "\*\.\*"/],
    'a resource behind the wildcard of its group': [[entry(['*.']), entry(['secrets'])], /"secrets" is covered by "\*\."/],
    'what no API serves': [[entry(['servicenodeportallocations'])], /is no resource of an API/],
    'events by the group that only shows them': [[entry(['events.events.k8s.io'])], /write "events"/],
    'a group that is no more': [[entry(['ingresses.extensions'])], /group extensions is no more/],
    'the same resource twice': [[entry(['secrets', 'secrets'])], /is there twice/],
    'a key service without a socket': [[entry(['secrets'], kms({ endpoint: 'https://vault' }))], /endpoint must be a socket/],
    'a key service of an unknown version': [[entry(['secrets'], kms({ apiVersion: 'v3' }))], /apiVersion must be v1 or v2/],
    'a cache size for v2': [[entry(['secrets'], kms({ cachesize: 5 }))], /cachesize is for v1 only/],
    'a cache without room': [[entry(['secrets'], kms({ apiVersion: 'v1', cachesize: 0 }))], /cachesize must not be 0/],
    'a group without a resource': [[entry(['.apps'])], /".apps" is no resource/],
    'a wildcard within a group': [[entry(['*.a*'])], /stands only in/],
    'a key with a long name': [[entry(['secrets'], aescbc('n'.repeat(keyNameCharactersMax + 1)))], /name must have 1 to/],
    'a key without a secret': [[entry(['secrets'], { aescbc: { keys: [{ name: 'a', secret: '' }] } })], /secret must be base64/],
    'a resource of a group behind everything': [[entry(['*.*']), entry(['deployments.apps'])], /"deployments.apps" is covered by/],
    'a time that is none': [[entry(['secrets'], kms({ timeout: 'soon' }))], /timeout must be a time above 0/],
    'a colon in the name of a key service': [[entry(['secrets'], kms({ name: 'a:b' }))], /kms\.name/],
  };
  for (const [what, [resources, problem]] of Object.entries(refused)) {
    it(`refuses ${what}`, () => {
      const file = fileWith(resources);
      expect(() => readEncryptionConfiguration(file))
        .to.throw(problem)
        .with.property('message')
        .that.includes('--encryption-provider-config')
        .and.includes(file);
    });
  }

  it('keeps what is for services of v1 alone, and skips members without a value', () => {
    const v1 = { apiVersion: 'v1', name: 'a:b', cachesize: -1, timeout: null };
    const [rule] = readEncryptionConfiguration(fileWith([entry(['secrets'], kms(v1), kms(v1), { aesgcm: null, identity: {} })]));
    const facts = { apiVersion: 'v1', name: 'a:b', cacheSize: -1, timeoutMs: 3_000, endpoint: 'unix:///run/kms.sock' };
    expect(rule?.providers).to.deep.equal([{ kind: 'kms', kms: facts }, { kind: 'kms', kms: facts }, { kind: 'identity' }]);
    const [later] = readEncryptionConfiguration(fileWith([entry(['secrets'], kms())]));
    expect(later?.providers).to.deep.equal([{ kind: 'kms', kms: { ...facts, apiVersion: 'v2', name: 'vault', cacheSize: null } }]);
  });
  // validateKMSConfigName of apiserver/validation/validation_encryption.go.
  for (const [versions, follows, isRefused] of [
    [['v1', 'v1'], false, false],
    [['v1', 'v1'], true, true],
    [['v2', 'v1'], false, false],
    [['v2', 'v1'], true, true],
    [['v1', 'v2'], false, true],
    [['v2', 'v2'], false, true],
  ] as const)
    it(`${isRefused ? 'refuses' : 'takes'} key services of ${versions.join(' and ')} with one name${follows ? ', reloaded' : ''}`, () => {
      const [first, second] = versions.map((apiVersion) => kms({ apiVersion }));
      const file = fileWith([entry(['secrets'], first!), entry(['configmaps'], second!)]);
      const read = () => readEncryptionConfiguration(file, follows);
      if (isRefused) expect(read).to.throw(/resources\[1\]\.providers\[0\]\.kms\.name: "vault" is there twice/);
      else expect(read()).to.have.length(2);
    });

  it('never repeats a secret in a problem', () => {
    const secret = Buffer.from('not thirty-two').toString('base64');
    expect(() => readEncryptionConfiguration(fileWith([entry(['secrets'], { aescbc: { keys: [{ name: 'a', secret }] } })])))
      .to.throw()
      .with.property('message')
      .that.does.not.include(secret);
  });

  for (const scheme of ['aescbc', 'aesgcm']) {
    for (const bytes of [16, 24, 32]) {
      it(`takes a key of ${bytes} bytes for ${scheme}`, async () => {
        const rules = readEncryptionConfiguration(
          fileWith([entry(['secrets'], { [scheme]: { keys: [{ name: 'a:b', secret: `${key(bytes)}\n` }] } })]),
        );
        const [transformer] = createEncryption(rules).transformersOf({ group: '', resource: 'secrets' })!;
        const value = await sealed(Buffer.from('till'), transformer!, '/k');
        expect(value.toString('latin1').startsWith(`k8s:enc:${scheme}:v1:a:b:`)).to.equal(true);
        expect((await opened(value, [transformer!], '/k')).toString()).to.equal('till');
      });
    }
  }

  it('has the transformers of all entries that name a resource alike, in their order', () => {
    const rules = readEncryptionConfiguration(fileWith([entry(['secrets'], aescbc('a')), entry(['secrets', '*.apps'], aescbc('b'))]));
    const found = createEncryption(rules).transformersOf({ group: '', resource: 'secrets' })!;
    expect(found.map(({ prefix }) => prefix)).to.deep.equal(['k8s:enc:aescbc:v1:a:', 'k8s:enc:aescbc:v1:b:']);
  });

  it('writes in plain what no API serves, and reads it where it was encrypted', () => {
    const encryption = createEncryption(readEncryptionConfiguration(fileWith([entry(['*.*'], aescbc('a'))])));
    for (const resource of ['servicenodeportallocations', 'apiServerIPInfo'])
      expect(encryption.transformersOf({ group: '', resource })?.map(({ prefix }) => prefix)).to.deep.equal(['', 'k8s:enc:aescbc:v1:a:']);
  });

  it('lets the entry decide that names a resource most closely', () => {
    const encryption = createEncryption(
      readEncryptionConfiguration(
        fileWith([entry(['secrets'], aescbc('a')), entry(['*.apps'], aescbc('b'), { identity: {} }), entry(['*.*'], aescbc('c'))]),
      ),
    );
    const prefixes = (resource: string, group: string): (readonly string[])[] => [
      (encryption.transformersOf({ resource, group }) ?? []).map(({ prefix }) => prefix),
    ];
    expect(prefixes('secrets', '')).to.deep.equal([['k8s:enc:aescbc:v1:a:']]);
    expect(prefixes('deployments', 'apps')).to.deep.equal([['k8s:enc:aescbc:v1:b:', '']]);
    expect(prefixes('widgets', 'example.com')).to.deep.equal([['k8s:enc:aescbc:v1:c:']]);
  });

  it('leaves resources that are not named in plain', () => {
    expect(
      createEncryption(readEncryptionConfiguration(fileWith([entry(['*.'], aescbc('a'))]))).transformersOf({
        resource: 'deployments',
        group: 'apps',
      }),
    ).to.equal(null);
  });
});
