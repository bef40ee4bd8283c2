import { binaryMinor } from './gates.js';

const versionsBack = 3;
export const oldestMinor = binaryMinor - versionsBack;
const entry = /^(?:(\w+)=)?1\.(\d+)(?:\.\d+)?$/;
const component = 'kube';

/** Returns the expected form, or null when the value is valid. */
export const emulatedVersion = (value: string): string | null => {
  const [, named, minor] = entry.exec(value.replace(/^v(?=\d)/, '')) ?? [];
  return minor !== undefined && (named ?? component) === component && Number(minor) >= oldestMinor && Number(minor) <= binaryMinor
    ? null
    : `a version from 1.${oldestMinor} to 1.${binaryMinor}, such as 1.${binaryMinor - 1} or ${component}=1.${binaryMinor - 1}`;
};

export const emulatedMinor = (options: { readonly 'emulated-version': readonly string[] }): number =>
  Number(entry.exec(options['emulated-version'].at(-1)?.replace(/^v(?=\d)/, '') ?? '')?.[2] ?? binaryMinor);
