import assert from 'node:assert/strict';
import type { Asked, Connection } from '../golden/connection.js';
import { play } from './play.js';

/** Records requests, and answers a create with the object. */
class Recorder {
  readonly asked: string[] = [];

  request({ method, path, body = '{}' }: Asked): Promise<{ status: number; headers: object; text: string }> {
    this.asked.push(`${method} ${path}`);
    return Promise.resolve({ status: method === 'POST' ? 201 : 200, headers: {}, text: body });
  }
}

describe('playing a case', () => {
  it('takes away what it made outside of its namespace, the last first, whatever a step keeps of an answer', async () => {
    const recorder = new Recorder();
    const [policies, bindings] = ['/apis/x/v1/policies', '/apis/x/v1/bindings'];
    const steps = [
      { do: `POST ${policies}`, body: { metadata: { name: 'p-${r}' } }, keep: ['/message'] },
      { do: `POST ${bindings}`, body: { metadata: { name: 'p-${r}' } } },
      { do: `POST ${policies}?dryRun=All`, body: { metadata: { name: 'q-${r}' } } },
    ];
    await play(recorder as unknown as Connection, { steps }, { ns: 'd-n', r: 'w' });
    const removed = recorder.asked.filter((line) => line.startsWith('DELETE'));
    assert.deepEqual(removed, [`DELETE ${bindings}/p-w?gracePeriodSeconds=0`, `DELETE ${policies}/p-w?gracePeriodSeconds=0`]);
  });
});
