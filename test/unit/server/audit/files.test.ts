import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { RotatingFile, type Rotation } from '../../../../server/audit/rotatingFile.js';
import { fileWriter, formats, webhookWriter } from '../../../../server/audit/writers.js';
import { clientFor } from '../../../../server/webhook/client.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { numbered } from './sample.js';

const rotation: Rotation = {
  maxBytes: 10,
  maxAgeDays: 0,
  maxBackups: 0,
  compress: false,
  report: (error) => {
    throw error;
  },
};

const backups = (folder: string): string[] =>
  fs
    .readdirSync(folder)
    .filter((name) => name !== 'audit.log')
    .sort();

describe('audit, log files', () => {
  it('makes the folder, and goes on with the file of an earlier run', async () => {
    const file = path.join(temporaryDirectory('audit'), 'deep', 'audit.log');
    for (const line of ['one\n', 'two\n']) {
      const log = await RotatingFile.open(file, rotation);
      await log.write(line);
      await log.close();
    }
    expect(fs.readFileSync(file, 'utf8')).to.equal('one\ntwo\n');
    expect(fs.statSync(file).mode & 0o077).to.equal(0);
  });

  it('begins a new file when one is full, and cuts no line', async () => {
    const folder = temporaryDirectory('audit');
    const log = await RotatingFile.open(path.join(folder, 'audit.log'), rotation);
    for (const line of ['1234567\n', '89\n', 'a line longer than a file\n']) await log.write(line);
    await log.close();
    expect(backups(folder)).to.have.length(2);
    expect(backups(folder)[0]).to.match(/^audit-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log$/);
    expect([...backups(folder), 'audit.log'].map((name) => fs.readFileSync(path.join(folder, name), 'utf8'))).to.deep.equal([
      '1234567\n',
      '89\n',
      'a line longer than a file\n',
    ]);
  });

  it('keeps as many old files as asked for, compressed, and none of another name', async () => {
    const folder = temporaryDirectory('audit');
    fs.writeFileSync(path.join(folder, 'audit-notes.log'), 'mine');
    fs.writeFileSync(path.join(folder, 'audit-2020-01-01T00-00-00.000.log'), 'old');
    const log = await RotatingFile.open(path.join(folder, 'audit.log'), { ...rotation, maxBackups: 1, compress: true });
    await log.write('first file\n');
    await log.write('second\n');
    await log.close();
    const [compressed, notes] = backups(folder);
    expect(notes).to.equal('audit-notes.log');
    expect(compressed).to.match(/\.log\.gz$/);
    expect(gunzipSync(fs.readFileSync(path.join(folder, compressed ?? ''))).toString()).to.equal('first file\n');
    expect(backups(folder)).to.have.length(2);
  });

  it('removes files that are too old', async () => {
    const folder = temporaryDirectory('audit');
    fs.writeFileSync(path.join(folder, 'audit-2020-01-01T00-00-00.000.log.gz'), 'old');
    const log = await RotatingFile.open(path.join(folder, 'audit.log'), { ...rotation, maxAgeDays: 1 });
    await log.write('first file\n');
    await log.write('second\n');
    await log.close();
    expect(backups(folder).some((name) => name.includes('2020'))).to.equal(false);
  });

  it('says so when its folder cannot be made', async function () {
    if (!fs.existsSync('/proc/self')) this.skip();
    const error = await RotatingFile.open('/proc/nothing/here/audit.log', rotation).then(
      () => null,
      (reason: NodeJS.ErrnoException) => reason,
    );
    expect(error?.code).to.equal('ENOENT');
  });

  it('says so when the disk is full', async function () {
    if (!fs.existsSync('/dev/full')) this.skip();
    const writer = await fileWriter('/dev/full', formats['json']!, rotation);
    const error = await writer.write([numbered('a')]).then(
      () => null,
      (reason: NodeJS.ErrnoException) => reason,
    );
    expect(error?.code).to.equal('ENOSPC');
    await writer.close();
  });
});

describe('audit, service', () => {
  it('sends lists of events, and again when the service is in trouble', async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        bodies.push(body);
        response.statusCode = bodies.length === 1 ? 503 : 200;
        response.end();
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const writer = webhookWriter(clientFor({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}/audit` }), 1);
    await writer.write([numbered('a'), numbered('b')]);
    await writer.close();
    server.close();
    expect(bodies).to.have.length(2);
    const { kind, items } = JSON.parse(bodies[1] ?? '') as { kind: string; items: { auditID: string }[] };
    expect([kind, ...items.map(({ auditID }) => auditID)]).to.deep.equal(['EventList', 'a', 'b']);
  });

  it('gives up on a service that refuses', async () => {
    let asked = 0;
    const server = createServer((request, response) => {
      asked++;
      request.resume();
      response.statusCode = 403;
      response.end('no');
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const writer = webhookWriter(clientFor({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }), 1);
    const error = await writer.write([numbered('a')]).then(
      () => null,
      (reason: Error) => reason,
    );
    await writer.close();
    server.close();
    expect(error?.message).to.match(/answered 403: no/);
    expect(asked).to.equal(1);
  });
});
