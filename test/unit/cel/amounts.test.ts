import { expect } from 'chai';
import { roundAmounts } from '../../../api/resourceLists.js';
import { pullPolicyOf } from '../../../api/pods/images.js';
import { refusedSelector } from '../../../cel/check/device.js';

describe('registry/core, defaults that look at a text', () => {
  it('round amounts up to the thousandth, and leave all others as they are', () => {
    const list = { a: '500n', b: '1500u', c: '0.0001', d: '1.5', e: '-1500u', f: '1e-4', g: '250m', h: '1Gi' };
    roundAmounts(list);
    expect(list).to.deep.equal({ a: '1m', b: '2m', c: '1m', d: '1.5', e: '-1m', f: '1e-3', g: '250m', h: '1Gi' });
  });

  const long = 'a'.repeat(248);
  const digest = '0'.repeat(64);
  const policies = {
    Always: [
      ...['img', 'img:latest', 'host.example:5000/a/b', 'a__b/c-d', '[::1]:5000/img', `img:latest@sha256:${digest}`],
      // 255 characters with the folder that names of one word are in; those of a registry have none.
      ...[long.slice(1), `host.example/${long}aaaaaaa`, `docker.io/a/${long}aaaaa`, `localhost/${long}aaaaaaa`],
    ],
    IfNotPresent: [
      ...[long, `host.example/${long}aaaaaaaa`, `docker.io/${long}`, `index.docker.io/${long}:latest`, `a/${long}aaaaaa`],
      ...['a'.repeat(64), `img:latest@sha256:${digest}0`, `img:latest@md5:${digest}`],
      '',
      'img:1',
      'Img',
      '*',
      '-a',
      'a..b',
      `img@sha256:${'0'.repeat(64)}`,
      'host.example/UPPER',
      'img:',
      'a'.repeat(2_000),
    ],
  } as const;
  for (const [policy, references] of Object.entries(policies)) {
    it(`pull ${policy}: ${references.map((reference) => reference.slice(0, 24)).join(' ')}`, () => {
      expect(references.map(pullPolicyOf)).to.deep.equal(references.map(() => policy));
    });
  }
});

describe('registry/resource.k8s.io, selectors of devices', () => {
  it('may ask for what is known of a device, and must say yes or no', () => {
    const accepted = [
      'device.driver == "gpu.example.com"',
      'device.attributes["gpu.example.com"].memory > 3',
      'device.capacity["gpu.example.com"]["memory"].compareTo(quantity("1Gi")) >= 0',
      'device.attributes["a"].b',
      'device.allowMultipleAllocations == true',
    ];
    expect(accepted.map(refusedSelector)).to.deep.equal(accepted.map(() => null));
    expect(
      ['', 'device.', 'other.a', '0', 'device.driver', 'device.attributes["a"]'].filter((text) => refusedSelector(text) === null),
    ).to.deep.equal([]);
  });
});
