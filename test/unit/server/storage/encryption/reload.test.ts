import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { LiveFiles } from '../../../../../program/files/liveFile.js';
import { loadEncryption, type EncryptionReports } from '../../../../../server/storage/encryption/load.js';
import { KeyPlugin } from '../../../../fixtures/keyPlugin.js';
import { temporaryDirectory } from '../../../../fixtures/temporaryDirectory.js';

const secrets = { group: '', resource: 'secrets' };
const times = { closing: 0, asking: 0, pause: 1, again: { first: 1, last: 1 } };

/** Reload reports in order, awaitable. */
class Reports implements EncryptionReports {
  readonly said: string[] = [];
  readonly hashes: string[] = [];
  #heard = (): void => undefined;

  loaded({ hash }: { readonly hash: string }): void {
    this.hashes.push(hash);
  }

  reloaded(): void {
    this.#say('reloaded');
  }

  refused(error: Error): void {
    this.#say(`refused: ${error.message}`);
  }

  async next(wanted: RegExp): Promise<void> {
    while (!wanted.test(this.said.at(-1) ?? ''))
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
  }

  #say(what: string): void {
    this.said.push(what);
    this.#heard();
  }
}

for (const apiVersion of ['v1', 'v2'])
  describe(`encryption, reload with a key service of ${apiVersion}`, () => {
    const file = path.join(temporaryDirectory('encryption-reload'), 'keys.json');
    const configure = (...providers: readonly object[]): void =>
      fs.writeFileSync(
        file,
        JSON.stringify({
          apiVersion: 'apiserver.config.k8s.io/v1',
          kind: 'EncryptionConfiguration',
          resources: [{ resources: ['secrets'], providers }],
        }),
      );
    const identity = { identity: {} };

    it('takes effect once the service works, and leaves the earlier one until then', async () => {
      const plugin = new KeyPlugin();
      const kms = { kms: { apiVersion, name: 'new', endpoint: plugin.endpoint, timeout: '1s' } };
      const live = new LiveFiles();
      const reports = new Reports();
      configure(identity);
      const encryption = loadEncryption({ 'encryption-provider-config': file, 'encryption-provider-config-automatic-reload': true }, live, {
        reports,
        times,
      });
      const prefix = (): string | undefined => encryption?.current.transformersOf(secrets)?.[0]?.prefix;
      try {
        // The service is not running yet.
        configure(kms, identity);
        live.look();
        await reports.next(/refused: .*"new"/);
        expect(prefix()).to.equal('');
        expect(reports.hashes).to.have.length(1);

        await plugin.start();
        await reports.next(/reloaded/);
        expect(prefix()).to.equal(`k8s:enc:kms:${apiVersion}:new:`);
        expect(reports.hashes).to.have.length(2);
        expect(plugin.calls['Encrypt']).to.be.greaterThan(0);

        // An unreadable file changes nothing either.
        fs.writeFileSync(file, '{');
        live.look();
        expect(reports.said.at(-1)).to.match(/^refused/);
        expect(prefix()).to.equal(`k8s:enc:kms:${apiVersion}:new:`);
      } finally {
        live.stop();
        encryption?.current.close();
        plugin.stop();
      }
    });
  });
