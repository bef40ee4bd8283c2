/** Receives the durations of custom resource rules, in seconds. */
export interface RuleTimes {
  /** Called when the rules of a schema in effect, with all nested ones, were compiled; not for checks of definitions. */
  compiled(seconds: number): void;
  /** Called when an object's rules were evaluated, without turns of other requests. */
  evaluated(seconds: number): void;
}

const ignored = (): void => undefined;
export const untimed: RuleTimes = { compiled: ignored, evaluated: ignored };
