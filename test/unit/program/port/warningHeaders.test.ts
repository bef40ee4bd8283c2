import { expect } from 'chai';
import { warningHeaders } from '../../../../program/port/warningHeaders.js';

describe('endpoints/warnings', () => {
  it('are headers, each text once', () => {
    expect(warningHeaders(['say "a\\b"', 'two\nlines', 'say "a\\b"', ''])).to.deep.equal(['299 - "say \\"a\\\\b\\""', '299 - "two lines"']);
  });

  it('are as long as they wish while they are few', () => {
    expect(warningHeaders(['x'.repeat(4096)])).to.deep.equal([`299 - "${'x'.repeat(4096)}"`]);
    expect(warningHeaders(['ü'.repeat(4096)])).to.have.length(1);
  });

  it('are in UTF-8, a byte for each character of the header, and without control characters', () => {
    expect(warningHeaders(['Größe\u0085\u007f']).map((text) => Buffer.from(text, 'latin1').toString('utf8'))).to.deep.equal([
      '299 - "Größe  "',
    ]);
  });

  it('are cut, and then left out, when they are too many for the head of an answer', () => {
    const long = warningHeaders(['x'.repeat(4000), 'y'.repeat(97)]);
    expect(long).to.deep.equal([`299 - "${'x'.repeat(256)}"`, `299 - "${'y'.repeat(97)}"`]);
    const many = warningHeaders(Array.from({ length: 1000 }, (_item, index) => `warning number ${index}`));
    expect(many.length).to.be.within(200, 300);
    expect(many.join('').length).to.be.lessThan(8 * 1024);
  });
});
