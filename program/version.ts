/** Clients compare their own version with it. */
export const release = 'v1.36.0';

export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly emulationMajor: string;
  readonly emulationMinor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

const architectures: ReadonlyMap<string, string> = new Map([
  ['x64', 'amd64'],
  ['ia32', '386'],
  ['arm64', 'arm64'],
]);

/** `reported` replaces the reported version (`--version=vX.Y.Z`), but not major and minor of the API. */
export function versionInfo(reported: string = release): VersionInfo {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(release) ?? [];
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: reported,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: `node ${process.version}`,
    platform: `${process.platform === 'win32' ? 'windows' : process.platform}/${architectures.get(process.arch) ?? process.arch}`,
  };
}
