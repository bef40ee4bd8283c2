/** Receives the durations of custom resource rules, in seconds. */
export interface RuleTimes {
  /** The rules of a schema in effect, with all nested ones, were compiled; checks of definitions do not count. */
  compiled(seconds: number): void;
  /** The rules of one object were evaluated, without the turns of other requests. */
  evaluated(seconds: number): void;
}

const untold = (): void => undefined;
export const untimed: RuleTimes = { compiled: untold, evaluated: untold };
