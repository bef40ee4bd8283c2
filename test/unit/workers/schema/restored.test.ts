import { expect } from 'chai';
import { NumberLiteral } from '../../../../workers/codecs/value.js';
import { restoredMessage } from '../../../../workers/schema/restored.js';

describe('workers/schema/restored', () => {
  const rows = [
    ['a', 'map[string]string', 'map', 'cannot restore map from string'],
    [1.5, 'map[string]string', 'map', 'cannot restore map from float64'],
    [{}, '[]v1.Container', 'slice', 'cannot restore slice from map'],
    [[], 'v1.DeploymentSpec', 'struct', 'cannot restore struct from: slice'],
    [true, 'v1.DeploymentSpec', 'struct', 'cannot restore struct from: bool'],
    ['a', 'int32', 'int32', 'unrecognized type: int32'],
    [{}, 'int64', 'int64', 'unrecognized type: int64'],
    [1.5, 'int32', 'int32', 'cannot convert float64 to int32'],
    [new NumberLiteral('1e400'), 'float64', 'float64', 'cannot convert float64 to float64'],
    [1, 'bool', 'bool', 'unrecognized type: bool'],
    [1, 'string', 'string', 'cannot convert int64 to string'],
    [1n, 'v1.RestartPolicy', 'string', 'cannot convert int64 to v1.RestartPolicy'],
    [1.5, 'v1.RestartPolicy', 'string', 'unrecognized type: string'],
    [2n ** 64n, 'v1.RestartPolicy', 'string', 'unrecognized type: string'],
    [1e30, 'string', 'string', 'unrecognized type: string'],
    [false, 'string', 'string', 'unrecognized type: string'],
  ] as const;
  for (const [value, type, kind, message] of rows)
    it(`says ${message} of ${typeof value} for ${type}`, () => {
      expect(restoredMessage(value as never, type, kind)).to.equal(message);
    });
});
