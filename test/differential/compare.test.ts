import assert from 'node:assert/strict';
import { compare, ruleOf } from './compare.js';

const sequence = { steps: [{ do: 'POST /api/v1/namespaces/${ns}/pods' }, { do: 'GET /api/v1/namespaces/${ns}/pods/a' }] };
const refused = (message: string): object => ({ status: 422, body: { message, code: 422 } });

describe('comparing two servers', () => {
  it('finds nothing where they say the same in another order of members', () => {
    const theirs = [{ status: 201, body: { a: 1, b: [2] } }, null];
    assert.deepEqual(compare(sequence, theirs, [{ status: 201, body: { b: [2], a: 1 } }, null]), []);
  });

  it('leaves out where the other server is behind, unless a version was asked for', () => {
    const late = [{ body: { object: { message: 'Timeout: Too large resource version: 9, current: 7' } } }];
    const watch = (query: string): object[] => compare({ steps: [{ do: `GET /api/v1/pods?watch=1${query}` }] }, late, [{ body: null }]);
    assert.deepEqual(watch(''), []);
    assert.equal(watch('&resourceVersion=9').length, 1);
  });

  it('tells of a different status alone, with what explains it', () => {
    const [found, ...others] = compare(sequence, [refused('spec.a: Required value'), null], [{ status: 201, body: {} }, null]);
    assert.deepEqual(others, []);
    assert.deepEqual([found?.step, found?.at, found?.want, found?.got], [0, '/status', '422 spec.a: Required value', '201']);
    assert.equal(found?.rule.group, 'status');
  });

  it('tells of a message without the causes that it lists, and of another kind without its members', () => {
    const places = (theirs: object, ours: object): string[] =>
      compare(sequence, [{ status: 422, body: theirs }, null], [{ status: 422, body: ours }, null]).map(({ at }) => at);
    assert.deepEqual(places({ message: '[a, b]', details: { causes: ['a', 'b'] } }, { message: 'a', details: { causes: ['a'] } }), [
      '/body/message',
    ]);
    assert.deepEqual(places({ kind: 'Status', message: 'a' }, { kind: 'Event', message: 'b' }), ['/body/kind']);
  });

  it('knows messages, warnings and headers from what programs read', () => {
    const theirs = { status: 200, headers: { warning: ['299 - "a"'], 'retry-after': '<n>' }, body: { status: { message: 'a', code: 1 } } };
    const ours = { status: 200, headers: { warning: ['299 - "b"'] }, body: { status: { message: 'b', code: 2 } } };
    const groups = compare(sequence, [null, theirs], [null, ours]).map(({ rule, at }) => [rule.group, at]);
    assert.deepEqual(groups, [
      ['warning', '/headers/warning/0'],
      ['header', '/headers/retry-after'],
      ['message', '/body/status/message'],
      ['body', '/body/status/code'],
    ]);
  });

  it('leaves out what the storage of the other server cannot do, and values of other events', () => {
    const event = (type: string, name: string): object => ({ type, object: { metadata: { name } } });
    const found = (theirs: object, ours: object): unknown[] =>
      compare(sequence, [null, { events: [theirs] }], [null, { events: [ours] }]).map(({ at }) => at);
    const lacking = { type: 'ERROR', object: { message: 'the required storage feature RequestWatchProgress is disabled' } };
    assert.deepEqual(found(lacking, event('ADDED', 'a')), []);
    assert.deepEqual(found(event('ADDED', 'a'), event('DELETED', 'b')), ['/events/0/type']);
    assert.deepEqual(found(event('ADDED', 'a'), event('ADDED', 'b')), ['/events/0/object/metadata/name']);
  });

  it('takes differences for one rule whatever the positions, quoted values and numbers', () => {
    const key = (at: string, want: unknown): string => ruleOf({ at, want, got: undefined }, 'PUT /a').key;
    assert.equal(key('/body/list/0/a', 'x[1]: "b" above 3'), key('/body/list/17/a', 'x[2]: "c" above 44'));
    assert.notEqual(key('/body/list/0/a', 'x: Required value'), key('/body/list/0/a', 'x: Invalid value'));
    assert.notEqual(key('/status', '422 refused'), key('/status', '400 refused'));
  });
});
