/** A violated promise. Checkers return findings instead of throwing, so one run reports all. */
export interface Finding {
  /** The name in `docs/promises.md`. */
  readonly promise: string;
  readonly details: string;
}

export const findingsShownMax = 5;

/** The first findings, and the number of others. */
export function limited(findings: readonly Finding[]): readonly Finding[] {
  const hidden = findings.length - findingsShownMax;
  const [first] = findings;
  return hidden <= 0 || first === undefined
    ? findings
    : [...findings.slice(0, findingsShownMax), { promise: first.promise, details: `and ${hidden} more` }];
}
