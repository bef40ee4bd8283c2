/** A promise that does not hold. Checkers return them instead of throwing, so that one run tells everything it found. */
export interface Finding {
  /** The promise, as `docs/promises.md` names it. */
  readonly promise: string;
  readonly details: string;
}

/** Findings of one kind that a report shows; the rest are counted. */
export const findingsShownMax = 5;

/** The first few of many findings, and how many more there are. */
export function limited(findings: readonly Finding[]): readonly Finding[] {
  const hidden = findings.length - findingsShownMax;
  const [first] = findings;
  return hidden <= 0 || first === undefined
    ? findings
    : [...findings.slice(0, findingsShownMax), { promise: first.promise, details: `and ${hidden} more` }];
}
