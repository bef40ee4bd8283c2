import { expect } from 'chai';
import fc from 'fast-check';
import { parseTiming, splitZone } from '../../../../api/cron.js';
import { scheduleOf, type Schedule } from '../../../../controllers/cronjob/schedule.js';
import { zonedText, zoneOf, type Zone } from '../../../../controllers/cronjob/zones.js';

const minuteMs = 60_000;
const ms = (text: string): number => Date.parse(text);
const text = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString().replace('.000Z', 'Z'));

function schedule(spec: string, zone = ''): Schedule {
  const read = scheduleOf(spec, zone);
  if (!read.ok) throw new Error(read.message);
  return read.schedule;
}

function zone(name: string): Zone {
  const found = zoneOf(name);
  if (!found) throw new Error(`no zone ${name}`);
  return found;
}

describe('api/cron', () => {
  const fields: readonly (readonly [string, string])[] = [
    ['* * * * *', '* * * * *'],
    ['0 0 29 2 *', '0 0 29 2 *'],
    ['@hourly', '0 * * * *'],
    ['@daily', '0 0 * * *'],
    ['@midnight', '0 0 * * *'],
    ['@weekly', '0 0 * * 0'],
    ['@monthly', '0 0 1 * *'],
    ['@yearly', '0 0 1 1 *'],
    ['@annually', '0 0 1 1 *'],
    ['? ? ? ? ?', '* * * * *'],
    ['*/20 1-3 * JAN,mar sun-TUE', '0,20,40 1,2,3 * 1,3 0,1,2'],
    ['5/20 0 1 1 *', '5,25,45 0 1 1 *'],
    ['0 6-16/4 * * 1-5', '0 6,10,14 * * 1,2,3,4,5'],
    ['3,1,2,1 0 1 1 1', '1,2,3 0 1 1 1'],
    ['*/1 0 * * *', '* 0 * * *'],
    // Listing all days differs from a star: the day of the week then counts too.
    ['0 0 1-31 * 1', `0 0 ${Array.from({ length: 31 }, (_, index) => index + 1).join(',')} * 1`],
  ];
  for (const [given, wanted] of fields)
    it(`reads ${given}`, () => expect(parseTiming(given)).to.deep.equal({ ok: true, timing: { kind: 'calendar', fields: wanted } }));

  it('reads intervals in whole seconds, and no less than one', () => {
    expect(parseTiming('@every 1h30m')).to.deep.equal({ ok: true, timing: { kind: 'every', ms: 5_400_000 } });
    expect(parseTiming('@every 1500ms')).to.deep.equal({ ok: true, timing: { kind: 'every', ms: 1_000 } });
    expect(parseTiming('@every 10ms')).to.deep.equal({ ok: true, timing: { kind: 'every', ms: 1_000 } });
  });

  it('reads a zone within the text', () => {
    expect(splitZone('TZ=Asia/Tokyo 0 9 * * *')).to.deep.equal({ zone: 'Asia/Tokyo', timing: '0 9 * * *' });
    expect(splitZone('CRON_TZ=UTC @hourly')).to.deep.equal({ zone: 'UTC', timing: '@hourly' });
    expect(splitZone('0 9 * * *')).to.deep.equal({ zone: null, timing: '0 9 * * *' });
  });

  it('accepts a field without a value, which matches no time', () => {
    expect(parseTiming(', * * * *')).to.deep.equal({ ok: true, timing: { kind: 'never' } });
    expect(schedule(', * * * *').next(0)).to.equal(null);
  });

  const problems: readonly (readonly [string, string])[] = [
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['* * * * * *', 'expected exactly 5 fields, found 6: [* * * * * *]'],
    ['@often', 'unrecognized descriptor: @often'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['5-3 * * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['-1 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    ['L * * * *', 'failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax'],
    ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
  ];
  for (const [given, message] of problems) it(`refuses ${given}`, () => expect(parseTiming(given)).to.deep.equal({ ok: false, message }));
});

describe('controllers/cronjob/schedule', () => {
  const next: readonly (readonly [string, string, string, readonly (string | null)[]])[] = [
    // Schedule, zone, start, and the following times.
    ['*/15 * * * *', '', '2026-01-01T00:00:00Z', ['2026-01-01T00:15:00Z', '2026-01-01T00:30:00Z']],
    ['*/15 * * * *', '', '2026-01-01T00:14:59.999Z', ['2026-01-01T00:15:00Z']],
    ['0 0 29 2 *', 'Etc/UTC', '2023-06-01T00:00:00Z', ['2024-02-29T00:00:00Z', '2028-02-29T00:00:00Z']],
    ['0 0 30 2 *', '', '2026-01-01T00:00:00Z', [null]],
    ['0 9 * * *', 'Asia/Kolkata', '2026-01-01T00:00:00Z', ['2026-01-01T03:30:00Z', '2026-01-02T03:30:00Z']],
    ['TZ=Asia/Tokyo 0 9 * * *', 'America/New_York', '2026-01-01T00:00:00Z', ['2026-01-02T00:00:00Z']],
    [
      '0 0 13 * 5',
      '',
      '2026-02-07T00:00:00Z',
      ['2026-02-13T00:00:00Z', '2026-02-20T00:00:00Z', '2026-02-27T00:00:00Z', '2026-03-06T00:00:00Z'],
    ],
    ['0 0 * * 5', '', '2026-02-07T00:00:00Z', ['2026-02-13T00:00:00Z', '2026-02-20T00:00:00Z']],
    // Clocks go from 02:00 to 03:00 on 8 March, so 02:30 does not occur.
    ['30 2 * * *', 'America/New_York', '2026-03-07T00:00:00Z', ['2026-03-07T07:30:00Z', '2026-03-09T06:30:00Z']],
    ['0 3 * * *', 'America/New_York', '2026-03-07T12:00:00Z', ['2026-03-08T07:00:00Z', '2026-03-09T07:00:00Z']],
    // They go from 02:00 to 01:00 on 1 November, so 01:30 occurs twice.
    ['30 1 * * *', 'America/New_York', '2026-10-31T12:00:00Z', ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', '2026-11-02T06:30:00Z']],
    [
      '*/30 * * * *',
      'America/New_York',
      '2026-11-01T05:15:00Z',
      ['2026-11-01T05:30:00Z', '2026-11-01T06:00:00Z', '2026-11-01T06:30:00Z', '2026-11-01T07:00:00Z'],
    ],
    // The change is half an hour.
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T00:00:00Z', ['2026-04-04T14:45:00Z', '2026-04-04T15:15:00Z', '2026-04-05T15:15:00Z']],
    ['@every 90s', '', '2026-01-01T00:00:00.700Z', ['2026-01-01T00:01:30Z', '2026-01-01T00:03:00Z']],
  ];
  for (const [spec, name, from, wanted] of next) {
    it(`${spec} ${name} after ${from}`, () => {
      const found: (string | null)[] = [];
      for (let time: number | null = ms(from); found.length < wanted.length && time !== null;)
        found.push(text((time = schedule(spec, name).next(time))));
      expect(found).to.deep.equal(wanted);
    });
  }

  it('refuses zones that do not exist, and offsets', () => {
    for (const name of ['Mars/Olympus', '+05:00', 'Local time'])
      expect(scheduleOf('* * * * *', name)).to.deep.equal({
        ok: false,
        message: `provided bad location ${name}: unknown time zone ${name}`,
      });
  });

  const specs = fc.constantFrom(
    '* * * * *',
    '7 * * * *',
    '*/17 * * * *',
    '30 1,2 * * *',
    '0 0 * * *',
    '15 2 * * 0',
    '59 23 1 * *',
    '0,45 1-3 * 3,11 *',
  );
  const zones = fc.constantFrom('', 'America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Africa/Casablanca', 'America/Sao_Paulo');
  // Around a change of clocks in New York.
  const times = fc
    .integer({ min: ms('2026-10-31T20:00:00Z') / 1000, max: ms('2026-11-01T12:00:00Z') / 1000 })
    .map((seconds) => seconds * 1000);

  it('finds what looking at the clock each minute finds', () => {
    const daysMax = 3;
    fc.assert(
      fc.property(specs, zones, times, (spec, name, from) => {
        const shows = (time: number): boolean => {
          const wall = new Date(time + zone(name).offsetAt(time));
          const read = parseTiming(spec);
          if (!read.ok || read.timing.kind !== 'calendar') throw new Error('a calendar is expected');
          const values = [wall.getUTCMinutes(), wall.getUTCHours(), wall.getUTCDate(), wall.getUTCMonth() + 1, wall.getUTCDay()];
          return read.timing.fields.split(' ').every(
            (field, position) =>
              field === '*' ||
              field
                .split(',')
                .map(Number)
                .includes(values[position] ?? -1),
          );
        };
        let slow: number | null = null;
        for (
          let time = Math.floor(from / minuteMs) * minuteMs + minuteMs;
          slow === null && time < from + daysMax * 24 * 60 * minuteMs;
          time += minuteMs
        )
          if (shows(time)) slow = time;
        const fast = schedule(spec, name).next(from);
        if (slow === null) expect(fast === null || fast >= from + daysMax * 24 * 60 * minuteMs).to.equal(true);
        else expect(text(fast)).to.equal(text(slow));
      }),
      { numRuns: 60 },
    );
  });

  it('finds the last of a sequence as stepping through it does', () => {
    const spans = fc.integer({ min: 0, max: 3 * 24 * 60 }).map((minutes) => minutes * minuteMs);
    fc.assert(
      fc.property(fc.oneof(specs, fc.constant('@every 7m')), zones, times, spans, (spec, name, from, span) => {
        const of = schedule(spec, name);
        let slow: number | null = null;
        for (let time = of.next(from); time !== null && time <= from + span; time = of.next(time)) slow = time;
        expect(text(of.last(from, from + span))).to.equal(text(slow));
      }),
      { numRuns: 60 },
    );
  });
});

describe('controllers/cronjob/zones', () => {
  const texts: readonly (readonly [string, string, string])[] = [
    ['', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['Etc/UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['Europe/Lisbon', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['America/New_York', '2026-01-01T00:00:00Z', '2025-12-31T19:00:00-05:00'],
    ['Asia/Kolkata', '2026-01-01T00:00:00Z', '2026-01-01T05:30:00+05:30'],
  ];
  for (const [name, time, wanted] of texts)
    it(`shows ${time} in ${name || 'no zone'}`, () => expect(zonedText(ms(time), zone(name))).to.equal(wanted));

  it('knows when clocks are set', () => {
    expect(text(zone('America/New_York').nextChange(ms('2026-01-01T00:00:00Z'), ms('2027-01-01T00:00:00Z')))).to.equal(
      '2026-03-08T07:00:00Z',
    );
    expect(zone('America/New_York').nextChange(ms('2026-04-01T00:00:00Z'), ms('2026-10-01T00:00:00Z'))).to.equal(null);
    expect(zone('Asia/Tokyo').nextChange(ms('2026-01-01T00:00:00Z'), ms('2030-01-01T00:00:00Z'))).to.equal(null);
  });
});
