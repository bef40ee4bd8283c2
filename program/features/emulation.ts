import { binaryMinor } from './gates.js';

/** How far back the behaviour of earlier versions is known. */
const versionsBack = 3;
export const oldestMinor = binaryMinor - versionsBack;
const entry = /^(?:(\w+)=)?1\.(\d+)(?:\.\d+)?$/;
const component = 'kube';

/** Form of an entry of `--emulated-version`: what was expected, or null. */
export const emulatedVersion = (value: string): string | null => {
  const [, named, minor] = entry.exec(value.replace(/^v(?=\d)/, '')) ?? [];
  return minor !== undefined && (named ?? component) === component && Number(minor) >= oldestMinor && Number(minor) <= binaryMinor
    ? null
    : `a version from 1.${oldestMinor} to 1.${binaryMinor}, such as 1.${binaryMinor - 1} or ${component}=1.${binaryMinor - 1}`;
};

/** The minor version that is emulated; this program's own unless told. */
export const emulatedMinor = (options: { readonly 'emulated-version': readonly string[] }): number =>
  Number(entry.exec(options['emulated-version'].at(-1)?.replace(/^v(?=\d)/, '') ?? '')?.[2] ?? binaryMinor);
