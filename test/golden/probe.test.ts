import assert from 'node:assert/strict';
import { isObject } from '../../api/json/json.js';
import { probe } from './probe.js';
import type { Asked } from './variation.js';

const priorityClass = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'c' }, value: 7 };

/** Stores one object, and refuses negative values. */
function server(): Asked {
  let stored: unknown;
  return {
    json: (method, path, body) => {
      const object = method === 'GET' ? stored : body;
      if (method === 'POST' && !path.endsWith('dryRun=All')) stored = body;
      const isRefused = isObject<{ value?: number }>(object) && Number(object.value) < 0;
      return Promise.resolve(
        isRefused
          ? {
              status: 422,
              body: { reason: 'Invalid', details: { causes: [{ field: 'value', reason: 'FieldValueInvalid' }] } },
              warning: undefined,
            }
          : { status: 200, body: structuredClone(object), warning: undefined },
      );
    },
  };
}

describe('probes', () => {
  let lines: readonly string[];
  before(async () => {
    lines = await probe(server(), { resource: '/apis/scheduling.k8s.io/v1/priorityclasses', bases: { b0: priorityClass } });
  });

  it('set each member of the kind, whether the object has it or not, in creates and updates', () => {
    const titles = lines.map((line) => line.slice(0, line.indexOf(':')));
    const members = ['description', 'globalDefault', 'preemptionPolicy', 'value'];
    assert.deepEqual(
      [...titles].sort(),
      ['create', 'update'].flatMap((verb) => [verb, ...members.map((member) => `${verb} /${member}`)]).sort(),
    );
  });

  it('tell values of one answer together, and where the fault is found beside the member', () => {
    const line = lines.find((each) => each.startsWith('create /value'));
    assert.equal(line, 'create /value: dropped 0 1 65536 2147483647 2147483648 => accepted | -1 => FieldValueInvalid @');
  });

  it('try all values that the kind lists', () => {
    const line = lines.find((each) => each.startsWith('update /preemptionPolicy')) ?? '';
    assert.match(line, /"Never".*"PreemptLowerPriority"|"PreemptLowerPriority".*"Never"/);
  });
});
