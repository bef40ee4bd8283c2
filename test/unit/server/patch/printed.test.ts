import { expect } from 'chai';
import { restoredMessage } from '../../../../server/endpoints/verbs/restored.js';
import { printed } from '../../../../server/patch/printed.js';

describe('patch/words of strategic merges', () => {
  it('print maps sorted, and lists in their order', () => {
    expect(printed({ b: [1, 'x', { z: null }], a: true })).to.equal('map[a:true b:[1 x map[z:<nil>]]]');
    expect(printed([1, 0.5, 1e-7, 2_000_000.5])).to.equal('[1 0.5 1e-07 2.0000005e+06]');
  });

  const rows = [
    [
      'json: cannot unmarshal string into Go struct field ObjectMeta.metadata.labels of type map[string]string',
      'cannot restore map from string',
    ],
    ['json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container', 'cannot restore slice from map'],
    ['json: cannot unmarshal array into Go struct field Deployment.spec of type v1.DeploymentSpec', 'cannot restore struct from: slice'],
    ['json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32', 'cannot convert string to int32'],
    [
      'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
      'cannot convert float64 to int32',
    ],
    ['json: cannot unmarshal object into Go value of type int32', 'json: cannot unmarshal object into Go value of type int32'],
    ['quantities must match', 'quantities must match'],
  ] as const;
  for (const [message, restored] of rows) {
    it(`say ${restored}`, () => {
      expect(restoredMessage(message)).to.equal(restored);
    });
  }
});
