import tseslint from 'typescript-eslint';

/** Code that decides and touches nothing: time arrives as an argument, randomness is injected, effects are returned. */
const pureFolders = [
  'api/**/*.ts',
  'raft/core/**/*.ts',
  'raft/store/command.ts',
  'workers/codecs/**/*.ts',
  'workers/schema/**/*.ts',
  'server/patch/**/*.ts',
  'server/registry/*/**/*.ts',
  'server/kinds/**/*.ts',
  'server/registry/strategy.ts',
  'deploy/backends.ts',
  'deploy/haproxy.ts',
];

const forbiddenGlobals = [
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'process',
  'performance',
  'crypto',
  'fetch',
  'console',
].map((name) => ({ name, message: 'Pure code: take it as an argument.' }));

/** `#x` is the one private form, which holds at run time as well. Constructors alone cannot have it. */
const onePrivateForm = {
  selector: "[accessibility='private']:not(MethodDefinition[kind='constructor'])",
  message: 'Private members are written `#x`; of a parameter, a field that the constructor sets.',
};

/** The rules that need types are in .oxlintrc.json. */
export default tseslint.config(
  {
    ignores: [
      'dist/',
      '.ci/{tools,mutate}/node_modules/',
      '.build/',
      'node_modules/',
      '.cluster/',
      'coverage/',
      'api/data/',
      'api/types/',
      'knip.ts',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': true, 'ts-ignore': true, 'ts-nocheck': true }],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // Constants are named as variables are.
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'typeLike', format: ['PascalCase'] },
        { selector: ['variable', 'parameter'], format: null, custom: { regex: '^[A-Z][A-Z0-9_]+$', match: false } },
        { selector: 'function', format: ['camelCase', 'PascalCase'] },
        { selector: 'classMethod', format: ['camelCase'], leadingUnderscore: 'allow' },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-restricted-syntax': ['error', onePrivateForm],
      'no-var': 'error',
      'prefer-const': 'error',
      '@typescript-eslint/no-this-alias': 'off', // a walk down a tree starts at `this`
    },
  },
  {
    files: pureFolders,
    // The generator's edges; addresses are claimed in storage.
    ignores: [
      'api/generate/{main,read}.ts',
      'api/catalogue/data.ts',
      'server/kinds/core/service/{allocator,metrics,portRecord,ranges,repair,usage}.ts',
    ],
    rules: {
      'no-restricted-globals': ['error', ...forbiddenGlobals],
      'no-restricted-syntax': [
        'error',
        onePrivateForm,
        { selector: "MemberExpression[object.name='Math'][property.name='random']", message: 'Pure code: randomness is injected.' },
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Pure code: take the time as an argument.' },
        {
          selector: "CallExpression[callee.name='Date'], CallExpression[callee.object.name='Date'][callee.property.name='now']",
          message: 'Pure code: take the time as an argument.',
        },
        { selector: 'AwaitExpression', message: 'Pure code returns effects; it does not wait for them.' },
        { selector: ':function[async=true]', message: 'Pure code returns effects; it does not wait for them.' },
      ],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^node:(?!(net|buffer|crypto|util|assert)$)', message: 'Pure code touches nothing.' },
            // Telling addresses from other text is a pure function, although it lives with the sockets.
            { regex: '^node:net$', allowImportNames: ['isIP', 'isIPv4', 'isIPv6'], message: 'Pure code touches nothing.' },
          ],
        },
      ],
    },
  },
  {
    // More than these are told apart by their names: as members of an object that has a meaning.
    files: ['**/*.{ts,tsx}'],
    ignores: ['test/**'],
    rules: { '@typescript-eslint/max-params': ['error', { max: 4 }] },
  },
  {
    // What CommonJS programs look like.
    files: ['**/*.cjs'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    // chai's assertions are property reads.
    files: ['test/**/*.ts'],
    rules: { '@typescript-eslint/no-unused-expressions': 'off' },
  },
);
