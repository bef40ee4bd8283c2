import type { Exploration } from './explore.js';
import { markup } from './markup.js';
import { findingText, titleOf } from './report.js';

/** JUnit XML: a case per finding, and one for all plans without findings. */
export function reportJunit({ findings, run, tookMs }: Exploration, replays: readonly (string | undefined)[] = []): string {
  const failed = findings.map((finding, index) => {
    const text = findingText(finding, index + 1, replays[index]);
    return `  <testcase name="${markup(titleOf(finding))}"><failure message="${markup(finding.violations[0]!.details[0] ?? '')}">${markup(text)}</failure></testcase>`;
  });
  const suite = `<testsuite name="raftplane explore" tests="${findings.length + 1}" failures="${findings.length}" time="${(tookMs / 1000).toFixed(1)}">`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    suite,
    ...failed,
    `  <testcase name="${run} plans were run"/>`,
    '</testsuite>',
    '',
  ].join('\n');
}
