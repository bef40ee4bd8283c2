import { expect } from 'chai';
import { lookup } from 'node:dns/promises';
import fc from 'fast-check';
import { isProxyable, proxyableAddresses, type Lookup } from '../../../../../server/endpoints/backends/proxyable.js';

const group = (value: number): string => value.toString(16);
const dotted = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
const halves = (value: number): string => `${group(value >>> 16)}:${group(value & 0xffff)}`;

/** An address in its various forms. */
const dressed = (value: number): readonly string[] => [
  dotted(value),
  `::ffff:${dotted(value)}`,
  `::ffff:${halves(value)}`,
  `0:0:0:0:0:ffff:${halves(value)}`,
  `0000:0000:0000:0000:0000:FFFF:${halves(value)}`,
  `::${dotted(value)}`,
  `::ffff:0:${halves(value)}`,
  `64:ff9b::${dotted(value)}`,
  `64:ff9b:1::${halves(value)}`,
  `2002:${halves(value)}::1`,
];
const refused = ['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '169.254.169.254', '224.0.0.1', '239.1.2.3', '255.255.255.255'];
const valueOf = (text: string): number => text.split('.').reduce((sum, part) => (sum * 256 + Number(part)) >>> 0, 0);

describe('addresses that proxies lead to', () => {
  it('are global unicast ones', () => {
    for (const ip of [
      '10.0.0.1',
      '192.168.1.1',
      '172.16.0.9',
      '8.8.8.8',
      '100.64.0.1',
      '223.255.255.255',
      '240.0.0.1',
      '2001:db8::1',
      'fd00::1',
      'fec0::1',
      '2002:a00:1::',
      '::ffff:10.0.0.1',
      '64:ff9b::8.8.8.8',
    ])
      expect(isProxyable(ip), ip).to.equal(true);
  });

  it('are none of this machine, its links or all machines, in whatever spelling', () => {
    for (const ip of [
      ...refused.flatMap((each) => dressed(valueOf(each))),
      '::',
      '::1',
      '0::1',
      '0:0:0:0:0:0:0:1',
      'fe80::1',
      'FEBF::1',
      'ff02::1',
      'ff0e::1',
    ])
      expect(isProxyable(ip), ip).to.equal(false);
  });

  it('are none that cannot be read', () => {
    for (const ip of [
      '',
      'localhost',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '10.0.0.01',
      '10.0.0',
      '2001:db8::1%eth0',
      '[2001:db8::1]',
      ' 10.0.0.1',
      '10.0.0.1:80',
      '::ffff:0x7f000001',
    ])
      expect(isProxyable(ip), ip).to.equal(false);
  });

  it('depend on what is hidden in them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (value) => {
        const bare = isProxyable(dotted(value));
        for (const ip of dressed(value)) expect(isProxyable(ip), ip).to.equal(bare);
      }),
      { numRuns: 500 },
    );
  });

  const system: Lookup = (host) => lookup(host, { all: true });
  const refusal = async (host: string, ask = system): Promise<string> =>
    proxyableAddresses(host, ask).then(
      () => 'allowed',
      (error: unknown) => (error as Error).message,
    );

  it('are judged by what the system makes of a name', async () => {
    for (const host of [
      'localhost',
      'LOCALHOST',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '0x7f.1',
      '::ffff:7f00:1',
      '::ffff:a9fe:a9fe',
    ])
      expect(await refusal(host), host).to.equal('address not allowed');
    expect(await refusal('nowhere.invalid')).to.equal('lookup nowhere.invalid: no such host');
  });

  it("are all of a name's, or none", async () => {
    const reported =
      (...addresses: readonly string[]): Lookup =>
      () =>
        Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
    expect(await proxyableAddresses('a', reported('10.0.0.1', '2001:db8::1'))).to.have.length(2);
    for (const answer of [reported('10.0.0.1', '127.0.0.1'), reported('::1', '10.0.0.1'), reported('10.0.0.1', '::ffff:127.0.0.1')])
      expect(await refusal('a', answer)).to.equal('address not allowed');
    expect(await refusal('a', reported())).to.equal('No addresses for hostname');
  });
});
