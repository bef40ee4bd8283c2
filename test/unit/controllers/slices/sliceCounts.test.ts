import { expect } from 'chai';
import type { EndpointSlice } from '../../../../api/types/discovery/v1.js';
import { SliceCounts } from '../../../../controllers/slices/sliceCounts.js';

const slice = (name: string, ...addresses: readonly string[]): EndpointSlice => ({
  metadata: { name, namespace: 'n' },
  addressType: 'IPv4',
  endpoints: addresses.map((address) => ({ addresses: [address] })),
});

describe('counts of slices', () => {
  it('tell what was written, and what there is of all owners', () => {
    const reported: string[] = [];
    const tell = (name: string, labels: object, value = 1): void => {
      reported.push(`${name.replace('endpoint_slice_controller_', '')} ${Object.values(labels).join()} ${value}`);
    };
    const counts = new SliceCounts({ count: tell, set: tell, observe: tell, reset: () => undefined }, 'endpoint_slice_controller');
    counts.wrote('n/a', [], { create: [slice('', '1', '2')], update: [], remove: [] });
    expect(reported.splice(0)).to.deep.equal([
      'endpoints_added_per_sync  2',
      'endpoints_removed_per_sync  0',
      'changes create 1',
      'num_endpoint_slices  1',
      'endpoints_desired  2',
    ]);
    const before = [slice('x', '1', '2'), slice('y', '3'), slice('z', '4')];
    counts.wrote('n/b', before, { create: [], update: [slice('x', '2', '5', '6')], remove: [slice('y')] });
    expect(reported.splice(0)).to.deep.equal([
      'endpoints_added_per_sync  2',
      'endpoints_removed_per_sync  2',
      'changes update 1',
      'changes delete 1',
      'num_endpoint_slices  3',
      'endpoints_desired  6',
    ]);
    counts.forget('n/a');
    counts.forget('n/a');
    expect(reported).to.deep.equal(['num_endpoint_slices  2', 'endpoints_desired  4']);
  });
});
