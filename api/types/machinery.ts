// Generated from api/facts by `npm run generate`: change it there.

/** A whole number, or text such as a percentage or the name of a port. */
export type IntOrString = number | string;

/** A number with a suffix for its unit, such as 500m, 1.5Gi or 2k. */
export type Quantity = string;

/** An object of any kind. */
export type RawExtension = Readonly<Record<string, unknown>>;

/** Versions of the server and of the API that it serves. */
export interface Info {
  readonly buildDate: string;
  readonly compiler: string;
  /** First number of the version that the program behaves as. */
  readonly emulationMajor?: string;
  /** Second number of the version that the program behaves as. */
  readonly emulationMinor?: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly gitVersion: string;
  readonly goVersion: string;
  /** First number of the version of the program. */
  readonly major: string;
  /** First number of the oldest version that the program works together with. */
  readonly minCompatibilityMajor?: string;
  /** Second number of the oldest version that the program works together with. */
  readonly minCompatibilityMinor?: string;
  /** Second number of the version of the program. */
  readonly minor: string;
  readonly platform: string;
}
