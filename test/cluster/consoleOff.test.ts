import { expect } from 'chai';
import path from 'node:path';
import { Launcher } from '../../deploy/cli/launcher.js';
import { ensurePki } from '../../deploy/pki.js';
import { ApiClient } from '../fixtures/apiClient.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';

describe('cluster/consoleOff', function () {
  const directory = temporaryDirectory('console-off');
  const stop = new AbortController();
  let launcher: Launcher;
  let running: Promise<void>;
  let api: ApiClient;

  before(async () => {
    launcher = await Launcher.start({
      dataDirectory: directory,
      replicas: 1,
      managers: 0,
      apiserverFlags: ['--console=false'],
      signal: stop.signal,
      onProgress: () => undefined,
    });
    await new Promise<void>((listening) => {
      running = launcher.run(listening);
    });
    api = new ApiClient(launcher.state.address, { pki: await ensurePki(path.join(directory, 'pki'), ['r1']) });
  });
  after(async () => {
    api?.close();
    stop.abort();
    await running;
  });

  it('leaves nothing of the console where it is switched off, not even for administrators', async () => {
    for (const at of ['', '/', '/files/index.html', '/v1/servers', '/v1/status', '/v1/samples', '/v1/requests', '/v1/launcher'])
      await api.expect(404, 'GET', `/console${at}`);
    await api.expect(404, 'POST', '/console/sessions', { body: { code: 'x'.repeat(32) } });
    await api.expect(200, 'GET', '/api/v1/namespaces');
    expect(launcher.consoleLink()).to.equal(null);
  });
});
