import type { Exploration, Finding } from './explore.js';
import type { Violation } from './judgement.js';
import { markup } from './markup.js';
import { guessOf } from './perturbation.js';
import { placeText, type Entry } from './record.js';
import { aroundNote, summaryOf, titleOf } from './report.js';

const style =
  'body{font:15px system-ui;max-width:70em;margin:2em auto;padding:0 1em}table{border-collapse:collapse;font-size:13px}td,th{border:1px solid #bbb;padding:2px 8px;text-align:left}.note{background:#fdd}.event{color:#555}pre{background:#f4f4f4;padding:8px;overflow:auto}';

const cells = (values: readonly unknown[], tag = 'td'): string =>
  values.map((value) => `<${tag}>${markup(String(value))}</${tag}>`).join('');
const table = (head: readonly string[], rows: readonly string[]): string =>
  `<table><tr>${cells(head, 'th')}</tr>\n${rows.join('\n')}</table>`;

const said = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value));

function violationHtml({ judgement, details, differences = [] }: Violation): string {
  const rows = differences.map(({ object, path, expected, actual }) => `<tr>${cells([object, path, said(expected), said(actual)])}</tr>`);
  const shown = rows.length > 0 ? table(['object', 'path', 'should be', 'is'], rows) : `<pre>${markup(details.join('\n'))}</pre>`;
  return `<h3>${markup(judgement)}</h3>${rows.length > 0 ? `<p>${markup(details[0] ?? '')}</p>` : ''}${shown}`;
}

function timelineRow({ atMs, incarnation, place, status, note, event }: Entry): string {
  const kind = note !== undefined ? ' class="note"' : event !== undefined ? ' class="event"' : '';
  return `<tr${kind}>${cells([`${atMs} ms`, `#${incarnation + 1}`, placeText(place), status ?? '', note ?? ''])}</tr>`;
}

function findingHtml(finding: Finding, number: number, replay: string | undefined): string {
  const { perturbation, violations, record, output } = finding;
  return [
    `<h2>${number}. ${markup(titleOf(finding))}</h2>`,
    perturbation === null ? '' : `<p>Probably: ${markup(guessOf(perturbation))}.</p>`,
    ...violations.map(violationHtml),
    '<h3>Requests and events, by start of the operator</h3>',
    table(['at', 'start', 'request or event', 'answer', ''], aroundNote(record).map(timelineRow)),
    output === '' ? '' : `<details><summary>Its output</summary><pre>${markup(output)}</pre></details>`,
    replay === undefined ? '' : `<p>Again: <code>${markup(replay)}</code></p>`,
  ].join('\n');
}

/** One page that needs no other file. */
export function reportHtml(exploration: Exploration, replays: readonly (string | undefined)[] = []): string {
  const findings = exploration.findings.map((finding, index) => findingHtml(finding, index + 1, replays[index]));
  const head = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Exploration</title><style>${style}</style>`;
  return [head, '<h1>Exploration</h1>', `<p>${markup(summaryOf(exploration))}</p>`, ...findings, '</html>', ''].join('\n');
}
