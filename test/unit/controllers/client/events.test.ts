import { expect } from 'chai';
import { EventCorrelator, type RecordedEvent } from '../../../../controllers/client/eventCorrelator.js';
import { EventWriter, events } from '../../../../controllers/client/events.js';
import { configMaps } from '../../../../api/types/core/v1.js';
import { FakeClock, settle } from '../../../fixtures/fakeClock.js';
import { MemoryApi, refusal } from '../../../fixtures/memoryApi.js';

const about = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', namespace: 'n', name, uid: `uid of ${name}` });
const recorded = (message: string, name = 'p', reason = 'Failed'): RecordedEvent => ({
  object: about(name),
  type: 'Warning',
  reason,
  message,
  component: 'c',
});

describe('controllers/client/eventCorrelator', () => {
  /** The result for each event: created, counted or dropped. */
  const correlate = (correlator: EventCorrelator, given: RecordedEvent): string => {
    const correlation = correlator.correlate(given);
    if (correlation.do === 'drop') return 'drop';
    const count = correlation.do === 'count' ? correlation.written.count + 1 : 1;
    correlator.wrote(correlation.key, { name: 'e', namespace: 'n', firstAt: 0, count });
    return `${correlation.do} ${count} ${correlation.message}`;
  };

  it('counts the same event up', () => {
    const correlator = new EventCorrelator(new FakeClock());
    expect([1, 2, 3].map(() => correlate(correlator, recorded('x')))).to.deep.equal(['create 1 x', 'count 2 x', 'count 3 x']);
    expect(correlate(correlator, recorded('x', 'other'))).to.equal('create 1 x');
    expect(correlate(correlator, recorded('x', 'p', 'Other'))).to.equal('create 1 x');
  });

  it('combines events that differ in their message alone, from the tenth on', () => {
    const correlator = new EventCorrelator(new FakeClock());
    const seen = Array.from({ length: 12 }, (_, index) => correlate(correlator, recorded(`m${index}`)));
    expect(seen.slice(0, 9)).to.deep.equal(Array.from({ length: 9 }, (_, index) => `create 1 m${index}`));
    expect(seen.slice(9)).to.deep.equal([
      'create 1 (combined from similar events): m9',
      'count 2 (combined from similar events): m10',
      'count 3 (combined from similar events): m11',
    ]);
  });

  it('forgets similar events after ten quiet minutes', async () => {
    const clock = new FakeClock();
    const correlator = new EventCorrelator(clock);
    for (let index = 0; index < 9; index++) correlate(correlator, recorded(`m${index}`));
    await clock.advance(600_001);
    expect(correlate(correlator, recorded('late'))).to.equal('create 1 late');
  });

  it('still combines them when the wall clock is set meanwhile', () => {
    const clock = new FakeClock();
    const correlator = new EventCorrelator(clock);
    for (let index = 0; index < 9; index++) correlate(correlator, recorded(`m${index}`));
    clock.setBack(-86_400_000);
    expect(correlate(correlator, recorded('soon'))).to.equal('create 1 (combined from similar events): soon');
  });

  it('hears an object with very many events only now and then, and the others as before', async () => {
    const clock = new FakeClock();
    const correlator = new EventCorrelator(clock);
    const seen = Array.from({ length: 30 }, () => correlate(correlator, recorded('x')));
    expect(seen.filter((word) => word === 'drop')).to.have.length(5);
    expect(correlate(correlator, recorded('x', 'other'))).to.equal('create 1 x');
    await clock.advance(300_000);
    expect([1, 2].map(() => correlate(correlator, recorded('x')))).to.deep.equal(['count 26 x', 'drop']);
  });
});

describe('controllers/client/events', () => {
  const world = () => {
    const clock = new FakeClock();
    const api = new MemoryApi({ clock });
    const errors: unknown[] = [];
    const writer = new EventWriter({ api, clock, onError: (error) => errors.push(error) });
    const [object] = api.seed(configMaps, { metadata: { name: 'm', namespace: 'n' } });
    return { clock, api, errors, writer, object: object ?? { metadata: {} } };
  };

  it('writes what the reference writes', async () => {
    const { api, writer, object } = world();
    writer.as('some-controller').normal(object, 'Did', 'did it');
    await writer.flushed();
    const [{ body } = { body: null }] = api.takeWrites();
    expect(body).to.deep.include({
      apiVersion: 'v1',
      kind: 'Event',
      involvedObject: { kind: 'ConfigMap', namespace: 'n', name: 'm', uid: 'uid-1', apiVersion: 'v1', resourceVersion: '1' },
      reason: 'Did',
      message: 'did it',
      type: 'Normal',
      source: { component: 'some-controller' },
      count: 1,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      reportingComponent: 'some-controller',
      reportingInstance: '',
    });
    expect((body as { metadata: { name: string } }).metadata.name).to.match(/^m\.[0-9a-f]+$/);
  });

  it('counts up with a patch, and begins anew when the event is gone', async () => {
    const { clock, api, writer, object } = world();
    const recorder = writer.as('c');
    recorder.warning(object, 'Failed', 'x');
    await writer.flushed();
    await clock.advance(5_000);
    recorder.warning(object, 'Failed', 'x');
    await writer.flushed();
    expect(api.all(events).map(({ count, lastTimestamp }) => [count, lastTimestamp])).to.deep.equal([[2, '2026-01-01T00:00:05Z']]);
    for (const { metadata } of api.all(events)) api.evaporate(events, `n/${metadata.name}`);
    recorder.warning(object, 'Failed', 'x');
    await writer.flushed();
    expect(api.all(events).map(({ count }) => count)).to.deep.equal([1]);
  });

  it('says nothing of events for a namespace that goes away', async () => {
    const { api, errors, writer, object } = world();
    api.before = () => {
      throw refusal(403, 'Forbidden', 'it is being terminated', { causes: [{ reason: 'NamespaceTerminating' }] });
    };
    writer.as('c').normal(object, 'Did', 'x');
    await writer.flushed();
    expect(errors).to.deep.equal([]);
  });

  it('never makes anyone wait or fail, and drops what is too much', async () => {
    const { api, errors, writer, object } = world();
    let let1 = (): void => undefined;
    api.before = () =>
      new Promise<void>((resolve) => {
        let1 = resolve;
      });
    for (let index = 0; index < 1_500; index++)
      writer.as('c').normal({ ...object, metadata: { ...object.metadata, name: `m${index}` } }, 'Did', 'x');
    api.before = () => {
      throw refusal(403, 'Forbidden');
    };
    await settle();
    let1();
    await writer.flushed();
    expect(errors).to.have.length(1_000);
  });
});
