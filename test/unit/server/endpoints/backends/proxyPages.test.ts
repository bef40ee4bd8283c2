import { expect } from 'chai';
import fc from 'fast-check';
import { seenThrough } from '../../../../../server/endpoints/backends/links.js';
import { PageLinks } from '../../../../../server/endpoints/backends/pages.js';

const view = { prefix: '/api/v1/namespaces/n/pods/p/proxy', hosts: ['10.0.0.1:80', 'localhost:8001'] };
const { prefix } = view;

async function through(chunks: readonly (string | Buffer)[]): Promise<Buffer> {
  const rewriter = new PageLinks(view);
  const out: Buffer[] = [];
  rewriter.on('data', (chunk: Buffer) => out.push(chunk));
  for (const chunk of chunks) rewriter.write(chunk);
  rewriter.end();
  await new Promise((resolve) => {
    rewriter.once('end', resolve);
  });
  return Buffer.concat(out);
}

describe('links of pages that come through a proxy', () => {
  const links: readonly (readonly [link: string, seen: string])[] = [
    ['/a', `${prefix}/a`],
    ['/a/', `${prefix}/a/`],
    ['/a//b/./c?x=/d#/e', `${prefix}/a/b/c?x=/d#/e`],
    ['/', `${prefix}/`],
    ['/../../up', `${prefix}/up`],
    ['http://10.0.0.1:80/a?b', `${prefix}/a?b`],
    ['https://localhost:8001/a', `${prefix}/a`],
    ['//10.0.0.1:80/a', `${prefix}/a`],
    [`${prefix}/a`, `${prefix}/a`],
    [`http://localhost:8001${prefix}/a`, `${prefix}/a`],
    [`${prefix}x`, `${prefix}${prefix}x`],
    ['a/b', 'a/b'],
    ['../a', '../a'],
    ['', ''],
    ['#a', '#a'],
    ['?a', '?a'],
    ['https://example.com/a', 'https://example.com/a'],
    ['//example.com/a', '//example.com/a'],
    ['http://user@10.0.0.1:80/a', 'http://user@10.0.0.1:80/a'],
    ['javascript:f("/a")', 'javascript:f("/a")'],
    ['mailto:/a', 'mailto:/a'],
    ['data:text/html,/a', 'data:text/html,/a'],
  ];
  for (const [link, seen] of links)
    it(`shows ${JSON.stringify(link)} as ${JSON.stringify(seen)}`, () => {
      expect(seenThrough(link, view)).to.equal(seen);
    });

  const pages: readonly (readonly [what: string, page: string, seen: string])[] = [
    [
      'every kind of quotes',
      '<a href="/1"><a href=\'/2\'><a href=/3><a href=/4 id=x><A HREF = "/5">',
      `<a href="${prefix}/1"><a href='${prefix}/2'><a href=${prefix}/3><a href=${prefix}/4 id=x><A HREF = "${prefix}/5">`,
    ],
    [
      'attributes of these tags alone',
      '<a src="/1" data-href="/2"><p href="/3"><img src=/4>',
      `<a src="/1" data-href="/2"><p href="/3"><img src=${prefix}/4>`,
    ],
    ['what only looks like an end', '<a title=">" href="/1" alt=\'">\'>/2</a>', `<a title=">" href="${prefix}/1" alt='">'>/2</a>`],
    [
      'comments as they are',
      '<!-- <a href="/1"> --><a href="/2"><!--><a href="/3">',
      `<!-- <a href="/1"> --><a href="${prefix}/2"><!--><a href="${prefix}/3">`,
    ],
    [
      'scripts as they are, but for their own address',
      '<script src="/1">x="<a href=\'/2\'>"</SCRIPT><a href="/3">',
      `<script src="${prefix}/1">x="<a href='/2'>"</SCRIPT><a href="${prefix}/3">`,
    ],
    ['broken markup as it is', '<<a href="/1"<a><a href="/2', '<<a href="/1"<a><a href="/2'.replace('"/1"', `"${prefix}/1"`)],
    ["names of everybody's", '<constructor href="/1"><__proto__ href=/2>', '<constructor href="/1"><__proto__ href=/2>'],
  ];
  for (const [what, page, seen] of pages)
    it(`leaves or shows ${what}`, async () => {
      expect((await through([page])).toString()).to.equal(seen);
    });

  it('makes the same of a page however it is cut', async () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '<a ',
      'href',
      '=',
      '"',
      "'",
      '/x',
      ' ',
      '<!--',
      '-->',
      '<script>',
      '</script>',
      'é',
      '\n',
      '-',
      '/',
      'text',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(200), { maxLength: 10 }), async (pieces, cuts) => {
        const bytes = Buffer.from(pieces.join(''));
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect((await through(chunks)).toString('latin1')).to.equal((await through([bytes])).toString('latin1'));
      }),
    );
  });

  it('changes nothing where there are no links, byte by byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 5 }), async (chunks) => {
        const bytes = chunks.map((chunk) => Buffer.from(chunk));
        expect((await through(bytes)).equals(Buffer.concat(bytes))).to.equal(true);
      }),
    );
  });

  it('passes a tag on that does not end, and keeps no more of it than its bound', async () => {
    const page = `<a x="${'y'.repeat(300_000)}" href="/1"><a href="/2">`;
    const seen = (await through(page.match(/.{1,1000}/gs) ?? [])).toString();
    expect(seen.startsWith(page.slice(0, 300_000))).to.equal(true);
    expect(seen.endsWith(`<a href="${prefix}/2">`)).to.equal(true);
  });
});
