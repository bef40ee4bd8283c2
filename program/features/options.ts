import { inGroup, type FlagValues } from '../flags/flag.js';
import { chooseFeatures, featureProblems, gateText, type Features } from './chosen.js';
import { emulatedMinor, emulatedVersion, oldestMinor } from './emulation.js';
import { binaryMinor, gatesOf } from './gates.js';

const listed = [...gatesOf(binaryMinor).values()].filter(({ locked }) => !locked);

/** Flags of a program in which these gates have an effect; they replace the options of both programs. */
export const featureFlagsOf = (switching: readonly string[]) =>
  inGroup('General', {
    'feature-gates': {
      kind: 'gates',
      default: {},
      check: (value) => (/^(true|false)$/.test(value) ? null : 'true or false'),
      help:
        `Features to switch on or off, as [component:]Feature=true|false. In this program these switch something: ${[...switching].sort().join(', ')}. ` +
        `Known are: AllAlpha=true|false (ALPHA - default=false), AllBeta=true|false (BETA - default=false), ${listed.map(gateText).join(', ')}.`,
    },
    'emulated-version': {
      kind: 'strings',
      default: [],
      check: emulatedVersion,
      help: `Version whose feature gates and APIs are to be there, from 1.${oldestMinor} to 1.${binaryMinor}, as [kube=]major.minor.` as string,
    },
  });

type GateOptions = Pick<FlagValues<ReturnType<typeof featureFlagsOf>>, 'feature-gates' | 'emulated-version'>;

export const featuresOf = (options: GateOptions): Features => chooseFeatures(options['feature-gates'], emulatedMinor(options));

export function featuresProblem(options: GateOptions): string | null {
  const problems = featureProblems(options['feature-gates'], emulatedMinor(options));
  return problems.length === 0 ? null : problems.join('; ');
}
