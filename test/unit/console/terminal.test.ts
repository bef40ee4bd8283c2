import { expect } from 'chai';
import { createRequire } from 'node:module';
import { sequenceOf, type PressedKey } from '../../../console/model/keys.js';
import { paletteColour, runsOf, type Run } from '../../../console/model/screen.js';

const { Terminal } = createRequire(import.meta.url)('@xterm/headless') as typeof import('@xterm/headless');

describe('console/keys', () => {
  const press = (words: string, application = false): string | null => {
    const parts = words.split('+');
    const key = parts.at(-1) === '' ? '+' : parts.at(-1)!;
    const has = (name: string): boolean => parts.slice(0, -1).includes(name);
    const pressed: PressedKey = {
      key: key === 'Space' ? ' ' : key,
      ctrlKey: has('Ctrl'),
      altKey: has('Alt'),
      shiftKey: has('Shift'),
      metaKey: has('Meta'),
    };
    return sequenceOf(pressed, application);
  };

  it('sends what xterm sends', () => {
    const sent: Readonly<Record<string, string>> = {
      Enter: '\r',
      Tab: '\t',
      Escape: '\x1b',
      Backspace: '\x7f',
      'Ctrl+Backspace': '\b',
      'Alt+Backspace': '\x1b\x7f',
      ArrowUp: '\x1b[A',
      'Ctrl+ArrowRight': '\x1b[1;5C',
      'Shift+Alt+ArrowLeft': '\x1b[1;4D',
      Home: '\x1b[H',
      End: '\x1b[F',
      Delete: '\x1b[3~',
      PageDown: '\x1b[6~',
      'Ctrl+Delete': '\x1b[3;5~',
      F1: '\x1bOP',
      F5: '\x1b[15~',
      F12: '\x1b[24~',
      'Ctrl+c': '\x03',
      'Ctrl+d': '\x04',
      'Ctrl+[': '\x1b',
      'Ctrl+Space': '\0',
      'Ctrl+\\': '\x1c',
      'Alt+b': '\x1bb',
    };
    for (const [words, sequence] of Object.entries(sent)) expect(press(words), words).to.equal(sequence);
    expect([press('ArrowUp', true), press('Home', true), press('Ctrl+ArrowUp', true)]).to.deep.equal(['\x1bOA', '\x1bOH', '\x1b[1;5A']);
  });

  it('leaves text, pasting, shortcuts of the browser and the way out alone', () => {
    for (const words of ['a', 'Shift+A', 'ä', 'Shift+Tab', 'Ctrl+v', 'Ctrl+Shift+C', 'Meta+c', 'Ctrl+Alt+@', 'Shift', 'Dead', 'Ctrl+1'])
      expect(press(words), words).to.equal(null);
  });
});

describe('console/screen', () => {
  const shown = async (text: string, cursor: number | null = null): Promise<readonly Run[]> => {
    const terminal = new Terminal({ cols: 20, rows: 3, allowProposedApi: true });
    await new Promise<void>((done) => terminal.write(text, done));
    return runsOf(terminal.buffer.active.getLine(0)!, cursor);
  };
  const plain = { classes: '', foreground: null, background: null };

  it('has text as the emulator has it, without blanks at the end', async () => {
    expect(await shown('a  b\r\nnext')).to.deep.equal([{ text: 'a  b', ...plain }]);
    expect(await shown('10%\r20%')).to.deep.equal([{ text: '20%', ...plain }]);
    expect(await shown('')).to.deep.equal([]);
    expect(await shown('日本')).to.deep.equal([{ text: '日本', ...plain }]);
  });

  it('parts a line where its style changes', async () => {
    expect(await shown('\x1b[1;32mok\x1b[0m so')).to.deep.equal([
      { text: 'ok', classes: 'fg-2 bold', foreground: null, background: null },
      { text: ' so', ...plain },
    ]);
    expect(await shown('\x1b[38;5;196;48;2;1;2;3mx')).to.deep.equal([
      { text: 'x', classes: '', foreground: 'rgb(255 0 0)', background: '#010203' },
    ]);
    expect(await shown('\x1b[7;31mx')).to.deep.equal([{ text: 'x', classes: 'bg-1 inverse', foreground: null, background: null }]);
  });

  it('shows the cursor where nothing is', async () => {
    expect(await shown('a', 3)).to.deep.equal([
      { text: 'a  ', ...plain },
      { text: ' ', classes: 'cursor', foreground: null, background: null },
    ]);
  });

  it('knows the colours of the cube and the greys', () => {
    expect([16, 21, 231, 232, 255].map(paletteColour)).to.deep.equal([
      'rgb(0 0 0)',
      'rgb(0 0 255)',
      'rgb(255 255 255)',
      'rgb(8 8 8)',
      'rgb(238 238 238)',
    ]);
  });
});
