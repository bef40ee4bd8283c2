import { expect } from 'chai';
import { Path } from '../../../../server/registry/validation/field.js';
import { claimsOf } from '../../../../server/serviceAddresses/claims.js';
import { endpointAddress } from '../../../../server/registry/validation/addresses.js';
import { standing } from '../../../../server/registry/validation/gatedFindings.js';
import { addressWarnings } from '../../../../server/registry/validation/spelling.js';
import { addressAnd, ipAddress } from '../../../../server/registry/validation/values.js';

describe('addresses in objects', () => {
  const findings = (text: string): string[] => ipAddress(text, Path.of('ip')).map(({ message }) => message);

  it('stand in their plain form', () => {
    for (const ip of [
      '10.0.0.1',
      '127.0.0.1',
      '::1',
      '2001:db8::1',
      '0:0:0:0:0:0:0:1',
      '2001:DB8::1',
      '::ffff',
      '::ffff:0:1.2.3.4',
      '64:ff9b::1.2.3.4',
    ])
      expect(findings(ip), ip).to.deep.equal([]);
  });

  it('are no IPv4 addresses in the clothes of IPv6, however written', () => {
    for (const ip of [
      '::ffff:1.2.3.4',
      '::FFFF:1.2.3.4',
      '::ffff:102:304',
      '0:0:0:0:0:ffff:1.2.3.4',
      '0000:0000:0000:0000:0000:ffff:0102:0304',
      '::ffff:0:1',
    ])
      expect(findings(ip).join(), ip).to.contain('must not be an IPv4-mapped IPv6 address');
  });

  it('are none that not everybody reads alike', () => {
    for (const ip of ['010.0.0.1', '10.0.0.01']) expect(findings(ip).join(), ip).to.contain('must not have leading 0s');
    for (const ip of ['', '10.0.0', '1.2.3.4.5', 'fe80::1%eth0', '2130706433', '0x7f.0.0.1', '[::1]', 'localhost'])
      expect(findings(ip).join(), ip).to.contain('must be a valid IP address');
  });

  it('are looked at further while odd spellings may stand', () => {
    const messages = (text: string, enabled: boolean): string[] =>
      standing(
        addressAnd(text, Path.of('ip'), () => endpointAddress(text, Path.of('ip'))),
        () => enabled,
        null,
      ).map(({ message }) => message);
    expect(messages('127.0.0.01', true).join()).to.contain('leading 0s').and.not.contain('loopback');
    expect(messages('127.0.0.01', false).join()).to.contain('loopback').and.not.contain('leading 0s');
    expect(messages('::ffff:127.0.0.1', false).join()).to.contain('loopback');
    expect(messages('10.0.0.01', false)).to.deep.equal([]);
    expect(messages('10.0.0', false)).to.have.length(1);
  });

  it('are warned of in their old spellings', () => {
    expect(addressWarnings('10.0.0.01', 'ip')).to.deep.equal([
      'ip: non-standard IP address "10.0.0.01" will be considered invalid in a future Kubernetes release: use "10.0.0.1"',
    ]);
    expect(addressWarnings('::ffff:1.2.3.4', 'ip').join()).to.contain('use "1.2.3.4"');
    expect(addressWarnings('10.0.0.1', 'ip')).to.deep.equal([]);
  });

  it('are claimed in their plain form', () => {
    const spec = { type: 'ClusterIP', clusterIPs: ['10.0.0.011', '2001:DB8:0::1'] };
    expect(claimsOf({ metadata: {}, spec }).map(({ name }) => name)).to.deep.equal(['10.0.0.11', '2001:db8::1']);
  });
});
