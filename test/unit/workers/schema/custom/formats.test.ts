import { expect } from 'chai';
import { formatCheck } from '../../../../../workers/schema/custom/formats.js';

/** Valid and invalid texts of each format. */
const rows: Readonly<Record<string, readonly [accepted: readonly string[], refused: readonly string[]]>> = {
  'date-time': [
    ['2024-01-02T03:04:05Z', '2024-01-02t03:04:05z', '2024-01-02T03:04:05.5+02:00', '2024-02-29T23:59:59-00:00'],
    [
      '',
      'yesterday',
      '2024-01-02 03:04:05',
      '2024-13-02T03:04:05Z',
      '2023-02-29T00:00:00Z',
      '2024-01-02T24:00:00Z',
      '2024-01-02T00:00:60Z',
      '2024-01-02T03:04:05',
    ],
  ],
  date: [
    ['2024-01-02', '2000-02-29'],
    ['2024-1-2', '2024-02-30', '1900-02-29', '2024-00-01', ''],
  ],
  duration: [
    ['1h30m', '0', '-1.5s', 'P1D', '5 minutes', '22 ns', '3 weeks', '1us', '2 hours 5 min'],
    ['', '5 parsecs', 'h', '10', '99999999999999999999 s'],
  ],
  ipv4: [
    ['1.2.3.4', '01.002.3.4', '::ffff:1.2.3.4'],
    ['300.1.1.1', '::1', '1.2.3', '1.2.3.4.5', 'a.b.c.d', ''],
  ],
  ipv6: [
    ['fe80::1', '::', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4', 'ABCD::'],
    ['1.2.3.4', '1::2::3', '1:2:3:4:5:6:7', '12345::', 'fe80::1%eth0', '1:2:3:4:5:6:7::8:9', ''],
  ],
  cidr: [
    ['10.0.0.0/8', '::/0', '1.2.3.4/32'],
    ['10.0.0.0/40', '10.0.0.0', '::/129', '/8', '1.2.3.4/'],
  ],
  mac: [
    ['00:00:5e:00:53:01', '02-00-5e-10-00-00-00-01', '0000.5e00.5301'],
    ['zz:00', '00:00:5e:00:53', '00:00-5e:00:53:01', ''],
  ],
  uuid: [
    ['6BA7B810-9dad-11d1-80b4-00c04fd430c8', '6ba7b8109dad11d180b400c04fd430c8'],
    ['not', ''],
  ],
  uuid3: [['6ba7b810-9dad-31d1-80b4-00c04fd430c8'], ['6ba7b810-9dad-11d1-80b4-00c04fd430c8']],
  uuid4: [['6ba7b810-9dad-41d1-80b4-00c04fd430c8'], ['6ba7b810-9dad-41d1-70b4-00c04fd430c8', '6ba7b810-9dad-11d1-80b4-00c04fd430c8']],
  uuid5: [['6ba7b810-9dad-51d1-80b4-00c04fd430c8'], ['6ba7b810-9dad-41d1-80b4-00c04fd430c8']],
  uri: [
    ['https://example.com/a?b', '/absolute', 'mailto:jo', '*', 'http://[::1]:80/', 'http://a@b:1/%41'],
    ['', '::', 'relative', ':x', '1a:b', 'http://a:x/', 'http://a b/', '/%zz', '/\u0001', 'http://[::1'],
  ],
  email: [
    ['jo@example.com', 'Jo <jo@example.com>', '"a b"@x.y', 'jo@localhost', 'jo(remark)@example.com'],
    ['nobody', '@x', 'a@', 'a..b@c.d', 'a@b.', 'jo@x jo@y', '<jo@x', ''],
  ],
  hostname: [
    ['example.com', 'localhost', 'a.bc', 'xn--a.example', '1.2.com'],
    ['a_b..c', '', 'a.b', '-a.com', 'a-.com', 'a.c0m', `${'a'.repeat(64)}.com`],
  ],
  byte: [
    ['aGk=', 'aGVsbG8h', 'YQ=='],
    ['@@@', '', 'aGk', 'a-b_'],
  ],
  isbn: [
    ['0-321-75104-3', '978-0321751041', '097522980X'],
    ['12', '0321751044', '9780321751042'],
  ],
  isbn10: [['0321751043'], ['9780321751041']],
  isbn13: [['9780321751041'], ['0321751043']],
  creditcard: [
    ['4111 1111 1111 1111', '378282246310005'],
    ['1234', '4111111111111112', ''],
  ],
  ssn: [
    ['123-45-6789', '123 45 6789'],
    ['1', '123456789', ''],
  ],
  hexcolor: [
    ['#FFF', 'ffffff'],
    ['blue', '#ff', '#fffff'],
  ],
  rgbcolor: [
    ['rgb(0,128,255)', 'rgb( 1 , 2 , 3 )'],
    ['rgb(1)', 'rgb(256,0,0)', 'rgb(01,0,0)', 'rgb(0,0,0'],
  ],
  bsonobjectid: [['507f1f77bcf86cd799439011'], ['x', '507f1f77bcf86cd79943901']],
  password: [['', 'anything'], []],
  'k8s-short-name': [
    ['a', 'a-b', `a${'b'.repeat(62)}`],
    ['Not_Ok', 'a.b', '-a', '', 'a'.repeat(64)],
  ],
  'k8s-long-name': [
    ['a.b', 'a-b.c'],
    ['Not_Ok', 'a..b', '.a', ''],
  ],
};

describe('formats of texts', () => {
  for (const [format, [accepted, refused]] of Object.entries(rows)) {
    it(format, () => {
      const check =
        formatCheck(format) ??
        (() => {
          throw new Error('not known');
        });
      expect(
        accepted.filter((text) => !check(text)),
        'should be accepted',
      ).to.deep.equal([]);
      expect(
        refused.filter((text) => check(text)),
        'should be refused',
      ).to.deep.equal([]);
    });
  }

  it('are looked up without dashes, and not among what every object has', () => {
    expect(formatCheck('d-a-t-e')?.('2024-01-02')).to.equal(true);
    for (const unknown of ['constructor', '__proto__', 'colour', '']) expect(formatCheck(unknown)).to.equal(undefined);
  });

  it('take no time that grows with more than the length of a text', () => {
    for (const [format, text] of [
      ['hostname', `${'a-'.repeat(2_000)}!`],
      ['email', `${'a.'.repeat(2_000)}`],
      ['duration', '1'.repeat(4_000)],
      ['mac', '00:'.repeat(1_300)],
      ['email', '('.repeat(4_000)],
    ] as const)
      expect(formatCheck(format)?.(text)).to.equal(false);
  });
});
