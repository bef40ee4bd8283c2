import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { controllerCatalogue } from '../../../../controllers/catalogue.js';
import { binaryMinor, gatesOf, gatesWith } from '../../../../program/features/gates.js';
import { createCatalogue } from '../../../../server/kinds/index.js';

/** The effects of gates equal what the code queries. */

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const sources = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'));

/** Names of gates in queries such as `enabled('Name')`. */
const questions = [
  /(?:enabled|isOn)\(\s*'([A-Z]\w+)'/g,
  /while(?:On|Off)\(\s*'(\w+)'/g,
  /'feature-gates'\]\['(\w+)'\]/g,
  // Requirements of options, and gated admission plugins.
  /^ {2}\['[a-z-]+', '((?:Remote|External|UnknownV)\w+)'\],$/gm,
  // Gated roles.
  /\bfeature: '(\w+)'/g,
  // Gated resources.
  /^ {2}'[a-z.8]+\/[a-z]+': '([A-Z]\w+)',$/gm,
  /\(\['(MutatingAdmissionPolicy)', '\w+'\] as const\)\.filter/g,
  /\(\['\w+', '(PodTopologyLabelsAdmission)'\] as const\)\.filter/g,
] as const;
/** Markers in tables of rules. */
const inTables = /\b(?:on|off)(?:<[^()]*>)?\(\s*'([A-Z]\w+)'/g;
const questionsOf = (text: string): readonly RegExp[] =>
  /\/(validation\/table|language)\.js'/.test(text) ? [...questions, inTables] : questions;
const askedIn = (folder: string): Set<string> =>
  new Set(
    sources(folder).flatMap((text) => questionsOf(text).flatMap((question) => [...text.matchAll(question)].map(([, name = '']) => name))),
  );

const declared = createCatalogue({ serves: () => true }).groups.flatMap(({ versions }) =>
  versions.flatMap(({ resources }) => resources.flatMap(({ behaviour }) => Object.keys(behaviour.strategy.gated))),
);
const inServer = gatesWith('fields', 'server');
const inManager = gatesWith('manager');
const known = [...gatesOf(binaryMinor).keys()];
const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

/** Gates whose tests have another name: the file below test/unit, and the word. Null for missing tests, whose number must not grow. */
const testedAs: Readonly<Record<string, readonly [file: string, word: string] | null>> = {
  AllowUnsafeMalformedObjectDeletion: ['server/endpoints/unreadable.test.ts', 'forcesDeletion'],
  AllowInsecureKubeletCertificateSigningRequests: ['server/authorization/nodeRestriction.test.ts', 'certificates: false'],
  APIResponseCompression: ['server/endpoints/lists.test.ts', 'compression: false'],
  AllowParsingUserUIDFromCertAuth: ['server/authentication/certificate.test.ts', 'uids: false'],
  APIServerIdentity: null,
  AuthorizePodWebsocketUpgradeCreatePermission: ['server/endpoints/backends/connect.test.ts', 'streamsNeedCreate'],
  CBORServingAndStorage: ['server/endpoints/cbor.test.ts', 'cbor: true'],
  ClearingNominatedNodeNameAfterBinding: ['server/registry/gatedFindings.test.ts', 'nominatedNodeName'],
  ConstrainedImpersonation: ['server/authorization/impersonation.test.ts', 'constrained'],
  ControllerManagerReleaseLeaderElectionLockOnExit: ['controllers/leaderElection.test.ts', 'givesBack: false'],
  DRAResourceClaimGranularStatusAuthorization: ['server/kinds/resource.k8s.io/devices.test.ts', 'claimGuards'],
  ExternalServiceAccountTokenSigner: ['server/options/apiserver.test.ts', 'service-account-signing-endpoint'],
  LoggingAlphaOptions: ['program/log/logging.test.ts', 'LoggingAlpha'],
  LoggingBetaOptions: null,
  PodLogsQuerySplitStreams: ['server/endpoints/backends/connect.test.ts', 'splitsLogs: true'],
  RemoteRequestHeaderUID: null,
  ServiceAccountNodeAudienceRestriction: ['server/authorization/nodeRestriction.test.ts', 'audiences: false'],
  ShardedListAndWatch: ['server/endpoints/options/shards.test.ts', 'shards: true'],
  SizeBasedListCostEstimate: null,
  StatefulSetSemanticRevisionComparison: ['controllers/statefulset/plan.test.ts', 'holdsInSubstance'],
  StorageVersionHash: null,
  StorageVersionMigrator: ['controllers/options/options.test.ts', 'isWanted'],
  WatchListClient: ['controllers/client/informer.test.ts', 'watchesLists: false'],
};

describe('gates that the code asks for', () => {
  it('are those that the API server says switch something', () => {
    expect(sorted([...askedIn('server'), ...askedIn('program'), ...declared])).to.deep.equal(sorted(inServer));
  });

  it('are those that the controller manager says switch something', () => {
    const ofControllers = controllerCatalogue.flatMap(({ feature }) => (feature === undefined ? [] : [feature]));
    expect(sorted([...askedIn('controllers'), ...ofControllers])).to.deep.equal(sorted(inManager));
  });

  it('are known to the release', () => {
    expect([...inServer, ...inManager].filter((name) => !known.includes(name))).to.deep.equal([]);
  });

  it('have a test that sees them both ways: one that names them, or one that is listed', () => {
    const tests = sources('test').join('\n');
    const ofFields = new Set<string>(declared);
    const shown = (name: string): boolean => {
      const row = testedAs[name];
      if (row === undefined) return ofFields.has(name) || tests.includes(name);
      return row === null || readFileSync(join(root, 'test/unit', row[0]), 'utf8').includes(row[1]);
    };
    const all = sorted([...inServer, ...inManager]);
    expect(all.filter((name) => !shown(name))).to.deep.equal([]);
    expect(Object.keys(testedAs).filter((name) => !all.includes(name))).to.deep.equal([]);
  });
});
