import { expect } from 'chai';
import { changing, object, type Refused } from '../kindSample.js';
import { causes, createSample, type Sample } from '../../registry/sample.js';

const refused: Refused = [
  [
    'names of events, which are free in the core group',
    object('Event', { involvedObject: { namespace: 'other' } }, { name: 'Foo_Bar.' }),
    ['invalid involvedObject.namespace'],
  ],
  [
    'names of events of the newer group',
    object(
      'events.k8s.io/v1/Event',
      {
        regarding: { namespace: 'default' },
        type: 'Normal',
        eventTime: '2026-01-01T00:00:00.000001Z',
        reportingController: 'a',
        reportingInstance: 'b',
        action: 'c',
        reason: 'd',
      },
      { name: 'Foo_Bar.' },
    ),
    ['invalid metadata.name'],
  ],
  [
    'names of events of the newer group, where there is one',
    object(
      'events.k8s.io/v1/Event',
      {
        regarding: { namespace: 'default' },
        type: 'Normal',
        eventTime: '2026-01-01T00:00:00.000001Z',
        reportingController: 'a',
        reportingInstance: 'b',
        action: 'c',
        reason: 'd',
      },
      { name: '' },
    ),
    ['required metadata.name'],
  ],
  ['namespaces of events', object('Event', { involvedObject: { namespace: 'other' } }), ['invalid involvedObject.namespace']],
  [
    'events of the newer style',
    object('Event', { involvedObject: { namespace: 'default' }, eventTime: '2026-01-01T00:00:00.000001Z', reportingComponent: 'a/b/c' }),
    ['invalid reportingComponent', 'required reportingInstance', 'required action', 'required reason'],
  ],
  [
    'events of the newer group',
    object('events.k8s.io/v1/Event', { regarding: { namespace: 'default' }, type: 'X', deprecatedCount: 2, series: { count: 1 } }),
    ['invalid series.count', 'required series.lastObservedTime', 'required eventTime', 'invalid type', 'invalid count'],
  ],
  [
    'metadata of events, where nothing else is wrong',
    object('Event', { involvedObject: { namespace: 'default' } }, { labels: { 'a b': '' } }),
    ['invalid metadata.labels'],
  ],
  [
    'metadata of events, which is not looked at otherwise',
    object('Event', { involvedObject: { namespace: 'other' } }, { labels: { 'a b': '' } }),
    ['invalid involvedObject.namespace'],
  ],
  [
    'metadata of events of the newer group, after the rules of both',
    object('events.k8s.io/v1/Event', { regarding: { namespace: 'other' }, type: 'Normal', deprecatedCount: 1 }, { labels: { 'a b': '' } }),
    ['invalid involvedObject.namespace', 'invalid metadata.labels', 'required eventTime', 'invalid count'],
  ],
];

describe('kinds, events', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`checks ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });

  it('lets events of the newer group change in their series only', async () => {
    const content = {
      regarding: { namespace: 'default' },
      type: 'Normal',
      eventTime: '2026-01-01T00:00:00.000001Z',
      reportingController: 'c',
      reportingInstance: 'i',
      action: 'a',
      reason: 'r',
    };
    expect(
      await changing(sample, 'events.k8s.io/v1/Event', content, {
        note: 'x',
        reason: 'y',
        series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' },
      }),
    ).to.deep.equal(['invalid reason', 'invalid message', 'invalid reason']);
  });
});
