import { headerName, httpsScheme, httpsUrl } from '../../program/flags/checks.js';
import { inGroup } from '../../program/flags/flag.js';

const tokenAlgorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'];

export const accessFlags = {
  ...inGroup('Authentication', {
    'client-ca-file': {
      kind: 'string',
      default: null,
      value: 'file',
      help: 'Client certificates signed by these authorities are accepted: common name = user, organizations = groups.',
    },
    'anonymous-auth': {
      kind: 'bool',
      default: null,
      help: 'Accept requests without credentials, as user system:anonymous in group system:unauthenticated; on unless given or configured otherwise. Always off where authorization allows everything.',
    },
    'token-auth-file': {
      kind: 'string',
      default: null,
      value: 'file',
      help: 'File with fixed tokens, a row each: token,user,uid,"group1,group2".',
    },
    'enable-bootstrap-token-auth': {
      kind: 'bool',
      default: false,
      help: 'Accept secrets of type bootstrap.kubernetes.io/token in namespace kube-system as tokens of joining nodes.',
    },
    'api-audiences': {
      kind: 'strings',
      default: [],
      help: 'Audiences of this API; a service account token must be meant for one of them. The issuers unless given.',
    },
    'authentication-config': {
      kind: 'string',
      default: null,
      value: 'file',
      help: 'File of kind AuthenticationConfiguration: issuers of tokens, and where requests without credentials are welcome. Read again when it changes. Excludes the options --oidc-*.',
    },
    'authentication-token-webhook-config-file': {
      kind: 'string',
      default: null,
      value: 'file',
      help: 'Client configuration of a service that checks tokens.',
    },
    'authentication-token-webhook-cache-ttl': { kind: 'duration', default: 120_000, help: 'How long its answers are remembered.' },
    'authentication-token-webhook-version': {
      kind: 'string',
      default: 'v1beta1',
      oneOf: ['v1', 'v1beta1'],
      help: 'Version of TokenReview to talk in.',
    },
    'oidc-issuer-url': { kind: 'string', default: null, check: httpsUrl, value: 'url', help: 'Issuer whose ID tokens are accepted.' },
    'oidc-client-id': { kind: 'string', default: null, help: 'Client that the tokens must be meant for. Needed with an issuer.' },
    'oidc-ca-file': {
      kind: 'string',
      default: null,
      value: 'file',
      help: "Authorities of the issuer's certificate; those that Node knows unless given.",
    },
    'oidc-username-claim': { kind: 'string', default: 'sub', help: 'Claim that holds the user name.' },
    'oidc-username-prefix': {
      kind: 'string',
      default: null,
      help: 'What user names get in front. Otherwise the issuer, except for the claim "email"; "-" for nothing.',
    },
    'oidc-groups-claim': { kind: 'string', default: null, help: 'Claim that holds the groups.' },
    'oidc-groups-prefix': { kind: 'string', default: null, help: 'What group names get in front.' },
    'oidc-required-claim': { kind: 'map', default: {}, help: 'Claims that a token must have, with their values. Repeatable.' },
    'oidc-signing-algs': { kind: 'strings', default: ['RS256'], oneOf: tokenAlgorithms, help: 'Signatures accepted.' },
    'requestheader-client-ca-file': {
      kind: 'string',
      default: null,
      value: 'file',
      help: 'Authorities of front proxies, whose headers say who the user is.',
    },
    'requestheader-allowed-names': {
      kind: 'strings',
      default: [],
      help: 'Common names of those proxies; empty allows every certificate of the authorities.',
    },
    'requestheader-username-headers': {
      kind: 'strings',
      default: [],
      check: headerName,
      help: 'Headers with the user name; X-Remote-User is usual.',
    },
    'requestheader-group-headers': {
      kind: 'strings',
      default: [],
      check: headerName,
      help: 'Headers with the groups; X-Remote-Group is usual.',
    },
    'requestheader-extra-headers-prefix': {
      kind: 'strings',
      default: [],
      check: headerName,
      help: 'What headers with further facts begin with; X-Remote-Extra- is usual.',
    },
    'requestheader-uid-headers': {
      kind: 'strings',
      default: [],
      check: headerName,
      help: "Headers with the user's id; X-Remote-Uid is usual.",
    },
    'service-account-issuer': {
      kind: 'strings',
      default: [],
      value: 'url,...',
      help: 'Issuers of service account tokens: the first signs, all are accepted.',
    },
    'service-account-jwks-uri': {
      kind: 'string',
      default: null,
      check: httpsScheme,
      value: 'url',
      help: 'Where the discovery document says that the keys are.',
    },
    'service-account-key-file': {
      kind: 'strings',
      default: [],
      value: 'file,...',
      help: 'Keys that verify service account tokens. Repeatable. Needed with a signing key.',
    },
    'service-account-signing-key-file': { kind: 'string', default: null, value: 'file', help: 'Key that signs service account tokens.' },
    'service-account-signing-endpoint': {
      kind: 'string',
      default: null,
      value: 'path',
      help: 'Unix socket of a service that signs service account tokens and knows their keys (k8s.io/externaljwt v1). Excludes the two options about key files.',
    },
    'service-account-lookup': {
      kind: 'bool',
      default: true,
      help: 'Accept a token that a secret keeps only while the secret and the service account exist.',
    },
    'service-account-max-token-expiration': {
      kind: 'duration',
      default: 0,
      help: 'Longest validity of a token that is issued; 0 for no limit.',
    },
    'service-account-extend-token-expiration': {
      kind: 'bool',
      default: true,
      help: 'Let tokens that are put into pods live up to a year, for clients that do not read them again.',
    },
  }),
  ...inGroup('Authorization', {
    'authorization-mode': {
      kind: 'strings',
      default: [],
      oneOf: ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'],
      value: 'mode,...',
      help: 'How permissions are found, in order; AlwaysAllow unless given. Whatever they say, group system:masters may do everything.',
    },
    'authorization-config': {
      kind: 'string',
      default: null,
      value: 'file',
      help: 'File of kind AuthorizationConfiguration: the chain of authorizers. Read again when it changes. Excludes the mode and webhook options.',
    },
    'authorization-policy-file': { kind: 'string', default: null, value: 'file', help: 'Policy for ABAC, a JSON object a line.' },
    'authorization-webhook-config-file': {
      kind: 'string',
      default: null,
      value: 'file',
      help: 'Client configuration of the service for mode Webhook.',
    },
    'authorization-webhook-version': {
      kind: 'string',
      default: 'v1beta1',
      oneOf: ['v1', 'v1beta1'],
      help: 'Version of SubjectAccessReview to talk in.',
    },
    'authorization-webhook-cache-authorized-ttl': { kind: 'duration', default: 300_000, help: 'How long a yes is remembered.' },
    'authorization-webhook-cache-unauthorized-ttl': { kind: 'duration', default: 30_000, help: 'How long a no is remembered.' },
  }),
} as const;
