import { expect } from 'chai';
import { workOf, type Estimate } from '../../../../server/fairness/seats.js';
import type { RequestInfo } from '../../../../api/requestInfo.js';

const info = (more: object = {}): RequestInfo =>
  ({
    isResource: true,
    path: '/api/v1/configmaps',
    verb: 'list',
    group: '',
    version: 'v1',
    namespace: '',
    resource: 'configmaps',
    subresource: '',
    name: '',
    rest: [],
    ...more,
  }) as RequestInfo;
const holding =
  (objects: number, bytes: number | null, watchers = 0): Estimate =>
  () => ({ objects, bytes, watchers });
const seats = (estimate: Estimate, query = '', more: object = {}): number => workOf(info(more), new URLSearchParams(query), estimate).seats;

describe('seats of a request', () => {
  it('of a list follow the bytes that it looks through', () => {
    expect(seats(holding(500, 50_000)), 'many small objects').to.equal(1);
    expect(seats(holding(5, 500_000)), 'few large ones').to.equal(5);
    expect(seats(holding(50, 5_000_000))).to.equal(10);
    expect(seats(holding(0, 0))).to.equal(1);
  });

  it('of a page follow what is on it, unless a selector makes it look further', () => {
    expect(seats(holding(10, 1_000_000), 'limit=2')).to.equal(2);
    expect(seats(holding(10, 1_000_000), 'limit=2', { labelSelector: 'a=b' })).to.equal(10);
  });

  it('of a watch that begins with the state are those of a list; of other reads there is one', () => {
    expect(seats(holding(10, 500_000), 'sendInitialEvents=true', { verb: 'watch' })).to.equal(5);
    expect(seats(holding(10, 500_000), '', { verb: 'watch' })).to.equal(1);
    expect(seats(holding(10, 500_000), '', { verb: 'get', name: 'one' })).to.equal(1);
  });

  it('follow the number of objects where their size is not to count', () => {
    expect(seats(holding(500, null))).to.equal(5);
    expect(seats(holding(5, null))).to.equal(1);
  });

  it('of a write stay taken while watchers are notified', () => {
    expect(workOf(info({ verb: 'update', name: 'one' }), new URLSearchParams(), holding(1, 1, 40))).to.deep.include({
      seats: 1,
      finalSeats: 4,
    });
  });
});
