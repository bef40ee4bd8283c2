import assert from 'node:assert/strict';
import { normalised } from './normalise.js';

describe('answers of two servers', () => {
  it('are compared without what each chooses for itself', () => {
    const shown = (end: string, address: string, age: string): object => ({
      spec: { volumes: [{ name: `kube-api-access-${end}` }] },
      rows: [{ cells: ['a', address, age, 3] }],
      message: `does not match the ResourceVersion in record (${age.length})`,
    });
    assert.deepEqual(normalised(shown('abcde', '10.0.0.7', '0s')), normalised(shown('fghij', '10.96.0.1', '1m3s')));
  });

  it('are without the folder in which a server was built', () => {
    const reported = (folder: string): string =>
      `no kind "A" is registered for version "v2" in scheme "${folder}pkg/api/legacyscheme/scheme.go:30"`;
    assert.equal(normalised(reported('')), normalised(reported('deps/')));
  });

  it('are without the order of amounts of a limit range', () => {
    const reported = (...names: string[]): string =>
      `pods "p" is forbidden: [${names.map((name) => `minimum ${name} usage per Pod is 1`).join(', ')}]`;
    assert.equal(normalised(reported('cpu', 'memory')), normalised(reported('memory', 'cpu')));
  });

  it('are without the order of findings about labels', () => {
    const finding = (key: string): string => `metadata.labels: Invalid value: "${key}": is odd`;
    const reported = (first: string, second: string): object => ({
      message: `A "a" is invalid: [spec.x: Required value, ${finding(first)}, ${finding(second)}, spec.y: Required value]`,
      details: { causes: [first, second].map((key) => ({ field: 'metadata.labels', message: key })) },
    });
    assert.deepEqual(normalised(reported('a', 'b')), normalised(reported('b', 'a')));
    assert.notDeepEqual(normalised(reported('a', 'b')), normalised(reported('a', 'c')));
  });

  it('are without the order of findings about custom objects and defaults, and made up names', () => {
    const reported = (suffix: string, ...fields: string[]): object => ({
      kind: 'Status',
      message: `Widget.x.example.com "a${suffix}" is invalid: [${fields.map((field) => `${field}: Required value`).join(', ')}]`,
      details: { name: `a${suffix}`, group: 'x.example.com', causes: fields.map((field) => ({ field, message: `a${suffix}` })) },
    });
    assert.deepEqual(
      normalised(reported('bcdfg', 'spec.a', '<nil>', '.spec.b')),
      normalised(reported('zxw24', '.spec.b', 'spec.a', '<nil>')),
    );
    assert.notDeepEqual(normalised(reported('bcdfg', 'spec.a')), normalised(reported('bcdfg', 'spec.b')));
    const defaults = (...members: string[]): object => ({
      causes: members.map((member) => ({ field: `spec.validation.openAPIV3Schema.properties[a].default${member}`, message: 'odd' })),
    });
    assert.deepEqual(normalised(defaults('.b', '[0].c')), normalised(defaults('[0].c', '.b')));
  });

  it('list findings about amounts in any order', () => {
    const reported = (...names: string[]): object => ({
      message: `ResourceQuota "a" is invalid: [${names.map((name) => `spec.hard[${name}]: Invalid value: "${name}": odd`).join(', ')}, spec.x: Required value]`,
    });
    assert.deepEqual(normalised(reported('a..b', 'fd00::/64')), normalised(reported('fd00::/64', 'a..b')));
    assert.notDeepEqual(normalised(reported('a', 'b')), normalised(reported('a', 'c')));
  });

  it('are without the port that a service got twice', () => {
    const reported = (port: number): object => ({
      details: { causes: [{ field: 'spec.ports[1].nodePort', message: `Duplicate value: ${port}` }] },
    });
    assert.deepEqual(normalised(reported(31741)), normalised(reported(32710)));
    const others = { details: { causes: [{ field: 'spec.ports[1].port', message: 'Duplicate value: 1' }] } };
    assert.deepEqual(normalised(others), others);
  });

  it('are without the order in which the objects of a collection end, and bookmarks between events', () => {
    const event = (type: string, name: string): object => ({ type, object: { metadata: { name, deletionTimestamp: '<time>' } } });
    const bookmark = (annotations: object): object => ({ type: 'BOOKMARK', object: { metadata: { annotations } } });
    const [first, ...others] = [event('MODIFIED', 'a'), event('DELETED', 'a'), event('MODIFIED', 'b'), event('DELETED', 'b')];
    const [firstGone, changed, gone] = others;
    const events = (...all: unknown[]): unknown => normalised({ events: all });
    assert.deepEqual(events(first, ...others), events(first, changed, bookmark({}), firstGone, gone));
    assert.notDeepEqual(events(first, ...others), events(firstGone, first, changed, gone));
    assert.notDeepEqual(events(first), events(first, bookmark({ 'k8s.io/initial-events-end': 'true' })));
    const initial = { type: 'BOOKMARK', object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } };
    const text = [initial, bookmark({})].map((each) => `${JSON.stringify(each)}\n`).join('');
    assert.deepEqual(normalised({ body: { text } }), { body: initial });
    const added = [
      { type: 'ADDED', object: { metadata: { name: 'b' } } },
      { type: 'ADDED', object: { metadata: { name: 'a' } } },
    ];
    assert.notDeepEqual(events(...added), events(...added.reverse()));
  });

  it('are compared with all else', () => {
    const cells = ['10', 'a 10.0.0.7', '<none>', '5d'];
    assert.deepEqual(normalised({ cells, clusterIP: '10.0.0.7', names: ['0s'] }), { cells, clusterIP: '10.0.0.7', names: ['0s'] });
  });
});
