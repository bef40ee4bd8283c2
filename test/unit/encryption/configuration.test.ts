import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { readEncryptionConfiguration } from '../../../server/storage/encryption/configuration.js';
import { createEncryption } from '../../../server/storage/encryption/encryption.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

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
      [entry(['secrets'], { aescbc: { keys: [{ name: 'a', secret: key(16) }] } })],
      /secret must have 32 bytes, not 16/,
    ],
    'a key that is not base64': [[entry(['secrets'], { aesgcm: { keys: [{ name: 'a', secret: '***' }] } })], /secret must be base64/],
    'a key without a name': [[entry(['secrets'], { aesgcm: { keys: [{ name: '', secret: key(16) }] } })], /name must have 1 to/],
    'two keys of one name': [[entry(['secrets'], aescbc('a', 'a'))], /keys\[1\]\.name is there twice/],
    'a lone star': [[entry(['*'])], /must name a group/],
    'a wildcard among groups': [[entry(['secrets.*'])], /stands only in "\*\.\*"/],
    'a wildcard beside what it covers': [[entry(['*.apps', 'deployments.apps'])], /"\*\.apps" covers others/],
    'everything beside something': [[entry(['*.*', 'secrets'])], /"\*\.\*" covers the others/],
    'a wildcard in two entries': [[entry(['*.apps']), entry(['*.apps'])], /in more than one entry/],
    'a wildcard behind everything': [[entry(['*.*']), entry(['*.apps'])], /of an earlier entry covers \*\.apps/],
    'the same resource twice': [[entry(['secrets', 'secrets'])], /is there twice/],
    'a key service without a socket': [[entry(['secrets'], kms({ endpoint: 'https://vault' }))], /endpoint must be a socket/],
    'a key service of an unknown version': [[entry(['secrets'], kms({ apiVersion: 'v3' }))], /apiVersion must be v1 or v2/],
    'a cache size for v2': [[entry(['secrets'], kms({ cachesize: 5 }))], /cachesize is for v1 only/],
    'a time that is none': [[entry(['secrets'], kms({ timeout: 'soon' }))], /timeout must be a time above 0/],
    'a colon in the name of a key service': [[entry(['secrets'], kms({ name: 'a:b' }))], /kms\.name/],
  };
  for (const [what, [resources, complaint]] of Object.entries(refused)) {
    it(`refuses ${what}`, () => {
      const file = fileWith(resources);
      expect(() => readEncryptionConfiguration(file))
        .to.throw(complaint)
        .with.property('message')
        .that.includes('--encryption-provider-config')
        .and.includes(file);
    });
  }

  it('never repeats a secret in a complaint', () => {
    const secret = Buffer.from('not thirty-two').toString('base64');
    expect(() => readEncryptionConfiguration(fileWith([entry(['secrets'], { aescbc: { keys: [{ name: 'a', secret }] } })])))
      .to.throw()
      .with.property('message')
      .that.does.not.include(secret);
  });

  it('lets the first entry that covers a resource decide', () => {
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
