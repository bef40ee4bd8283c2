import { expect } from 'chai';
import { eventOf, expiredLine, linesOf } from '../../../../../deploy/testing/explore/events.js';
import { readCall } from '../../../../../deploy/testing/explore/call.js';
import { fromPast, Hold, type HoldTerms } from '../../../../../deploy/testing/explore/hold.js';

async function* chunks(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Promise.resolve(Buffer.from(text));
}

describe('testing/explore/events', () => {
  it('are lines, wherever chunks end', async () => {
    const lines: string[] = [];
    for await (const line of linesOf(chunks('{"a"', ':1}\n{"b":2}\n{', '"c":3}'))) lines.push(line.toString());
    expect(lines).to.deep.equal(['{"a":1}\n', '{"b":2}\n', '{"c":3}']);
  });

  it('tell of objects, unlike bookmarks and errors', () => {
    const line = (type: string): Buffer => Buffer.from(JSON.stringify({ type, object: { metadata: { name: 'x' } } }));
    expect(eventOf(line('ADDED'))?.object.metadata.name).to.equal('x');
    expect(eventOf(line('BOOKMARK'))).to.equal(null);
    expect(eventOf(expiredLine)).to.equal(null);
    expect(eventOf(Buffer.from('{'))).to.equal(null);
  });

  it('come from the past only where any version will do', () => {
    const list = '/api/v1/secrets';
    const from = (url: string, terms: HoldTerms): string | null =>
      fromPast({ method: 'GET', url, headers: {}, body: Buffer.alloc(0), call: readCall('GET', url, null) }, terms);
    const any = `${list}?resourceVersion=0&limit=5`;
    const past = `${list}?resourceVersion=7&limit=5&resourceVersionMatch=Exact`;
    expect(from(any, { version: '7' })).to.equal(past);
    expect(from(any, { version: '7', resources: ['pods', 'secrets'] })).to.equal(past);
    expect(from(any, { version: '7', resources: ['pods'] })).to.equal(null);
    expect(from(any, {})).to.equal(null);
    expect(from(`${list}/x?resourceVersion=0`, { version: '7' }), 'a get').to.equal(null);
    for (const newest of [list, `${list}?resourceVersion=5`, `${list}?resourceVersion=0&continue=x`])
      expect(from(newest, { version: '7' }), newest).to.equal(null);
  });

  it('are held for one resource, or for watches that begin in the past', () => {
    const watch = '/api/v1/secrets?watch=true&resourceVersion=7';
    expect(new Hold({ resource: 'pods' }).holdsWatch('pods', watch)).to.equal(true);
    expect(new Hold({ resource: 'pods' }).holdsWatch('secrets', watch)).to.equal(false);
    expect(new Hold({ version: '7' }).holdsWatch('secrets', watch)).to.equal(true);
    expect(new Hold({ version: '8' }).holdsWatch('secrets', watch)).to.equal(false);
    expect(new Hold({}).holdsWatch('secrets', watch)).to.equal(false);
  });
});
