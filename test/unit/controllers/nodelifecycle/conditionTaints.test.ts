import { expect } from 'chai';
import type { Node, Taint } from '../../../../api/types/core/v1.js';
import { taintsOf } from '../../../../controllers/nodelifecycle/conditionTaints.js';

const taint = (name: string, effect = 'NoSchedule'): Taint => ({ key: `node.kubernetes.io/${name}`, effect });
const added = (name: string): object => ({ ...taint(name), timeAdded: '2026-01-01T00:00:00Z' });

describe('taints of nodes that say they are not well', () => {
  const node = (conditions: Readonly<Record<string, string>>, taints: readonly Taint[] = [], unschedulable = false): Node => ({
    metadata: { name: 'a' },
    spec: { taints, ...(unschedulable ? { unschedulable } : {}) },
    status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
  });

  const cases: readonly (readonly [string, Node, readonly object[] | null])[] = [
    ['a new node that nothing speaks against loses its taint', node({}, [taint('not-ready')]), []],
    ['ready', node({ Ready: 'True' }), null],
    ['not ready', node({ Ready: 'False' }), [added('not-ready')]],
    ['out of reach', node({ Ready: 'Unknown' }, [taint('not-ready')]), [added('unreachable')]],
    [
      'under pressure',
      node({ Ready: 'True', MemoryPressure: 'True', DiskPressure: 'True', PIDPressure: 'True', NetworkUnavailable: 'True' }),
      ['memory-pressure', 'disk-pressure', 'network-unavailable', 'pid-pressure'].map(added),
    ],
    ['pressure that nobody knows of', node({ MemoryPressure: 'Unknown' }), null],
    ['cordoned', node({}, [], true), [added('unschedulable')]],
    ['no longer cordoned', node({}, [taint('unschedulable')]), []],
    ['as it should be', node({ Ready: 'False' }, [taint('not-ready')]), null],
    [
      'taints of others and of other effects stay',
      node({}, [{ key: 'mine', effect: 'NoSchedule' }, taint('not-ready', 'NoExecute'), taint('not-ready')]),
      [{ key: 'mine', effect: 'NoSchedule' }, taint('not-ready', 'NoExecute')],
    ],
  ];
  for (const [what, given, wanted] of cases) it(what, () => expect(taintsOf(given, Date.UTC(2026, 0, 1))).to.deep.equal(wanted));
});
