import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { mergedTrust, publishedTrust } from '../../../../server/authentication/published.js';
import { createIdentities } from '../../../fixtures/identities.js';

describe('what is published of authorities', () => {
  const lists = {
    'allowed-names': ['p'],
    'username-headers': ['X-U'],
    'uid-headers': [],
    'group-headers': ['X-G'],
    'extra-headers-prefix': ['X-E-'],
  };

  it('holds what is configured and nothing else', async () => {
    const anchors = [new X509Certificate((await createIdentities('a')).ca)];
    expect(publishedTrust({ client: null, proxy: null })).to.deep.equal({});
    expect(Object.keys(publishedTrust({ client: anchors, proxy: null }))).to.deep.equal(['client-ca-file']);
    expect(publishedTrust({ client: null, proxy: { anchors, lists } })).to.deep.include({
      'requestheader-allowed-names': '["p"]',
      'requestheader-uid-headers': '[]',
    });
  });
  it('keeps what other servers know, drops what has expired or is no certificate, and says nothing twice', async () => {
    const [one, two] = [await createIdentities('one'), await createIdentities('two')];
    const expired = await one.issue({ name: 'old', expired: true });
    const own = publishedTrust({ client: [new X509Certificate(one.ca)], proxy: { anchors: [new X509Certificate(one.ca)], lists } });
    const merged = mergedTrust(
      {
        'client-ca-file': `${two.ca}${expired.cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${one.ca}`,
        'requestheader-allowed-names': '["q","p"]',
        'requestheader-username-headers': 'junk',
        other: 'x',
      },
      own,
      Date.now(),
    );
    expect((merged['client-ca-file']?.match(/BEGIN/g) ?? []).length).to.equal(2);
    expect(merged).to.deep.include({ 'requestheader-allowed-names': '["q","p"]', 'requestheader-username-headers': '["X-U"]', other: 'x' });
    expect(mergedTrust(merged, own, Date.now())).to.deep.equal(merged);
  });
});
