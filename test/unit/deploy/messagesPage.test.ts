import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { endingMessages, optionMessages, shown } from './endingMessages.js';

/** Parts of other messages, requested ends, and defects. */
const unlisted: ReadonlySet<string> = new Set([
  '… is …',
  '…: …',
  '… was closed',
  'stopped by …',
  '(did you mean --…?)',
  'standard input has ended',
  'the command … has no examples',
]);

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');

describe('docs/messages.md', () => {
  const page = fs.readFileSync(path.join(packageRoot, 'docs', 'messages.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(.+?)` \|(.*)\|(.*)\|$/gm)].map(([, message = '', cause = '', remedy = '']) => ({
    message: shown(message),
    cause,
    remedy: remedy.trim(),
  }));

  it('has every message that the programs end or refuse with, or have about options, and none that they have not', () => {
    const messages = [...new Set([...endingMessages().keys(), ...optionMessages().keys()])].filter((message) => !unlisted.has(message));
    expect(rows.map(({ message }) => message).sort()).to.deep.equal(messages.sort());
  });

  it('is named at the top of the page for operators', () => {
    const [top = ''] = fs.readFileSync(path.join(packageRoot, 'docs', 'operations.md'), 'utf8').split('\n## ');
    expect(top).to.contain('(messages.md)');
  });

  it('says what to do about each', () => {
    expect(rows.filter(({ remedy }) => remedy === '').map(({ message }) => message)).to.deep.equal([]);
  });

  it('leads to sections that there are', () => {
    const headings = fs.readFileSync(path.join(packageRoot, 'docs', 'operations.md'), 'utf8').matchAll(/^#+ (.+)$/gm);
    const anchors = new Set([...headings].map(([, title = '']) => anchorOf(title)));
    expect(
      [...page.matchAll(/operations\.md#([\w-]+)/g)].map(([, anchor]) => anchor).filter((anchor) => !anchors.has(anchor ?? '')),
    ).to.deep.equal([]);
  });
});

/** The limit that keeps sections easy to find. */
const linesMax = 300;

describe('docs/contents', () => {
  const folder = path.join(packageRoot, 'docs');
  const pages = fs.readdirSync(folder).filter((name) => name.endsWith('.md'));

  it('long pages list their sections at the top', () => {
    for (const page of pages) {
      const text = fs.readFileSync(path.join(folder, page), 'utf8');
      if (text.split('\n').length <= linesMax) continue;
      const [top = '', ...sections] = text.split(/^## /m);
      const titles = sections.map((section) => section.split('\n', 1)[0]);
      expect(
        [...top.matchAll(/\[([^\]]+)\]\(#/g)].map(([, title]) => title),
        page,
      ).to.deep.equal(titles);
    }
  });

  it('links within a page lead to its headings', () => {
    for (const page of pages) {
      const text = fs.readFileSync(path.join(folder, page), 'utf8');
      const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title));
      expect(
        [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor).filter((anchor) => !anchors.includes(anchor)),
        page,
      ).to.deep.equal([]);
    }
  });

  it('files that a page names are there', () => {
    const named =
      /`((?:api|cel|console|controllers|deploy|examples|program|raft|server|test|workers)\/[\w./-]+\.(?:ts|mjs|cjs|md|yaml|json|cfg|conf))`/g;
    // That page names files to create.
    for (const page of pages.filter((name) => name !== 'adding.md')) {
      const files = [...fs.readFileSync(path.join(folder, page), 'utf8').matchAll(named)].map(([, file = '']) => file);
      expect(
        files.filter((file) => !fs.existsSync(path.join(packageRoot, file))),
        page,
      ).to.deep.equal([]);
    }
  });
});
