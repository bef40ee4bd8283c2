import ts from 'typescript';

/**
 * Finds functions with two neighbouring parameters of one type: who calls them can put the two in the wrong order, and no compiler says so. One of the two goes
 * into an object that names it, or has a type of its own.
 *
 * Only functions, methods and constructors that say the types of their parameters are asked: a callback follows a signature that stands elsewhere, and a type of
 * functions is that of the rows of a table, or of a callback, which one place calls.
 */

/**
 * Pairs whose order readers know. A pair belongs here only if somebody outside of this project has set the order, or if one order holds in all of the project.
 */
const knownPairs = [
  // It makes no difference, or is that of comparators and operators.
  ['a', 'b'],
  ['one', 'other'],
  ['left', 'right'],
  ['first', 'second'],
  // From the small to the large, from the early to the late.
  ['min', 'max'],
  ['low', 'high'],
  ['from', 'to'],
  ['from', 'until'],
  ['start', 'end'],
  ['before', 'after'],
  ['before', 'now'],
  ['old', 'now'],
  // As in all functions on buffers.
  ['from', 'length'],
  ['at', 'length'],
  ['start', 'length'],
  ['offset', 'length'],
  // As in all functions that search, in those that write files, and in `Object.assign`.
  ['text', 'part'],
  ['file', 'content'],
  ['target', 'source'],
  // As in HTTP and in the paths, objects and metrics of Kubernetes.
  ['method', 'path'],
  ['key', 'value'],
  ['name', 'value'],
  ['namespace', 'name'],
  ['namespace', 'selector'],
  ['group', 'version'],
  ['group', 'resource'],
  ['version', 'resource'],
  ['version', 'kind'],
  ['apiVersion', 'kind'],
  ['reason', 'message'],
  ['name', 'help'],
  // What there is, and then what is to come over it: the order of reconciling and patching.
  ['current', 'wanted'],
  ['present', 'wanted'],
  ['held', 'wanted'],
  ['original', 'patch'],
  ['current', 'update'],
  ['live', 'applied'],
];

/** Last of their row everywhere: what an object was (as in the hooks of Kubernetes), when it is, and how long something may take. */
const knownLast = ['old', 'before', 'previous', 'now', 'nowMs', 'timeoutMs'];

const pairs = new Set(knownPairs.map(([first, second]) => `${first} ${second}`));
const last = new Set(knownLast);

const functions = [
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'TSDeclareFunction',
  'TSEmptyBodyFunctionExpression',
  'TSMethodSignature',
];

/** The parameter without its modifiers (`private readonly`) and its default. */
const bare = (parameter) => {
  const inner = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
  return inner.type === 'AssignmentPattern' ? inner.left : inner;
};

const isDeclared = (parameter) => {
  const inner = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
  return bare(parameter).typeAnnotation !== undefined || inner.type === 'AssignmentPattern';
};

/** Whether a function is handed to another one where it stands. */
const isCallback = ({ parent }) => parent.type === 'CallExpression' || parent.type === 'NewExpression';

export const namedNeighbours = {
  meta: {
    type: 'suggestion',
    docs: { description: 'Two neighbouring parameters of one type are told apart by name.' },
    messages: {
      neighbours:
        '`{{first}}` and `{{second}}` are both {{type}}: whoever swaps them is not told. Name one of them, as a member of an object, or give it a type of its own.',
    },
    schema: [],
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    const checker = services.program.getTypeChecker();
    const typeOf = (parameter) => checker.getNonNullableType(services.getTypeAtLocation(bare(parameter)));
    const nameOf = (parameter) => {
      const { type, name } = bare(parameter);
      return type === 'Identifier' ? name.replace(/^_/, '') : context.sourceCode.getText(bare(parameter));
    };
    const check = (node) => {
      if (isCallback(node)) return;
      const { params } = node;
      for (let position = 1; position < params.length; position++) {
        const [first, second] = [params[position - 1], params[position]];
        if (second.type === 'RestElement' || !isDeclared(first) || !isDeclared(second)) continue;
        const type = typeOf(first);
        if (type !== typeOf(second) || (type.flags & ts.TypeFlags.Any) !== 0) continue;
        const names = [nameOf(first), nameOf(second)];
        if (last.has(names[1]) || pairs.has(names.join(' '))) continue;
        context.report({
          node: second,
          messageId: 'neighbours',
          data: { first: names[0], second: names[1], type: checker.typeToString(type) },
        });
      }
    };
    return Object.fromEntries(functions.map((name) => [name, check]));
  },
};
