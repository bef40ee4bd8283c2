import { Writable } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import { createLogger } from '../../../../program/log/logger.js';
import { ModuleLevels } from '../../../../program/log/moduleLevels.js';
import { guardStandardStreams } from '../../../../program/log/standardStreams.js';
import { splitStreams } from '../../../../program/log/logOutput.js';
import { readApiServerOptions } from '../../../../server/options/read.js';
import { loggerOptions } from '../../../../program/log/options.js';

class Recorded {
  readonly writes: string[] = [];
  write = (text: string): void => {
    this.writes.push(text);
  };
  get text(): string {
    return this.writes.join('');
  }
}

function logTo(...argv: string[]): {
  log: ReturnType<typeof createLogger>;
  errors: Recorded;
  others: Recorded;
  verbosity: { level: number };
} {
  const read = readApiServerOptions(argv);
  if (!read.ok) throw new Error(read.errors.join());
  const [errors, others] = [new Recorded(), new Recorded()];
  const { output, ...options } = loggerOptions(read.options, { errors, others });
  if (output === null) throw new Error('one stream');
  return { log: createLogger({ ...options, output }), errors, others, verbosity: options.verbosity };
}

describe('the log', () => {
  it('is one JSON object a line, with secrets left out', () => {
    const { log, errors } = logTo('--logging-format=json', '-v=2');
    log.named('part').info('an event', { count: 3, list: [1], token: 'x' });
    log.error('bad', { error: new Error('why', { cause: new Error('because') }) });
    log.debug(2, 'detail');
    const lines = errors.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ ts, ...rest }) => [typeof ts, rest])).to.deep.equal([
      ['number', { logger: 'part', level: 'info', msg: 'an event', v: 0, count: 3, list: [1], token: '[redacted]' }],
      ['number', { level: 'error', msg: 'bad', err: 'why: because' }],
      ['number', { level: 'info', msg: 'detail', v: 2 }],
    ]);
  });

  it('goes to two streams where that is asked for, in text and in JSON', () => {
    for (const format of ['text', 'json']) {
      const { log, errors, others } = logTo(
        '--feature-gates=LoggingAlphaOptions=true',
        `--logging-format=${format}`,
        `--log-${format}-split-stream`,
      );
      log.info('fine');
      log.warn('careful');
      log.error('broken');
      expect([errors.writes.length, others.writes.length], format).to.deep.equal([1, 2]);
      expect(errors.text).to.contain('broken');
    }
  });

  it('says as much as it is configured to, also while it runs; patterns for single parts stand', () => {
    const { log, others, verbosity } = logTo(
      '--feature-gates=LoggingAlphaOptions=true',
      '--log-text-split-stream',
      '--vmodule=quiet=0',
      '-v=1',
    );
    const quiet = log.named('quiet');
    log.debug(2, 'first');
    verbosity.level = 4;
    log.debug(2, 'second');
    quiet.debug(2, 'third');
    expect(others.text).to.contain('second').and.not.contain('first').and.not.contain('third');
  });

  it('names the patterns that match no part, with the parts that there are', () => {
    const modules = new ModuleLevels([
      ['acc*', 3],
      ['raf?', 2],
      ['endpoint', 4],
    ]);
    const log = createLogger({ verbosity: 0, modules, stream: new Writable() });
    expect(modules.problems().map(({ pattern }) => pattern)).to.deep.equal(['acc*', 'raf?', 'endpoint']);
    for (const part of ['raft', 'access', 'endpoints', 'access']) log.named(part);
    expect(modules.problems()).to.deep.equal([{ pattern: 'endpoint', parts: 'access,endpoints,raft' }]);
  });

  it('holds back no more than its buffer, errors not at all, and loses nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.string({ maxLength: 30 }))), fc.nat(80), (lines, bufferBytes) => {
        const [errors, others] = [new Recorded(), new Recorded()];
        const output = splitStreams({ errors, others, bufferBytes, flushMs: 1_000_000 });
        let said = '';
        for (const [isError, line] of lines) {
          output.write(isError ? 'error' : 'info', line);
          if (!isError) said += line;
          expect(said.startsWith(others.text)).to.equal(true);
          expect(said.length - others.text.length).to.be.at.most(bufferBytes);
        }
        output.flush();
        expect(others.text).to.equal(said);
        expect(errors.writes).to.deep.equal(lines.filter(([isError]) => isError).map(([, line]) => line));
      }),
    );
  });

  it('is written after --log-flush-frequency at the latest', async () => {
    const others = new Recorded();
    const written = new Promise<void>((resolve) => {
      const write = others.write;
      others.write = (text) => {
        write(text);
        resolve();
      };
    });
    const keep = setTimeout(() => {}, 10_000);
    splitStreams({ errors: new Recorded(), others: { write: (text) => others.write(text) }, bufferBytes: 100, flushMs: 5 }).write(
      'info',
      'held',
    );
    await written;
    clearTimeout(keep);
    expect(others.writes).to.deep.equal(['held']);
  });
});

describe('standard output', () => {
  const failure = (code: string): Error => Object.assign(new Error(code), { code });

  it('ends the program without a word once nobody reads it, loses lines on a full disk, and throws all else', () => {
    const stream = new Writable();
    const ends: number[] = [];
    guardStandardStreams([stream], (status) => ends.push(status));
    stream.emit('error', failure('ENOSPC'));
    expect(ends).to.deep.equal([]);
    stream.emit('error', failure('EPIPE'));
    expect(ends).to.deep.equal([141]);
    expect(() => stream.emit('error', failure('EIO'))).to.throw('EIO');
  });
});
