import { expect } from 'chai';
import { Restartable } from './restartable.js';

const service = '/api/v1/namespaces/default/services/kubernetes';

describe('a start with ranges of service addresses', function () {
  let server: Restartable;
  before(async () => {
    server = await Restartable.create('service-ranges');
  });
  after(() => server.stop());

  const spec = async (): Promise<unknown> => {
    const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = (await server.ask('GET', service)).body['spec'] as Record<
      string,
      unknown
    >;
    return { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy };
  };
  const single = (address: string, family: string): object => ({
    clusterIP: address,
    clusterIPs: [address],
    ipFamilies: [family],
    ipFamilyPolicy: 'SingleStack',
  });

  it('gives the kubernetes service the first address of the first range, whichever family that is of', async () => {
    await server.restart('--service-cluster-ip-range=2001:db8:1::/112,10.0.0.0/16');
    expect(await spec()).to.deep.equal(single('2001:db8:1::1', 'IPv6'));
    const made = await server.ask('POST', '/api/v1/namespaces/default/services', {
      metadata: { name: 'both' },
      spec: { ports: [{ port: 80 }], ipFamilyPolicy: 'RequireDualStack' },
    });
    expect(made.body['spec']).to.deep.include({ ipFamilies: ['IPv6', 'IPv4'] });
  });

  it('replaces an address that is of no range any more, and leaves one that is', async () => {
    const { uid } = (await server.ask('GET', service)).body['metadata'] as { readonly uid: string };
    await server.restart('--service-cluster-ip-range=10.0.0.0/16,2001:db8:1::/112');
    expect((await server.ask('GET', service)).body['metadata']).to.deep.include({ uid });
    await server.restart('--service-cluster-ip-range=10.1.0.0/16');
    expect(await spec()).to.deep.equal(single('10.1.0.1', 'IPv4'));
    await server.restart('--service-cluster-ip-range=2001:db8:2::/112');
    expect(await spec()).to.deep.equal(single('2001:db8:2::1', 'IPv6'));
  });
});
