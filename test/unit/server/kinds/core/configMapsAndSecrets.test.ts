import { expect } from 'chai';
import { changing, object, type Refused } from '../kindSample.js';
import { causes, createSample, type Sample } from '../../registry/sample.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const refused: Refused = [
  [
    'keys of config maps',
    object('ConfigMap', { data: { 'a b': '', '..': '', k: '' }, binaryData: { k: '' } }),
    ['invalid data[a b]', 'invalid data[..]', 'invalid data[k]'],
  ],
  ['large config maps', object('ConfigMap', { data: { k: 'x'.repeat(1024 * 1024 + 1) } }), ['long []']],
  ['secrets of types', object('Secret', { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } }), ['required data[tls.key]']],
  [
    'credentials that are no JSON',
    object('Secret', { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': base64('x') } }),
    ['invalid data[.dockercfg]'],
  ],
  [
    'credentials that are no object',
    object('Secret', { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64('[]') } }),
    ['invalid data[.dockerconfigjson]'],
  ],
  [
    'tokens without account',
    object('Secret', { type: 'kubernetes.io/service-account-token' }),
    ['required metadata.annotations[kubernetes.io/service-account.name]'],
  ],
];

describe('kinds, config maps and secrets', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`checks ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });

  it('keeps frozen data as it is', async () => {
    expect(
      await changing(sample, 'ConfigMap', { immutable: true, data: { k: 'v' } }, { immutable: false, data: { k: 'w' } }),
    ).to.deep.equal(['forbidden immutable', 'forbidden data']);
    expect(await changing(sample, 'Secret', { immutable: true }, { metadata: { labels: { a: 'b' } } })).to.deep.equal([]);
  });

  it('takes an empty map for a change of frozen data, unless there is always one', async () => {
    expect(await changing(sample, 'Secret', { immutable: true }, { data: {} })).to.deep.equal(['forbidden data']);
    await sample.remove('ConfigMap', 'a').catch(() => undefined);
    expect(await changing(sample, 'ConfigMap', { immutable: true }, { data: {}, binaryData: {} })).to.deep.equal(['forbidden binaryData']);
  });

  it('keeps the type of a secret', async () => {
    expect(await changing(sample, 'Secret', {}, { type: 'x' })).to.deep.equal(['invalid type']);
  });

  it('warns of certificates that do not fit', async () => {
    await sample.create(object('Secret', { type: 'kubernetes.io/tls', data: { 'tls.crt': base64('x'), 'tls.key': '' } }));
    expect(sample.warnings()).to.deep.equal(['tls: failed to find any PEM data in certificate input']);
  });
});
