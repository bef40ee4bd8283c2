import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Launcher } from '../../deploy/cli/launcher.js';
import { ensurePki, type PkiFiles } from '../../deploy/pki.js';
import { ApiClient } from '../fixtures/apiClient.js';
import { noBrowser, startBrowser, WatchedPage } from '../fixtures/browser.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';

/** The console in a browser, on a cluster of `raftplane up`. */
describe('cluster/console', function () {
  this.timeout(240_000);
  const directory = temporaryDirectory('console');
  /** The folder for screenshots; those of the documents are made with `SCREENSHOTS=docs/images`. */
  const pictures = path.resolve(process.env['SCREENSHOTS'] ?? directory);
  const stop = new AbortController();
  let launcher: Launcher;
  let running: Promise<void>;
  let browser: Browser;
  let api: ApiClient;
  let origin: string;
  let token: string;
  const open: WatchedPage[] = [];

  before(async function () {
    if (noBrowser !== null) {
      console.log(`    ${noBrowser}`);
      return this.skip();
    }
    launcher = await Launcher.start({
      dataDirectory: directory,
      replicas: 3,
      managers: 2,
      fakeNodes: 3,
      signal: stop.signal,
      onProgress: () => undefined,
    });
    await new Promise<void>((listening) => {
      running = launcher.run(listening);
    });
    origin = launcher.state.address;
    api = new ApiClient(origin, await authority());
    browser = await startBrowser();
    await api.expect(201, 'POST', '/api/v1/namespaces', { body: { metadata: { name: 'team' } } });
    await api.expect(201, 'POST', '/api/v1/namespaces/team/serviceaccounts', { body: { metadata: { name: 'reader' } } });
    await api.expect(201, 'POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings', {
      body: {
        metadata: { name: 'reader' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'team' }],
      },
    });
    await api.expect(201, 'POST', '/apis/apps/v1/namespaces/team/deployments', { body: deployment('web', 6) });
    await api.expect(201, 'POST', '/apis/apps/v1/namespaces/team/deployments', { body: deployment('api', 3) });
    await api.expect(201, 'POST', '/api/v1/namespaces/team/secrets', {
      body: { metadata: { name: 'key' }, stringData: { key: 'unseen' } },
    });
    const asked = await api.expect(201, 'POST', '/api/v1/namespaces/team/serviceaccounts/reader/token', { body: { spec: {} } });
    token = (asked.status as { readonly token: string }).token;
  });
  afterEach(async function () {
    if (this.currentTest?.isFailed() === true) for (const { page } of open) console.log(await page.locator('body').innerText());
    const faults = open.flatMap((page) => page.faults);
    for (const page of open.splice(0)) await page.close();
    expect(faults, 'policy, foreign hosts, exceptions').to.deep.equal([]);
  });
  after(async () => {
    await browser?.close();
    api?.close();
    stop.abort();
    await running;
  });

  const authority = async (): Promise<{ readonly pki: PkiFiles }> => ({
    pki: await ensurePki(path.join(directory, 'pki'), ['r1', 'r2', 'r3']),
  });
  const visit = async (options: Parameters<typeof WatchedPage.open>[2] = {}): Promise<WatchedPage> => {
    const watched = await WatchedPage.open(browser, origin, options);
    open.push(watched);
    return watched;
  };
  const visitSignedIn = async (options: Parameters<typeof visit>[0] = {}): Promise<WatchedPage> => {
    const watched = await visit(options);
    await watched.page.goto(launcher.consoleLink()!);
    await watched.page.locator('nav').first().waitFor();
    return watched;
  };
  const show = async (page: Page, place: string): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  };
  const picture = async (page: Page, name: string): Promise<void> => {
    fs.mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path: path.join(pictures, `console-${name}.png`) });
  };

  it('takes a link once', async () => {
    const link = launcher.consoleLink()!;
    const first = await visit();
    await first.page.goto(link);
    await first.page.getByText('kubernetes-admin').waitFor();
    expect(first.page.url(), 'the code leaves the address').to.equal(`${origin}/console`);
    const second = await visit();
    await second.page.goto(link);
    await second.page.getByRole('alert').getByText('used already').waitFor();
  });

  it('shows a bearer of a token what he may see, and nothing else', async () => {
    const { page } = await visit();
    await page.goto(`${origin}/console`);
    await page.getByLabel('Bearer token').fill('nonsense');
    await page.getByRole('button', { name: 'Sign in with the token' }).click();
    await page.getByRole('alert').getByText('does not know this token').waitFor();
    await page.getByLabel('Bearer token').fill(token);
    await page.getByRole('button', { name: 'Sign in with the token' }).click();
    await show(page, '#replicas');
    await page.getByText('You may not see the replicas').waitFor();
    await show(page, '#objects/core/pods?namespace=team');
    await page.getByText(/^web-/).first().waitFor();
    await show(page, '#objects/core/secrets?namespace=team');
    await page.getByRole('alert').getByText('secrets is forbidden').waitFor();
    expect(await page.getByText('unseen').count()).to.equal(0);
    await show(page, '#requests');
    await page.getByText('You may not see requests').waitFor();
    expect(await page.evaluate<number>('localStorage.length + document.cookie.length'), 'what outlives the tab').to.equal(0);
    await page.reload();
    await page.getByText('You may not see requests').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Bearer token').waitFor();
    expect(await page.evaluate<number>('sessionStorage.length')).to.equal(0);
    await page.reload();
    await page.getByLabel('Bearer token').waitFor();
  });

  it('lets in whoever shows a client certificate', async () => {
    const { page } = await visit({
      clientCertificates: [
        { origin, certPath: path.join(directory, 'pki', 'admin.crt'), keyPath: path.join(directory, 'pki', 'admin.key') },
      ],
    });
    await page.goto(`${origin}/console`);
    await page.getByRole('button', { name: 'Try my client certificate' }).click();
    await page.getByText('kubernetes-admin').waitFor();
    await show(page, '#replicas');
    await page.locator('[data-standing=leader]').waitFor();
  });

  it('shows at once what runs and what is not well, and leads there', async () => {
    await api.expect(201, 'POST', '/api/v1/namespaces/team/pods', {
      body: {
        metadata: { name: 'broken' },
        spec: { containers: [{ name: 'main', image: 'registry.example/absent:1' }], nodeName: 'no-such-node' },
      },
    });
    await api.expect(200, 'PATCH', '/api/v1/namespaces/team/pods/broken/status', {
      raw: JSON.stringify({ status: { phase: 'Failed', reason: 'Evicted' } }),
      type: 'application/merge-patch+json',
    });
    await api.expect(201, 'POST', '/api/v1/namespaces/team/events', {
      body: {
        metadata: { name: 'warned' },
        involvedObject: { kind: 'Pod', namespace: 'team', name: 'broken' },
        type: 'Warning',
        reason: 'Evicted',
        message: 'the node was low on memory',
      },
    });
    const { page } = await visitSignedIn();
    await page.locator('[data-kind=nodes]').getByText('3', { exact: true }).waitFor();
    await page.locator('[data-kind=pods] .unwell').waitFor();
    await page.locator('.event-list').getByText('the node was low on memory').waitFor();
    await page.locator('.card').getByText('ready', { exact: true }).waitFor();
    await page.getByText(/^None within thirty days\. The first to end is \S.* \(--\S+.*\), on \d/).waitFor();
    await picture(page, 'overview');
    await page.getByRole('link', { name: 'team/broken' }).click();
    await page.locator('.summary').getByText('Evicted').waitFor();
    await api.expect(200, 'DELETE', '/api/v1/namespaces/team/pods/broken', { body: { gracePeriodSeconds: 0 } });
    await page.getByText('This object was deleted.').waitFor();
  });

  /** Adds certificates that end soon to the servers', and to managers' metrics. */
  const withEndings = async (page: Page): Promise<void> => {
    const inDays = (days: number): number => Date.now() + (days + 0.5) * 86_400_000;
    await page.route('**/console/v1/certificates?*', async (route) => {
      const { certificates } = (await (await route.fetch()).json()) as { readonly certificates: readonly object[] };
      expect(certificates.length, 'serving, clients, peers').to.be.greaterThan(3);
      const soon = [
        { option: '--client-ca-file', subject: 'kubernetes-ca', fingerprint: '1', endsAt: inDays(20) },
        { option: '--raft-cert-file', subject: 'r1', fingerprint: '2', endsAt: inDays(-3) },
      ];
      await route.fulfill({ json: { certificates: [...certificates, ...soon] } });
    });
    await page.route('**/console/v1/launcher', async (route) => {
      const text = await (await route.fetch()).text();
      const client = /(_end_timestamp_seconds\{option=\\"--[a-z-]*kubeconfig\\",subject=\\"system:kube-controller-manager\\",[^}]*\}) \d+/g;
      await route.fulfill({ contentType: 'application/json', body: text.replace(client, `$1 ${Math.floor(inDays(5) / 1_000)}`) });
    });
  };

  it('names certificates that end soon, with the servers that have them', async () => {
    const watched = await visit();
    const { page } = watched;
    await withEndings(page);
    await page.goto(launcher.consoleLink()!);
    const list = page.locator('.certificates');
    await list.getByText('ends in 20 days').waitFor();
    await list.getByText('ended on').waitFor();
    await list.getByText('--client-ca-file · r1, r2, r3').waitFor();
    await list.getByText('--authentication-kubeconfig, --authorization-kubeconfig, --kubeconfig · cm1, cm2').waitFor();
    expect(await watched.accessibilityFaults()).to.deep.equal([]);
    await picture(page, 'certificates');
  });

  it('has room for drawings, phases and certificates on a telephone, in the dark', async () => {
    const watched = await visit({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    const { page } = watched;
    const look = async (name: string): Promise<void> => {
      expect(await watched.accessibilityFaults(), name).to.deep.equal([]);
      await picture(page, `narrow-${name}`);
      expect(await page.evaluate<readonly string[]>(standingOut), name).to.deep.equal([]);
    };
    await withEndings(page);
    await page.goto(launcher.consoleLink()!);
    await page.locator('.certificates').getByText('ends in 20 days').scrollIntoViewIfNeeded();
    await look('certificates');
    await show(page, '#objects/apps/deployments?in=team&name=web');
    await page.getByRole('tab', { name: 'Owners' }).click();
    await page
      .locator('.tree')
      .getByRole('link', { name: /^web-\w+-/ })
      .first()
      .waitFor();
    await page.locator('.topology').scrollIntoViewIfNeeded();
    await look('owners');
    await page.locator('.detail').getByRole('button', { name: 'Close' }).click();
    await page.locator('.detail').waitFor({ state: 'detached' });
    expect(new URL(page.url()).hash).to.equal('#objects/apps/deployments');
    await page.goBack();
    await page.locator('.detail h2').getByText('web').waitFor();
    await show(page, '#requests');
    await page.locator('.plain tbody').getByRole('button').first().waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.locator('.plain tbody').getByRole('button').first().click();
    await page.locator('tr.more [data-part=authorization]').scrollIntoViewIfNeeded();
    await look('request');
  });

  it('finds views, resources and objects by their names', async () => {
    const { page } = await visitSignedIn();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('dialog').getByRole('combobox');
    await field.fill('quests');
    await page.getByRole('option', { name: 'Requests View' }).waitFor();
    await field.fill('web deployment');
    await page.getByRole('option', { name: /^web Deployment · team/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.detail h2').getByText('web').waitFor();
    await page.locator('.summary').getByText('registry.example/app:1').waitFor();
    expect(await page.locator('dialog[open]').count()).to.equal(0);
    await page.getByRole('tab', { name: 'Owners' }).click();
    await page.locator('.tree').getByRole('link', { name: /^web-/ }).first().click();
    await page.locator('.detail').getByText('ReplicaSet · team').waitFor();
  });

  it('creates and changes objects from YAML, several at once, and deletes several at once', async () => {
    const { page } = await visitSignedIn();
    await show(page, '#objects/core/configmaps?namespace=team');
    await page.getByRole('button', { name: 'Create' }).click();
    const texts = ['one', 'two'].map((name) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made-${name}\ndata:\n  size: small\n`);
    const field = page.locator('.create textarea');
    await field.fill(texts.join('---\n'));
    const write = page.getByRole('button', { name: 'Write it' });
    expect(await write.isDisabled()).to.equal(true);
    const attempt = page.getByRole('button', { name: 'Try without writing' });
    await attempt.click();
    await page.locator('[data-outcome=created]').nth(1).getByText('would be created').waitFor();
    await api.expect(404, 'GET', '/api/v1/namespaces/team/configmaps/made-one');
    await write.click();
    await page
      .locator('[data-outcome=created]')
      .nth(1)
      .getByText(/^created/)
      .waitFor();
    await field.fill(`${texts[0]!.replace('small', 'large')}---\napiVersion: v1\nkind: Unknown\nmetadata: {name: x}\n`);
    await attempt.click();
    await page.locator('[data-outcome=changed] .diff ins').getByText('size: large').waitFor();
    await page.locator('[data-outcome=refused]').getByText('serves no Unknown').waitFor();
    expect(await write.isDisabled(), 'nothing is written while something is refused').to.equal(true);
    expect((await api.expect(200, 'GET', '/api/v1/namespaces/team/configmaps/made-one')).data).to.deep.equal({ size: 'small' });
    await page.locator('.create').getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Name contains').fill('made-');
    await page.getByLabel('Select made-one').click();
    await page.locator('.rows .row').getByText('made-two').click();
    await page.locator('.rows .row').nth(1).focus();
    await page.keyboard.press(' ');
    const bar = page.getByRole('group', { name: '2 selected' });
    await bar.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await bar.waitFor({ state: 'detached' });
    await page.locator('.rows .row').first().waitFor({ state: 'detached' });
    await api.expect(404, 'GET', '/api/v1/namespaces/team/configmaps/made-two');
  });

  it('shows changes as they are made, and those of one object as a difference', async () => {
    const { page } = await visitSignedIn();
    await show(page, '#objects/core/configmaps?namespace=team');
    await page.getByText('kube-root-ca.crt').waitFor();
    const many = 300;
    const atOnce = 20;
    for (let from = 0; from < many; from += atOnce)
      await Promise.all(
        Array.from({ length: atOnce }, (_, index) =>
          api.expect(201, 'POST', '/api/v1/namespaces/team/configmaps', {
            body: { metadata: { name: `many-${from + index}`, labels: { many: 'yes' } }, data: { count: '0' } },
          }),
        ),
      );
    await page.locator(`[data-rows="${many + 1}"]`).waitFor();
    expect(await page.locator('.rows .row').count(), 'rows that are drawn').to.be.lessThan(80);
    await page.getByLabel('Name contains').fill('many-299');
    await page.locator('.rows .row').getByText('many-299').click();
    await page.locator('.yaml').waitFor();
    await api.expect(200, 'PATCH', '/api/v1/namespaces/team/configmaps/many-299', {
      raw: '{"data":{"count":"41"}}',
      type: 'application/merge-patch+json',
    });
    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.locator('.diff ins').getByText('count: "41"').waitFor();
    await page.getByLabel('Name contains').fill('');
    await page.getByLabel('Labels').fill('many=yes');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.locator(`[data-rows="${many}"]`).waitFor();
  });

  it('writes nothing that was not tried, and shows what others wrote meanwhile', async () => {
    await api.expect(201, 'POST', '/api/v1/namespaces/team/configmaps', {
      body: { metadata: { name: 'edited' }, data: { mine: 'before', theirs: 'before' } },
    });
    const { page } = await visitSignedIn();
    await show(page, '#objects/core/configmaps?namespace=team');
    await page.getByLabel('Name contains').fill('edited');
    await page.locator('.rows .row').getByText('edited').click();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const editor = page.getByLabel('Object as YAML');
    await editor.fill((await editor.inputValue()).replace('mine: before', 'mine: after'));
    expect(await page.getByRole('button', { name: 'Write it' }).isDisabled()).to.equal(true);
    await api.expect(200, 'PATCH', '/api/v1/namespaces/team/configmaps/edited', {
      raw: '{"data":{"theirs":"after"}}',
      type: 'application/merge-patch+json',
    });
    await page.getByRole('button', { name: 'Try without writing' }).click();
    await page.locator('[data-conflict] .diff ins').getByText('theirs: after').waitFor();
    await page.getByRole('button', { name: 'Begin anew' }).click();
    await editor.fill((await editor.inputValue()).replace('mine: before', 'mine: after'));
    await page.getByRole('button', { name: 'Try without writing' }).click();
    await page.locator('.diff ins').getByText('mine: after').waitFor();
    const before = await api.expect(200, 'GET', '/api/v1/namespaces/team/configmaps/edited');
    expect(before.data).to.deep.equal({ mine: 'before', theirs: 'after' });
    await page.getByRole('button', { name: 'Write it' }).click();
    await page.locator('.yaml').getByText('mine: after').waitFor();
    expect((await api.expect(200, 'GET', '/api/v1/namespaces/team/configmaps/edited')).data).to.deep.equal({
      mine: 'after',
      theirs: 'after',
    });
  });

  it('scales, restarts and deletes, by keys alone', async () => {
    const { page } = await visitSignedIn();
    await show(page, '#objects/apps/deployments?namespace=team');
    await page.getByText('api', { exact: true }).first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('api');
    await page.locator('.rows .row').first().focus();
    await page.keyboard.press('Enter');
    await page.locator('.yaml').waitFor();
    await picture(page, 'objects');
    await page.getByRole('button', { name: 'Scale', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Scale to').fill('4');
    await page.keyboard.press('Enter');
    await page.locator('.rows .row').getByText('4/4').waitFor();
    await page.getByRole('button', { name: 'Restart' }).click();
    await page.locator('.yaml').getByText('restartedAt').waitFor();
    await page.getByRole('tab', { name: 'Owners' }).click();
    await page.locator('.tree').getByText('ReplicaSet').first().waitFor();
    await picture(page, 'owners');
    await page.getByRole('tab', { name: 'Managers' }).click();
    await page.locator('.paths').getByText('spec.replicas').first().waitFor();
    // The watch is faster than the response.
    let respond = (): void => undefined;
    const held = new Promise<void>((resolve) => (respond = resolve));
    await page.route('**/deployments/api', async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      const response = await route.fetch();
      await held;
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('This object was deleted.').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.detail').waitFor({ state: 'detached' });
    respond();
  });

  it('reads the log of a pod, and runs a command in it, where a node agent serves them', async () => {
    await api.expect(201, 'POST', '/api/v1/namespaces/team/pods', {
      body: {
        metadata: {
          name: 'shell',
          annotations: {
            'fake-node/logs': 'the first line\nthe last line',
            'fake-node/exec': '[{"command":"*","stdout":"\\u001b[1mwell\\u001b[0m done\\r\\n"}]',
          },
        },
        spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] },
      },
    });
    const { page } = await visitSignedIn();
    await show(page, '#objects/core/pods?namespace=team');
    await page.getByLabel('Name contains').fill('shell');
    await page.locator('.rows .row').getByText('Running').waitFor();
    await page.locator('.rows .row').getByText('shell').click();
    await page.getByRole('tab', { name: 'Logs' }).click();
    await page.getByRole('log').getByText('the last line').waitFor();
    await page.getByRole('tab', { name: 'Terminal' }).click();
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('log').getByText('well done').waitFor();
  });

  it('is a terminal: keys go as they are pressed, the program knows the size, and the screen is what it drew', async () => {
    const watched = await visitSignedIn({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = watched;
    const typed: string[] = [];
    const sizes: { readonly Width: number; readonly Height: number }[] = [];
    let write = (_text: string): void => undefined;
    await page.routeWebSocket(/\/pods\/shell\/exec/, (socket) => {
      write = (text) => socket.send(Buffer.concat([Buffer.of(1), Buffer.from(text)]));
      socket.onMessage((message) => {
        const bytes = Buffer.from(message);
        if (bytes[0] === 4) sizes.push(JSON.parse(bytes.subarray(1).toString()) as (typeof sizes)[number]);
        if (bytes[0] !== 0) return;
        typed.push(bytes.subarray(1).toString());
        // It echoes printable characters like a shell.
        if (typed.at(-1) === '\r') write('\r\n$ ');
        else if (/^[ -~]$/.test(typed.at(-1)!)) write(typed.at(-1)!);
      });
    });
    // The replacement of connections must be installed before the page loads.
    await page.goto('about:blank');
    await page.goto(launcher.consoleLink()!);
    await page.locator('nav').first().waitFor();
    await show(page, '#objects/core/pods?namespace=team');
    await page.getByLabel('Name contains').fill('shell');
    await page.locator('.rows .row').getByText('shell').click();
    await page.getByRole('tab', { name: 'Terminal' }).click();
    expect(
      await page.evaluate<number>("performance.getEntriesByType('resource').filter(({ name }) => /emulator-/.test(name)).length"),
    ).to.equal(0);
    await page.getByRole('button', { name: 'Connect' }).click();
    const screen = page.getByRole('log');
    await screen.locator('.cursor').waitFor();
    await page.locator('.keys:focus').waitFor();
    await page.keyboard.type('ls');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Control+c');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await screen.getByText('$', { exact: true }).waitFor();
    expect(typed).to.deep.equal(['l', 's', '\x1b[A', '\x03', '\x1b', '\r']);
    // A full-screen program: its own buffer, a position, a colour, and a query of the cursor.
    write('\x1b[?1049h\x1b[2J\x1b[3;5H\x1b[1;31mred\x1b[0m\x1b[6n\x1b[?1h\x1b[?2004h');
    await screen.locator('.fg-1.bold').getByText('red').waitFor();
    expect(await screen.locator('> div').nth(2).textContent()).to.match(/^ {4}red/);
    expect(typed.at(-1)).to.equal('\x1b[3;8R');
    await page.keyboard.press('ArrowUp');
    await page.evaluate("navigator.clipboard.writeText('one\\ntwo')");
    await page.keyboard.press('Control+v');
    write('\x1b[?1049l');
    await screen.getByText('$', { exact: true }).waitFor();
    expect(typed.slice(-2)).to.deep.equal(['\x1bOA', '\x1b[200~one\rtwo\x1b[201~']);
    expect(await watched.accessibilityFaults()).to.deep.equal([]);
    await page.keyboard.press('Shift+Tab');
    expect(await page.locator('.keys:focus').count(), 'Shift+Tab leaves').to.equal(0);
    const before = sizes.at(-1)!;
    expect(before.Width).to.be.greaterThan(20);
    await page.setViewportSize({ width: 1000, height: 900 });
    await page.waitForFunction(`document.querySelectorAll('.screen [role=log] > div').length > 0`);
    while (sizes.at(-1)!.Width >= before.Width) await page.evaluate('new Promise(requestAnimationFrame)');
  });

  it('shows requests of all servers, with those refused', async () => {
    const { page } = await visitSignedIn();
    await show(page, '#requests');
    const stranger = new ApiClient(origin, await authority(), { token });
    await page.locator('.plain tbody tr').first().waitFor();
    // The streams of other servers may begin after the first.
    let turn = 0;
    const asked = ['secrets', 'pods', 'configmaps', 'services', 'events'];
    const asking = setInterval(() => {
      void stranger.request('GET', `/api/v1/namespaces/team/${asked[turn++ % asked.length]}`).catch(() => undefined);
      void api
        .request('PATCH', '/api/v1/namespaces/team', {
          raw: `{"metadata":{"labels":{"turn":"${turn}"}}}`,
          type: 'application/merge-patch+json',
        })
        .catch(() => undefined);
    }, 150);
    try {
      await page.locator('tr.refused').getByText('system:serviceaccount:team:reader').first().waitFor();
      await page.locator('.plain tbody tr').nth(30).waitFor();
    } finally {
      clearInterval(asking);
      stranger.close();
    }
    await page.locator('.ranks').getByText('system:kube-controller-manager').first().waitFor();
    await picture(page, 'requests');
    await page.getByLabel('Show').selectOption('refused');
    expect(await page.locator('.plain tbody tr:not(.refused)').count()).to.equal(0);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.locator('.plain tbody').getByRole('button').first().click();
    await page.locator('tr.more').getByText('Audit id').waitFor();
    await page.locator('tr.more [data-part=authorization]').waitFor();
    await page.getByLabel('Show').selectOption('all');
    await page.getByLabel('Verb').selectOption('patch');
    await page.locator('.plain tbody').getByRole('button', { name: '/api/v1/namespaces/team', exact: true }).first().click();
    for (const part of ['authentication', 'request-body', 'etcd', 'serialize-response-object', 'rest'])
      await page.locator(`tr.more [data-part=${part}]`).first().waitFor();
    await picture(page, 'request');
  });

  it('shows managers, who works, and their queues', async () => {
    const { page } = await visitSignedIn();
    await show(page, '#controllers');
    await page.getByText('standby', { exact: true }).waitFor();
    await page.getByLabel('Show idle queues').check();
    await page.locator('.plain').getByText('endpoint', { exact: true }).waitFor();
    await api.expect(201, 'POST', '/api/v1/namespaces/team/services', {
      body: { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } },
    });
    await page.locator('tr.lit').getByText('endpoint', { exact: true }).waitFor();
    // Controllers without work are listed too.
    await page.locator('.plain').getByText('cronjob', { exact: true }).waitFor();
    await page.locator('[data-loop=deployment-controller]').getByText('ScalingReplicaSet').waitFor();
    await page.getByLabel('Show idle queues').uncheck();
    await page.locator('.plain').getByText('cronjob', { exact: true }).waitFor({ state: 'detached' });
    await page.locator('.plain').getByText('endpoint', { exact: true }).waitFor();
    await picture(page, 'controllers');
  });

  it('is for everybody: axe finds nothing in any view, light, dark and narrow', async () => {
    for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark' }, { viewport: { width: 380, height: 800 } }] as const) {
      const watched = await visitSignedIn(options);
      const { page } = watched;
      const faults: string[] = [];
      const look = async (place: string): Promise<void> => {
        faults.push(...(await watched.accessibilityFaults()).map((fault) => `${JSON.stringify(options)} ${place}: ${fault}`));
      };
      await page.locator('[data-kind=pods]').waitFor();
      await look('overview');
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('web');
      await page.getByRole('dialog').getByRole('option').nth(2).waitFor();
      await look('search');
      await page.keyboard.press('Escape');
      await show(page, '#replicas');
      await page.locator('[data-standing=leader]').waitFor();
      await page.locator('.chart').first().waitFor();
      await look('replicas');
      await show(page, '#controllers');
      await page.getByLabel('Show idle queues').check();
      await page.locator('.plain').getByText('endpoint', { exact: true }).waitFor();
      await look('controllers');
      await show(page, '#requests');
      await page.locator('.plain tbody tr').first().waitFor();
      await look('requests');
      await show(page, '#objects/core/pods?namespace=team');
      await page.locator('.rows .row').first().click();
      await page.locator('.yaml').waitFor();
      if ('colorScheme' in options && options.colorScheme === 'dark') await picture(page, 'dark');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.locator('.create textarea').waitFor();
      await look('objects');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Bearer token').waitFor();
      await look('door');
      expect(faults).to.deep.equal([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), 'what stands out at the side').to.equal(0);
    }
  });

  it('cuts a member off from the others, and connects it again', async () => {
    const { page } = await visitSignedIn();
    await show(page, '#replicas');
    const follower = await page.locator('[data-standing=follower]').first().getAttribute('data-member');
    await page.getByRole('button', { name: `Isolate ${follower}` }).click();
    await page.locator(`[data-event=cutOff][data-member=${follower}]`).waitFor();
    // The others are a majority, and the isolated one cannot forward anything.
    const leader = await page.locator('article[data-standing=leader]').getAttribute('data-member');
    const atLeader = new ApiClient(launcher.state.programs.find(({ name }) => name === leader)!.address!, await authority());
    await atLeader.expect(201, 'POST', '/api/v1/namespaces/team/configmaps', { body: { metadata: { name: 'without-one' } } });
    atLeader.close();
    await page.getByRole('button', { name: `Reconnect ${follower}` }).click();
    await page.locator(`[data-event=healed][data-member=${follower}]`).waitFor();
  });

  it('shows that the leader was killed, who leads then, and that it comes back', async () => {
    const { page } = await visitSignedIn();
    await show(page, '#replicas');
    const leader = await page.locator('article[data-standing=leader]').getAttribute('data-member');
    await page.locator('.chart').first().waitFor();
    await page.getByRole('button', { name: `Kill ${leader}` }).click();
    const killedAt = performance.now();
    await page.getByRole('dialog').getByRole('button', { name: 'Kill' }).click();
    await inAFrame(page, `[data-event=killed][data-member=${leader}]`);
    console.log(`      the kill stood on the timeline after ${Math.round(performance.now() - killedAt)} ms`);
    await page.locator(`article[data-standing=leader]:not([data-member=${leader}])`).waitFor();
    await page.locator(`[data-event=elected]:not([data-member=${leader}])`).first().waitFor();
    await page.getByRole('button', { name: `Restart ${leader}` }).click();
    await page.locator(`[data-event=started][data-member=${leader}]`).waitFor();
    await page.locator(`article[data-standing=follower][data-member=${leader}]`).waitFor();

    // The page's own server: the answer to the command is late or lost.
    const own = await ownServer(page);
    await page.getByRole('button', { name: `Pause ${own}` }).click();
    await page.locator(`[data-event=paused][data-member=${own}]`).waitFor();
    await page.getByRole('button', { name: `Resume ${own}` }).click();
    await page.locator(`[data-event=resumed][data-member=${own}]`).waitFor();
    await page
      .locator(`[data-member=${own}]`)
      .getByRole('button', { name: `Pause ${own}` })
      .waitFor();
    await page
      .locator(`article[data-member=${leader}]`)
      .getByText(/\d ms$/)
      .first()
      .waitFor();
    await picture(page, 'replicas');
  });
});

const ownServer = (page: Page): Promise<string> =>
  page.evaluate<string>(`fetch('/console/v1/servers', { headers: { authorization: 'Bearer ' + sessionStorage.getItem('raftplane-token') } })
    .then((response) => response.json())
    .then(({ servers }) => servers.find(({ own }) => own).memberId)`);

/** Elements beyond the right edge of the page. */
const standingOut = `document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > innerWidth).map((each) => each.outerHTML.slice(0, 80))`;

const inAFrame = (page: Page, selector: string): Promise<void> =>
  page.evaluate<void>(`new Promise((resolve) => {
    const look = () => (document.querySelector('${selector}') === null ? requestAnimationFrame(look) : resolve());
    look();
  })`);

const deployment = (name: string, replicas: number): object => ({
  metadata: { name, labels: { app: name } },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: 'registry.example/app:1' }] } },
  },
});
