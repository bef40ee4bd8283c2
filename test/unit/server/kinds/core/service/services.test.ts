/** Rules of services: defaults, addresses, ports and findings. */
import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../../../api/object.js';
import { repairServiceClaims } from '../../../../../../server/serviceAddresses/repair.js';
import { parseAddress } from '../../../../../../server/registry/validation/addresses.js';
import { causes, createSample, refusal, type Sample } from '../../../registry/sample.js';

const service = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});
const specOf = (object: ApiObject): JsonObject => object['spec'] as JsonObject;
const portsOf = (object: ApiObject): number[] => (specOf(object)['ports'] as JsonObject[]).map((port) => Number(port['nodePort'] ?? 0));

describe('registry/services', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  it('has no policy for traffic within the cluster where it is only a name', async () => {
    const named = service('n', { type: 'ExternalName', externalName: 'a.example', internalTrafficPolicy: 'Cluster', ports: [] });
    expect(specOf(await sample.create(named))).to.not.have.property('internalTrafficPolicy');
    const updated = await sample.update(named, (object) => {
      specOf(object)['internalTrafficPolicy'] = 'Local';
    });
    expect(specOf(updated)).to.not.have.property('internalTrafficPolicy');
  });

  it('fills in what a client leaves out', async () => {
    const object = await sample.create(
      service('a', {
        sessionAffinity: 'ClientIP',
        ports: [
          { name: 'x', port: 80, targetPort: 'web' },
          { name: 'y', port: 53, protocol: 'UDP' },
        ],
      }),
    );
    expect(specOf(object)).to.deep.include({
      type: 'ClusterIP',
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [
        { name: 'x', port: 80, targetPort: 'web', protocol: 'TCP' },
        { name: 'y', port: 53, protocol: 'UDP', targetPort: 53 },
      ],
    });
    expect(specOf(object)['clusterIPs']).to.deep.equal([specOf(object)['clusterIP']]);
    expect(object['status']).to.deep.equal({ loadBalancer: {} });
  });

  it('lets a balancer have the port of kubelets', async () => {
    await sample.create(service('a', { type: 'LoadBalancer', ports: [{ port: 10_250 }] }));
  });

  it('keeps the port where a balancer asks for health as long as one is needed', async () => {
    await sample.create(service('a', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_100 }));
    const change = (spec: JsonObject): Promise<ApiObject> =>
      sample.update(service('a'), (object) => {
        Object.assign(specOf(object), spec);
      });
    expect(await causes(change({ healthCheckNodePort: 30_101 }))).to.deep.equal(['forbidden spec.healthCheckNodePort']);
    expect(await causes(change({ healthCheckNodePort: 0, externalTrafficPolicy: 'Cluster' }))).to.deep.equal([]);
  });

  it('refuses two names of one annotation that say different things', async () => {
    const hinted = (older: string, newer: string): JsonObject => ({
      ...service('a'),
      metadata: {
        name: 'a',
        annotations: { 'service.kubernetes.io/topology-aware-hints': older, 'service.kubernetes.io/topology-mode': newer },
      },
    });
    expect(await causes(sample.create(hinted('Auto', 'Disabled')))).to.deep.equal([
      'invalid metadata.annotations[service.kubernetes.io/topology-mode]',
    ]);
    expect(await causes(sample.create(hinted('Auto', 'Auto')))).to.deep.equal([]);
  });

  const refused: readonly (readonly [what: string, spec: JsonObject, expected: readonly string[]])[] = [
    ['no ports', { ports: [] }, ['required spec.ports']],
    [
      'ports of 0, of which there can be one only, unlike node ports of 0',
      { ports: [{ name: 'a' }, { name: 'b' }] },
      [
        'invalid spec.ports[0].port',
        'invalid spec.ports[0].targetPort',
        'invalid spec.ports[1].port',
        'invalid spec.ports[1].targetPort',
        'duplicate spec.ports[1]',
      ],
    ],
    [
      'a family that does not fit the address, beside a policy that there is not',
      { clusterIP: '10.0.0.9', ipFamilies: ['IPv6'], ipFamilyPolicy: 'X' },
      ['unsupported spec.ipFamilyPolicy', 'invalid spec.clusterIPs[0]'],
    ],
    ['unnamed ports', { ports: [{ port: 1 }, { port: 2 }] }, ['required spec.ports[0].name', 'required spec.ports[1].name']],
    [
      'one port twice',
      {
        ports: [
          { name: 'a', port: 1 },
          { name: 'a', port: 1 },
        ],
      },
      ['duplicate spec.ports[1].name', 'duplicate spec.ports[1]'],
    ],
    [
      'a port out of range',
      { ports: [{ port: 70_000, protocol: 'X' }] },
      ['invalid spec.ports[0].port', 'unsupported spec.ports[0].protocol', 'invalid spec.ports[0].targetPort'],
    ],
    ['an unknown type', { type: 'X' }, ['unsupported spec.type']],
    ['a node port without the type', { ports: [{ port: 1, nodePort: 30_000 }] }, ['forbidden spec.ports[0].nodePort']],
    [
      'members of load balancers',
      { loadBalancerClass: 'x', allocateLoadBalancerNodePorts: true },
      ['forbidden spec.allocateLoadBalancerNodePorts', 'forbidden spec.loadBalancerClass'],
    ],
    [
      'an external name with addresses',
      { type: 'ExternalName', externalName: 'a.b', ports: [], clusterIP: 'None' },
      ['forbidden spec.clusterIPs'],
    ],
    [
      'bad external addresses',
      { externalIPs: ['x', '::1', '0.0.0.0'] },
      ['invalid spec.externalIPs[0]', 'invalid spec.externalIPs[1]', 'invalid spec.externalIPs[2]'],
    ],
    ['a policy that needs outside traffic', { externalTrafficPolicy: 'Local' }, ['invalid spec.externalTrafficPolicy']],
    [
      'too long an affinity',
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 90_000 } } },
      ['invalid spec.sessionAffinityConfig.clientIP.timeoutSeconds'],
    ],
    ['families that contradict the address', { clusterIP: '10.0.0.9', ipFamilies: ['IPv6'] }, ['invalid spec.clusterIPs[0]']],
    ['a family twice', { ipFamilies: ['IPv4', 'IPv4'] }, ['duplicate spec.ipFamilies[1]']],
    ['a family that the cluster lacks', { ipFamilies: ['IPv6'] }, ['invalid spec.ipFamilies[0]']],
    ['two stacks in a cluster of one', { ipFamilyPolicy: 'RequireDualStack' }, ['invalid spec.ipFamilyPolicy']],
    ['an address outside the range', { clusterIP: '10.9.0.1' }, ['invalid spec.clusterIPs']],
    ['an address that another service has', { clusterIP: '10.0.0.1' }, ['invalid spec.clusterIPs']],
    ['a node port out of range', { type: 'NodePort', ports: [{ port: 1, nodePort: 80 }] }, ['invalid spec.ports[0].nodePort']],
    [
      'a node port for two ports',
      {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 1, nodePort: 30_500 },
          { name: 'b', port: 2, nodePort: 30_500 },
        ],
      },
      ['invalid spec.ports[1].nodePort'],
    ],
  ];
  for (const [what, spec, expected] of refused)
    it(`refuses ${what}`, async () => {
      expect(await causes(sample.create(service('a', spec)))).to.deep.equal(expected);
    });

  it('gives both families to a headless service whose endpoints are listed by hand', async () => {
    expect(specOf(await sample.create(service('a', { clusterIP: 'None' })))).to.deep.include({
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
      clusterIPs: ['None'],
    });
    expect(specOf(await sample.create(service('b', { clusterIP: 'None', selector: { a: 'b' } })))).to.deep.include({
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    });
  });

  it('checks the traffic policy of an external name, which it then drops', async () => {
    const named = (internalTrafficPolicy: string): JsonObject =>
      service('a', { type: 'ExternalName', externalName: 'a.example', ports: [], internalTrafficPolicy });
    expect(await causes(sample.create(named('x')))).to.deep.equal(['unsupported spec.internalTrafficPolicy']);
    expect(specOf(await sample.create(named('Local')))).to.not.have.property('internalTrafficPolicy');
  });

  it('allocates ports on an update that nobody owns', async () => {
    const owned = (object: ApiObject): unknown[] =>
      (object.metadata.managedFields ?? []).map(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('f:nodePort'));
    await sample.create(service('a', { ports: [{ port: 80 }] }));
    const updated = await sample.update(service('a', {}), (object) => {
      specOf(object)['type'] = 'NodePort';
    });
    expect((specOf(updated)['ports'] as JsonObject[])[0]).to.have.property('nodePort');
    expect(owned(updated)).to.deep.equal([false]);
  });

  it('has no address where it is created through its status, nor after an update', async () => {
    const sent = service('a');
    const none = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'];
    expect(specOf(await sample.put(sent, 'status'))).to.not.have.any.keys(...none);
    const updated = await sample.update(sent, (object) => {
      specOf(object)['selector'] = { a: 'b' };
    });
    expect(specOf(updated)).to.include({ ipFamilyPolicy: 'SingleStack' }).and.not.have.any.keys('clusterIP', 'clusterIPs');
  });

  it('lacks the list of its addresses where it is created through its status', async () => {
    expect(await causes(sample.put(service('a', { clusterIP: 'None' }), 'status'))).to.deep.equal(['required spec.clusterIPs']);
  });

  it('warns of what does nothing', async () => {
    await sample.create(service('a', { externalName: 'x.y' }));
    await sample.create(service('b', { clusterIP: 'None', externalIPs: ['192.0.2.1'] }));
    expect(sample.warnings()).to.deep.equal([
      'spec.externalName is ignored when spec.type is not "ExternalName"',
      'spec.externalIPs is ignored for headless services',
    ]);
  });

  describe('addresses and ports', () => {
    it('are unique, and every one of a small range is given out before it is full', async () => {
      sample = await createSample({ serviceRanges: '10.0.0.0/28', ports: '30000-30003' });
      const created = await Promise.all(Array.from({ length: 13 }, (_, index) => sample.create(service(`s${index}`))));
      expect(new Set(created.map((object) => String(specOf(object)['clusterIP']))).size).to.equal(13);
      const full = await refusal(sample.create(service('one-too-many')));
      expect([full.code, full.message]).to.deep.equal([
        500,
        'Internal error occurred: failed to allocate a serviceIP for Service "one-too-many": range is full',
      ]);
    });

    it('are owned by the server where it has allocated them', async () => {
      await sample.create(service('a', { clusterIP: '10.0.0.7' }));
      const { metadata } = await sample.get('networking.k8s.io/v1/IPAddress', '10.0.0.7');
      const family = 'ipaddress.kubernetes.io/ip-family';
      const manager = 'ipaddress.kubernetes.io/managed-by';
      expect(metadata.managedFields?.map(({ time: _, ...entry }) => entry)).to.deep.equal([
        {
          manager: 'kube-apiserver',
          operation: 'Update',
          apiVersion: 'networking.k8s.io/v1',
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:labels': { '.': {}, [`f:${family}`]: {}, [`f:${manager}`]: {} } },
            'f:spec': { 'f:parentRef': { '.': {}, 'f:name': {}, 'f:namespace': {}, 'f:resource': {} } },
          },
        },
      ]);
      expect(Object.keys(metadata.labels ?? {})).to.have.members([family, manager]);
    });

    it('name their owner in a reference that is absent where it is empty', async () => {
      const kind = { apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress' };
      const made = await sample.create({
        ...kind,
        metadata: { name: '10.0.0.9' },
        spec: { parentRef: { resource: 'services', name: 'a' } },
      });
      expect(made.metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1)).to.deep.equal([
        { 'f:spec': { 'f:parentRef': { '.': {}, 'f:name': {}, 'f:resource': {} } } },
      ]);
    });

    it('are looked at less closely by a dry run', async () => {
      await sample.create(service('a', { clusterIP: '10.0.0.7', type: 'NodePort', ports: [{ port: 1, nodePort: 30_001 }] }));
      const said = async (spec: JsonObject, dryRun: boolean): Promise<string> =>
        sample.create(service('b', spec), { dryRun }).then(
          () => 'made',
          (error: Error) => error.message.replace(/^.*: /, ''),
        );
      const asked = [{ clusterIP: '10.9.0.1' }, { clusterIP: '10.0.0.255' }, { clusterIP: '10.0.0.7' }];
      const ranged = (address: string): string =>
        `the provided IP (${address}) is not in the valid range. The range of valid IPs is 10.0.0.0/24`;
      expect(await Promise.all(asked.map((spec) => said(spec, true)))).to.deep.equal([ranged('10.9.0.1'), ranged('10.0.0.255'), 'made']);
      const mismatched = 'the provided network does not match the current range';
      expect(await Promise.all(asked.map((spec) => said(spec, false)))).to.deep.equal([
        mismatched,
        mismatched,
        'provided IP is already allocated',
      ]);
      const ports = (nodePort: number): JsonObject => ({ type: 'NodePort', ports: [{ port: 80, nodePort }] });
      expect(await said(ports(80), false)).to.contain('not in the valid range');
      expect([await said(ports(80), true), await said(ports(30_001), true)]).to.deep.equal(['made', 'provided port is already allocated']);
    });

    it('go to one of several writers that want the same at once', async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, (_, index) => sample.create(service(`s${index}`, { clusterIP: '10.0.0.77' }))),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    });

    it('are chosen again when another writer was faster', async () => {
      sample = await createSample({ random: () => 0.5 });
      const created = await Promise.all(Array.from({ length: 6 }, (_, index) => sample.create(service(`s${index}`, { type: 'NodePort' }))));
      expect(new Set(created.map((object) => specOf(object)['clusterIP'])).size).to.equal(6);
      expect(new Set(created.flatMap(portsOf)).size).to.equal(6);
    });

    it('come back when the service goes', async () => {
      await sample.create(service('a', { clusterIP: '10.0.0.7', type: 'NodePort', ports: [{ port: 1, nodePort: 30_001 }] }));
      expect((await sample.get('networking.k8s.io/v1/IPAddress', '10.0.0.7'))['spec']).to.deep.equal({
        parentRef: { resource: 'services', namespace: 'default', name: 'a' },
      });
      await sample.remove('Service', 'a');
      expect((await refusal(sample.get('networking.k8s.io/v1/IPAddress', '10.0.0.7'))).code).to.equal(404);
      await sample.create(service('b', { clusterIP: '10.0.0.7', type: 'NodePort', ports: [{ port: 1, nodePort: 30_001 }] }));
    });

    it('are not taken by a dry run or a refused service', async () => {
      await causes(sample.create(service('a', { clusterIP: '10.0.0.7', sessionAffinity: 'x' })));
      expect(specOf(await sample.create(service('b', { clusterIP: '10.0.0.7' })))['clusterIP']).to.equal('10.0.0.7');
    });

    it('stay through updates that do not mention them', async () => {
      const before = await sample.create(service('a', { type: 'NodePort' }));
      const after = await sample.update(service('a'), (object) => {
        object['spec'] = { type: 'NodePort', ports: [{ port: 81 }] };
      });
      expect([specOf(after)['clusterIP'], portsOf(after)]).to.deep.equal([specOf(before)['clusterIP'], portsOf(before)]);
    });

    it('go and come with the type of a service', async () => {
      const first = await sample.create(service('a', { type: 'NodePort' }));
      const named = await sample.update(service('a'), (object) => {
        Object.assign(specOf(object), { type: 'ExternalName', externalName: 'x.y' });
      });
      expect(Object.keys(specOf(named))).to.have.members(['type', 'externalName', 'ports', 'sessionAffinity']);
      await sample.create(
        service('b', {
          clusterIP: String(specOf(first)['clusterIP']),
          type: 'NodePort',
          ports: [{ port: 1, nodePort: portsOf(first)[0] ?? 0 }],
        }),
      );
      const back = await sample.update(service('a'), (object) => {
        Object.assign(specOf(object), { type: 'LoadBalancer', externalName: null, externalTrafficPolicy: 'Local' });
      });
      expect(specOf(back)['clusterIP']).to.not.equal(specOf(first)['clusterIP']);
      expect(specOf(back)['healthCheckNodePort']).to.be.within(30_000, 32_767);
    });

    it('cannot be changed, nor taken by naming them in an update', async () => {
      await sample.create(service('a'));
      await sample.create(service('b', { clusterIP: '10.0.0.9' }));
      expect(
        await causes(
          sample.update(service('b'), (object) => {
            Object.assign(specOf(object), { clusterIP: '10.0.0.200', clusterIPs: ['10.0.0.200'] });
          }),
        ),
      ).to.deep.equal(['invalid spec.clusterIPs[0]']);
    });

    it('are taken for changed by who names another one alone', async () => {
      // With an explicit address, because a random one could be the other.
      await sample.create(service('a', { clusterIP: '10.0.0.9' }));
      expect(
        await causes(
          sample.update(service('a'), (object) => {
            delete specOf(object)['clusterIPs'];
            specOf(object)['clusterIP'] = '10.0.0.201';
          }),
        ),
      ).to.deep.equal(['invalid spec.clusterIPs[0]']);
    });

    it('come in both families to who prefers that as soon as the cluster has both and a write leaves the policy open', async () => {
      const single = await createSample({ serviceRanges: '10.0.0.0/24' });
      const first = specOf(await single.create(service('a', { ipFamilyPolicy: 'PreferDualStack' })));
      expect(first['ipFamilies']).to.deep.equal(['IPv4']);
      const dual = await createSample({ storage: single.storage, serviceRanges: '10.0.0.0/24,fd00::/112' });
      const kept = specOf(
        await dual.update(service('a'), (object) => {
          object.metadata.labels = { a: 'b' };
        }),
      );
      expect(kept['clusterIPs']).to.deep.equal(first['clusterIPs']);
      const grown = specOf(
        await dual.update(service('a'), (object) => {
          for (const member of ['ipFamilyPolicy', 'ipFamilies', 'clusterIPs', 'clusterIP']) delete specOf(object)[member];
        }),
      );
      expect(grown).to.deep.include({ ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'], clusterIP: first['clusterIP'] });
      expect(grown['clusterIPs']).to.have.lengthOf(2);
    });

    it('are had in both families where the cluster has both, and the second one comes and goes', async () => {
      sample = await createSample({ serviceRanges: '10.0.0.0/24,fd00::/112' });
      const both = await sample.create(service('a', { ipFamilyPolicy: 'PreferDualStack' }));
      expect((specOf(both)['clusterIPs'] as string[]).map((address) => parseAddress(address)?.family)).to.deep.equal(['IPv4', 'IPv6']);
      const one = await sample.update(service('a'), (object) => {
        specOf(object)['ipFamilyPolicy'] = 'SingleStack';
      });
      expect([specOf(one)['clusterIPs'], specOf(one)['ipFamilies']]).to.deep.equal([
        (specOf(both)['clusterIPs'] as string[]).slice(0, 1),
        ['IPv4'],
      ]);
      const six = await sample.create(service('b', { ipFamilies: ['IPv6'] }));
      expect(specOf(six)['clusterIP']).to.match(/^fd00::/);
    });

    it('are not given back by halves, and tell which policy fits', async () => {
      sample = await createSample({ serviceRanges: '10.0.0.0/24,fd00::/112' });
      await sample.create(service('a', { ipFamilyPolicy: 'PreferDualStack' }));
      const change = (name: string, spec: JsonObject): Promise<ApiObject> =>
        sample.update(service(name), (object) => {
          Object.assign(specOf(object), spec);
        });
      const first = specOf(await sample.get('v1/Service', 'a'))['clusterIPs'] as string[];
      const { message } = await refusal(change('a', { clusterIPs: first.slice(0, 1), ipFamilies: ['IPv4'] }));
      for (const what of ['cluster IP', 'IP family']) expect(message).to.include(`must be 'SingleStack' to release the secondary ${what}`);
      expect((await refusal(sample.create(service('b', { ipFamilies: ['IPv4', 'IPv6'] })))).message).to.include(
        `Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified`,
      );
      const listed = await sample.create(service('c', { clusterIP: 'None', ipFamilies: ['IPv6', 'IPv4'] }));
      expect(specOf(listed)['ipFamilyPolicy']).to.equal('RequireDualStack');
    });

    it('are one for each entry that an update adds', async () => {
      const ports = (protocols: readonly string[]): JsonObject[] =>
        protocols.map((protocol) => ({ name: protocol.toLowerCase(), port: 53, protocol }));
      const made = await sample.create(service('a', { type: 'NodePort', ports: ports(['TCP', 'UDP']) }));
      expect(new Set(portsOf(made)).size).to.equal(1);
      await sample.create(service('b', { type: 'NodePort', ports: ports(['TCP']) }));
      const grown = await sample.update(service('b'), (object) => {
        specOf(object)['ports'] = ports(['TCP', 'UDP']);
      });
      expect(new Set(portsOf(grown)).size).to.equal(2);
    });

    it('are shared by protocols as an update wants it, but not within one', async () => {
      const ports = (...entries: readonly (readonly [port: number, protocol: string])[]): JsonObject[] =>
        entries.map(([port, protocol]) => ({ name: `${protocol.toLowerCase()}-${port}`, port, protocol, nodePort: 30_011 }));
      await sample.create(service('a', { type: 'NodePort', ports: [{ name: 'x', port: 1 }] }));
      const change = (list: JsonObject[]): Promise<ApiObject> =>
        sample.update(service('a'), (object) => {
          specOf(object)['ports'] = list;
        });
      expect(portsOf(await change(ports([53, 'TCP'], [54, 'UDP'])))).to.deep.equal([30_011, 30_011]);
      const refused = await refusal(change(ports([53, 'TCP'], [54, 'TCP'])));
      expect([refused.code, refused.message]).to.deep.equal([500, 'duplicate nodePort: {TCP 30011}']);
    });

    it('are shared on creation with the first entry of the same port', async () => {
      const entry = (name: string, protocol: string, nodePort?: number): JsonObject => ({
        name,
        port: 53,
        protocol,
        ...(nodePort === undefined ? {} : { nodePort }),
      });
      const made = await sample.create(
        service('a', { type: 'NodePort', ports: [entry('a', 'TCP', 30_021), entry('b', 'UDP', 30_022), entry('c', 'SCTP')] }),
      );
      expect(portsOf(made)).to.deep.equal([30_021, 30_022, 30_021]);
    });

    it('of health checks stay, and who wants another one is told so', async () => {
      const balancer = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
      const made = specOf(await sample.create(service('a', balancer)))['healthCheckNodePort'];
      const other = Number(specOf(await sample.create(service('b', balancer)))['healthCheckNodePort']);
      expect(made).to.not.equal(other);
      expect(
        await causes(
          sample.update(service('a'), (object) => {
            specOf(object)['healthCheckNodePort'] = other;
          }),
        ),
      ).to.deep.equal(['forbidden spec.healthCheckNodePort']);
    });

    it('go along with the balancer when a service is one no more, also if some of its entries have gone', async () => {
      const balanced = service('a', {
        type: 'LoadBalancer',
        ports: [
          { name: 'x', port: 1 },
          { name: 'y', port: 2 },
        ],
      });
      await sample.create(balanced);
      await sample.update(
        balanced,
        (object) => {
          object['status'] = { loadBalancer: { ingress: [{ ip: '2001:db8:0::1' }] } };
        },
        'status',
      );
      expect(sample.warnings().join()).to.include('status.loadBalancer.ingress[0]: IPv6 address "2001:db8:0::1"');
      const plain = await sample.update(balanced, (object) => {
        const spec = specOf(object);
        Object.assign(spec, { type: 'ClusterIP', ports: (spec['ports'] as JsonObject[]).slice(0, 1) });
      });
      expect([portsOf(plain), plain['status']]).to.deep.equal([[0], { loadBalancer: {} }]);
    });

    it('agree with the services again after a repair', async () => {
      await sample.create(service('a', { clusterIP: '10.0.0.9', type: 'NodePort', ports: [{ port: 1, nodePort: 31_000 }] }));
      await sample.remove('networking.k8s.io/v1/IPAddress', '10.0.0.9');
      const stray = { resource: { group: '', resource: 'nodeports' }, namespace: '', name: '31999' };
      await sample.storage.create(stray, { apiVersion: 'v1', metadata: { name: '31999' } }, { timeoutMs: 1000 });
      const repair = (): ReturnType<typeof repairServiceClaims> =>
        repairServiceClaims({ storage: sample.storage, now: '2026-01-01T00:00:00Z', newUid: () => 'uid' });
      expect(await repair()).to.deep.equal({ added: 1, removed: 1 });
      expect(await causes(sample.create(service('b', { clusterIP: '10.0.0.9' })))).to.deep.equal(['invalid spec.clusterIPs']);
      expect(await repair()).to.deep.equal({ added: 0, removed: 0 });
    });
  });
});
