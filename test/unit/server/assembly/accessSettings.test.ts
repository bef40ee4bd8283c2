import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { LiveFiles } from '../../../../program/files/liveFile.js';
import { authenticationSettings, authorizerSettings, type AccessSettingsOptions } from '../../../../server/assembly/accessSettings.js';
import type { Fields } from '../../../../program/log/logger.js';
import { readApiServerOptions } from '../../../../server/options/read.js';
import { recordingLogger } from '../../../fixtures/frontDoor.js';
import { shownSeries } from '../../../fixtures/shownSeries.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

describe('settings of access in files that change', () => {
  const file = join(temporaryDirectory('access-settings'), 'config.json');
  const logged: string[] = [];
  let live: LiveFiles;
  let registry: Registry;
  beforeEach(() => {
    live = new LiveFiles();
    registry = new Registry();
    logged.length = 0;
  });
  afterEach(() => live.stop());
  const given = (flag: string): AccessSettingsOptions => {
    const read = readApiServerOptions([`--${flag}=${file}`]);
    if (!read.ok) throw new Error(read.errors.join('\n'));
    const error = (event: string, fields?: Fields): unknown => logged.push(`${event}: ${String(fields?.['error'])}`);
    return { options: read.options, live, registry, log: { ...recordingLogger(logged), error } };
  };
  const write = (kind: string, rest: object): void => {
    writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind, ...rest }));
    live.look();
  };

  describe('authorizers', () => {
    const of = (...types: readonly string[]): void =>
      write('AuthorizationConfiguration', { authorizers: types.map((type) => ({ type, name: type.toLowerCase() })) });

    // newForConfig and LoadAndValidateData of kubeapiserver/authorizer.
    for (const [after, problem] of [
      [['RBAC', 'AlwaysDeny'], null],
      [['AlwaysDeny', 'RBAC'], null],
      [['AlwaysDeny'], 'missing: RBAC'],
      [['RBAC', 'Node'], 'not there at the start: Node'],
    ] as const)
      it(`${problem === null ? 'become' : 'do not become'} ${after.join(' and ')} where they were RBAC`, () => {
        of('RBAC');
        const settings = authorizerSettings(given('authorization-config'));
        of(...after);
        expect(settings.current.map(({ type }) => type)).to.deep.equal(problem === null ? after : ['RBAC']);
        if (problem !== null) expect(logged.join()).to.include(problem);
        else expect(logged.join()).to.include('was read again');
      });
  });

  describe('of authentication', () => {
    const of = (anonymous?: object): void =>
      write('AuthenticationConfiguration', { jwt: [], ...(anonymous === undefined ? {} : { anonymous }) });
    const open = { enabled: true, conditions: [{ path: '/livez' }, { path: '/readyz' }] };

    // ApplyTo of kubeapiserver/options/authentication.go.
    it('keep what the start said about anonymous requests', async () => {
      of(open);
      const { settings, reloads: reports } = authenticationSettings(given('authentication-config'));
      const first = settings.current;
      for (const changed of [undefined, { enabled: true }, { enabled: false }, { ...open, conditions: [{ path: '/livez' }] }]) {
        logged.length = 0;
        of(changed);
        expect(settings.current).to.equal(first);
        expect(logged.join()).to.include('"anonymous"');
      }
      of({ ...open, conditions: [...open.conditions].reverse() });
      expect(settings.current).to.not.equal(first);
      reports.applied();
      reports.late();
      expect(logged.at(-2)).to.include('was read again');
      expect(logged.at(-1)).to.include('have not answered');
      const counts = await shownSeries(registry, 'apiserver_authentication_config_controller_automatic_reloads_total');
      expect(Object.values(counts)).to.deep.equal([5, 1]);
    });
  });
});
