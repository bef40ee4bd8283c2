import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { derived, LiveFiles } from '../../../../program/files/liveFile.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

describe('files that are followed', () => {
  const folder = temporaryDirectory('live-files');
  const running: LiveFiles[] = [];
  afterEach(() => {
    for (const live of running.splice(0)) live.stop();
  });
  let count = 0;

  function following(read: (text: string) => string = (text) => text): {
    readonly file: string;
    readonly live: LiveFiles;
    readonly value: ReturnType<LiveFiles['follow']>;
    readonly said: string[];
  } {
    const file = path.join(folder, `${count++}`);
    fs.writeFileSync(file, 'first');
    const live = new LiveFiles();
    running.push(live);
    const said: string[] = [];
    const value = live.follow({
      files: [file],
      read: () => read(fs.readFileSync(file, 'utf8')),
      changed: (now) => said.push(`changed: ${now}`),
      failed: ({ message }) => said.push(`failed: ${message.split(',')[0] ?? ''}`),
    });
    return { file, live, value, said };
  }

  it('keep the value of before while a file is away, which is reported once, and take the new one when it is back', () => {
    const { file, live, value, said } = following();
    fs.rmSync(file);
    for (let look = 0; look < 3; look++) live.look();
    expect([value.current, said]).to.deep.equal(['first', ['failed: ENOENT: no such file or directory']]);
    fs.writeFileSync(file, 'second');
    live.look();
    expect([value.current, said.at(-1)]).to.deep.equal(['second', 'changed: second']);
  });

  it('are read again where what stood in the way passes without their changing', () => {
    let closed = false;
    const { file, live, value, said } = following((text) => {
      if (closed) throw new Error('too many open files');
      return text;
    });
    closed = true;
    fs.writeFileSync(file, 'second');
    live.look();
    live.look();
    expect([value.current, said]).to.deep.equal(['first', ['failed: too many open files']]);
    closed = false;
    live.look();
    expect([value.current, said.at(-1)]).to.deep.equal(['second', 'changed: second']);
  });

  it('end nothing where what is made of them fails: others hear of the change', () => {
    const { file, live, value, said } = following();
    let broken = true;
    const made = derived(value, (text) => {
      if (text !== 'first' && broken) throw new Error('its own file is away');
      return `made of ${String(text)}`;
    });
    const heard: unknown[] = [];
    value.onChange((text) => heard.push(text));
    fs.writeFileSync(file, 'second');
    live.look();
    expect([made.current, heard, said]).to.deep.equal(['made of first', ['second'], ['changed: second', 'failed: its own file is away']]);
    broken = false;
    live.look();
    expect(made.current).to.equal('made of second');
  });
});
