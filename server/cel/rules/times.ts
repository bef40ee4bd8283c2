/** How long rules of custom resources take, in seconds. */
export interface RuleTimes {
  /** The rules of one schema, with all that it has inside, were compiled to be in effect; what checks a definition before is not told. */
  compiled(seconds: number): void;
  /** The rules of one object were evaluated; what others did in between is left out. */
  evaluated(seconds: number): void;
}

const untold = (): void => undefined;
export const untimed: RuleTimes = { compiled: untold, evaluated: untold };
