import { expect } from 'chai';
import type { ApiService } from '../../../../server/aggregation/apiServices.js';
import { serviceProblem, withAvailability } from '../../../../server/aggregation/availability.js';
import { listedGroups } from '../../../../server/discovery/listedGroups.js';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { createCatalogue } from '../../../../server/kinds/index.js';

const target = { namespace: 'n', name: 's', port: 443 };
const service = (spec: JsonObject = {}): ApiObject => ({
  metadata: { name: 's' },
  spec: { type: 'ClusterIP', ports: [{ name: 'https', port: 443 }], ...spec },
});
const slice = (endpoint: JsonObject, portName = 'https'): ApiObject => ({
  metadata: {},
  ports: [{ name: portName, port: 8443 }],
  endpoints: [endpoint],
});

describe('aggregation, its parts', () => {
  const rows: readonly (readonly [what: string, service: ApiObject | null, slices: readonly ApiObject[], problem: string | null])[] = [
    ['no service', null, [], 'ServiceNotFound: service/s in "n" is not present'],
    ['another port', service({ ports: [{ port: 80 }] }), [], 'ServicePortError: service/s in "n" is not listening on port 443'],
    ['no endpoints', service(), [], 'EndpointsNotFound: cannot find endpointslices for service/s in "n"'],
    [
      'none that is ready',
      service(),
      [slice({ addresses: ['10.0.0.1'], conditions: { ready: false } })],
      'MissingEndpoints: endpointslices for service/s in "n" have no addresses with port name "https"',
    ],
    [
      'none at that port',
      service(),
      [slice({ addresses: ['10.0.0.1'] }, 'other')],
      'MissingEndpoints: endpointslices for service/s in "n" have no addresses with port name "https"',
    ],
    ['one that is ready', service(), [slice({ addresses: ['10.0.0.1'] })], null],
    ['a name outside', service({ type: 'ExternalName', ports: [] }), [], null],
  ];
  for (const [what, found, slices, problem] of rows) {
    it(`judges a service by what is behind it: ${what}`, () => {
      const result = serviceProblem(target, found, slices);
      expect(result === null ? null : `${result.reason}: ${result.message}`).to.equal(problem);
    });
  }

  it('keeps the time of the last transition, and conditions of others', () => {
    const other = { type: 'Odd', status: 'True' };
    const object = {
      metadata: {},
      status: { conditions: [other, { type: 'Available', status: 'False', lastTransitionTime: 'then', reason: 'A', message: 'a' }] },
    };
    const conditions = (status: 'True' | 'False'): unknown =>
      (withAvailability(object, { status, reason: 'B', message: 'b' }, 'now')['status'] as JsonObject)['conditions'];
    expect(conditions('False')).to.deep.equal([
      other,
      { type: 'Available', status: 'False', lastTransitionTime: 'then', reason: 'B', message: 'b' },
    ]);
    expect(conditions('True')).to.deep.equal([
      other,
      { type: 'Available', status: 'True', lastTransitionTime: 'now', reason: 'B', message: 'b' },
    ]);
  });

  it('orders groups and versions by their priorities', () => {
    const api = (group: string, version: string, priorities: readonly [number, number], remote = true): ApiService => ({
      name: `${version}.${group}`,
      group,
      version,
      groupPriority: priorities[0],
      versionPriority: priorities[1],
      target: remote ? target : null,
      ca: '',
      trusting: false,
      availability: null,
    });
    const listed = (...services: readonly ApiService[]): string[][] =>
      listedGroups(services, createCatalogue().groups, new Map()).map(({ name, versions }) => [name, ...versions]);
    const nothing = listed();
    expect(nothing[0]).to.deep.equal(['apiregistration.k8s.io', 'v1']);
    const groups = listed(
      api('b.example.com', 'v1', [100, 5]),
      api('b.example.com', 'v2', [100, 5]),
      api('b.example.com', 'v1beta1', [100, 50]),
      api('a.example.com', 'v1', [200, 1]),
      api('c.example.com', 'v1', [200, 1]),
      api('apps', 'v1', [17800, 15], false),
      api('apps', 'v2', [17800, 10]),
      api('events.k8s.io', 'v1', [17750, 5], false),
      api('high.example.com', 'v1', [20000, 15]),
      api('high.example.com', 'v1alpha1', [1, 15]),
      api('local.example.com', 'v1', [1, 1], false),
    );
    expect(groups.slice(0, 2)).to.deep.equal([
      ['apiregistration.k8s.io', 'v1'],
      ['high.example.com', 'v1', 'v1alpha1'],
    ]);
    expect(groups.find(([name]) => name === 'apps')).to.deep.equal(['apps', 'v1', 'v2']);
    expect(groups.slice(-3)).to.deep.equal([
      ['a.example.com', 'v1'],
      ['c.example.com', 'v1'],
      ['b.example.com', 'v1beta1', 'v2', 'v1'],
    ]);
    // Unknown groups stay in place.
    expect(groups.map(([name]) => name).filter((name) => name?.includes('example') !== true)).to.deep.equal(nothing.map(([name]) => name));
  });
});
