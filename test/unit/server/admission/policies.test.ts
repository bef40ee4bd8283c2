import { expect } from 'chai';
import { convertBuiltIn } from '../../../../server/admission/matching/versions.js';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import type { Decision } from '../../../../server/authorization/authorizer.js';
import { createLogger } from '../../../../program/log/logger.js';
import { createAdmissionPolicies } from '../../../../server/assembly/policies.js';
import { createSample, refusal, type Sample } from '../registry/sample.js';

const group = 'admissionregistration.k8s.io/v1';
const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE', 'DELETE'], resources: ['configmaps'] }];
const mutable = [{ ...rules[0], operations: ['CREATE', 'UPDATE'] }];
const map = (name: string, data: JsonObject = {}, labels?: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...(labels === undefined ? {} : { labels }) },
  data,
});
const policy = (name: string, spec: JsonObject, kind = 'ValidatingAdmissionPolicy'): JsonObject => ({
  apiVersion: group,
  kind,
  metadata: { name },
  spec: { matchConstraints: { resourceRules: kind.startsWith('M') ? mutable : rules }, ...spec },
});
const binding = (name: string, spec: JsonObject, kind = 'ValidatingAdmissionPolicyBinding'): JsonObject => ({
  apiVersion: group,
  kind,
  metadata: { name: `${name}-b` },
  spec: { policyName: name, ...spec },
});

/** Validating and mutating policies share a server with its counts and requests. Over 500 lines, because they are one plugin's rules. */
describe('admission policies', () => {
  let sample: Sample;
  let asked: string[];
  let counted: string[];
  let decision: Decision;

  beforeEach(async () => {
    asked = [];
    counted = [];
    decision = { decision: 'allow', reason: '' };
    const authorize = async (attributes: { verb: string }): Promise<Decision> => {
      asked.push(attributes.verb);
      return Promise.resolve(decision);
    };
    const names = new Set(['ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy']);
    sample = await createSample({
      admission: names,
      guards: (storage, catalogue) =>
        createAdmissionPolicies({
          storage,
          catalogue,
          convert: convertBuiltIn,
          authorize,
          enabled: names,
          metrics: {
            validated: ({ seconds: _, ...evaluated }) => {
              counted.push(Object.values(evaluated).join(' '));
            },
            mutated: ({ seconds: _, ...evaluated }) => {
              counted.push(Object.values(evaluated).join(' '));
            },
          },
          log: createLogger({ verbosity: 0 }),
        }).steps,
    });
  });

  const guard = async (name: string, spec: JsonObject, bound: JsonObject = {}): Promise<void> => {
    await sample.create(policy(name, spec));
    await sample.create(binding(name, { validationActions: ['Deny'], ...bound }));
  };
  const change = async (name: string, spec: JsonObject, bound: JsonObject = {}): Promise<void> => {
    await sample.create(policy(name, { reinvocationPolicy: 'Never', ...spec }, 'MutatingAdmissionPolicy'));
    await sample.create(binding(name, bound, 'MutatingAdmissionPolicyBinding'));
  };
  const refused = async (object: JsonObject): Promise<string> => {
    const { code, reason, message } = await refusal(sample.create(object));
    return `${code} ${reason} ${message.replace(/^.*denied request: /, '')}`;
  };

  it('refuse what their validations do, with their messages and reasons; without a binding they do nothing', async () => {
    const validations = [
      { expression: 'object.data.a != "bad"', message: 'a is bad' },
      { expression: 'object.data.a != "x"', messageExpression: '"a is " + object.data.a', reason: 'Forbidden' },
      { expression: 'object.data.a != "y"' },
    ];
    await sample.create(policy('p', { validations }));
    await sample.create(map('first', { a: 'bad' }));
    await sample.create(binding('p', { validationActions: ['Deny'] }));
    const error = await refusal(sample.create(map('m', { a: 'bad' })));
    expect([error.code, error.reason, error.message, error.details]).to.deep.equal([
      422,
      'Invalid',
      "configmaps \"m\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p-b' denied request: a is bad",
      { name: 'm', kind: 'configmaps', causes: [{ message: "ValidatingAdmissionPolicy 'p' with binding 'p-b' denied request: a is bad" }] },
    ]);
    expect([await refused(map('m', { a: 'x' })), await refused(map('m', { a: 'y' }))]).to.deep.equal([
      '403 Forbidden a is x',
      '422 Invalid failed expression: object.data.a != "y"',
    ]);
    await sample.create(map('m', { a: 'fine' }));
  });

  it('are counted by what is done about them, and failures by their kind', async () => {
    const validations = [{ expression: 'object.data.a != "bad"' }, { expression: 'object.data.none == "x"' }];
    await guard('p', { validations }, { validationActions: ['Deny', 'Audit'] });
    await guard('q', { validations, failurePolicy: 'Ignore' }, { validationActions: ['Warn'] });
    await refused(map('m', { a: 'bad' }));
    expect(counted.toSorted()).to.deep.equal([
      'p p-b invalid_error audit',
      'p p-b invalid_error deny',
      'p p-b no_error audit',
      'p p-b no_error deny',
      'q q-b invalid_error allow',
      'q q-b no_error warn',
    ]);
    counted = [];
    const mutation = (expression: string): JsonObject => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
    await change('c', {
      failurePolicy: 'Ignore',
      mutations: [mutation('Object{data: {"b": "1"}}'), mutation('Object{data: {"b": object.data.none}}')],
    });
    await sample.remove(`${group}/ValidatingAdmissionPolicyBinding`, 'p-b');
    await sample.create(map('n', { a: 'fine' }));
    expect(counted.filter((line) => line.startsWith('c '))).to.deep.equal(['c c-b no_error', 'c c-b invalid_error']);
  });

  it('count from the moment they are stored until they are gone', async () => {
    await guard('p', { validations: [{ expression: 'object == null || object.metadata.name != "no"' }] });
    expect(await refused(map('no'))).to.contain('failed expression');
    await sample.update(binding('p', {}), (object) => {
      object['spec'] = { ...(object['spec'] as JsonObject), validationActions: ['Warn'] };
    });
    await sample.create(map('no'));
    expect(sample.warnings()).to.deep.equal([
      "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p-b': failed expression: object == null || object.metadata.name != \"no\"",
    ]);
    await sample.remove(`${group}/ValidatingAdmissionPolicyBinding`, 'p-b');
    await sample.create(map('no-more'));
    expect(sample.warnings()).to.deep.equal([]);
  });

  it('see the operation, both states and who asks, and may refuse deletions', async () => {
    await guard('p', {
      validations: [
        { expression: 'request.operation != "DELETE" || oldObject.metadata.name != "keep"', message: 'keep it' },
        { expression: 'request.operation != "UPDATE" || object.data.a == oldObject.data.a', message: 'fixed' },
        {
          expression:
            'request.userInfo.username == "u" && request.namespace == "default" && namespaceObject.metadata.name == "default" && request.kind.kind == "ConfigMap"',
        },
      ],
    });
    await sample.create(map('keep', { a: '1' }));
    expect((await refusal(sample.remove('v1/ConfigMap', 'keep'))).message).to.contain('keep it');
    expect(
      (
        await refusal(
          sample.update(map('keep'), (object) => {
            object['data'] = { a: '2' };
          }),
        )
      ).message,
    ).to.contain('fixed');
  });

  it('follow their failure policy where an expression fails', async () => {
    const validations = [{ expression: 'object.data.n == "1"' }, { expression: 'object.metadata.name != "no"', message: 'no' }];
    await guard('p', { validations });
    expect(await refused(map('m'))).to.equal('422 Invalid expression \'object.data.n == "1"\' resulted in error: no such key: n');
    await sample.update(policy('p', {}), (object) => {
      object['spec'] = { ...(object['spec'] as JsonObject), failurePolicy: 'Ignore' };
    });
    await sample.create(map('m'));
    expect(await refused(map('no'))).to.equal('422 Invalid no');
  });

  it('are not asked where conditions, names, labels or excluded rules leave a request out', async () => {
    await guard(
      'p',
      {
        validations: [{ expression: 'false' }],
        matchConditions: [{ name: 'c', expression: 'object.metadata.name != "skipped"' }],
        matchConstraints: {
          resourceRules: rules,
          excludeResourceRules: [{ ...rules[0], resourceNames: ['excluded'] }],
          objectSelector: { matchExpressions: [{ key: 'off', operator: 'DoesNotExist' }] },
        },
      },
      {
        matchResources: {
          objectSelector: { matchExpressions: [{ key: 'free', operator: 'DoesNotExist' }] },
          resourceRules: [{ ...rules[0], operations: ['CREATE'] }],
        },
      },
    );
    for (const object of [
      map('skipped'),
      map('excluded'),
      map('a', {}, { off: '1' }),
      map('b', {}, { free: '1' }),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } },
    ])
      await sample.create(object);
    await refusal(sample.create(map('c')));
    await sample.update(map('b'), (object) => {
      object.metadata.labels = {};
    });
  });

  it('work out variables when they are needed, each from those before it', async () => {
    await guard('p', {
      variables: [
        { name: 'a', expression: 'object.data.a' },
        { name: 'twice', expression: 'variables.a + variables.a' },
        { name: 'broken', expression: '1 / 0' },
      ],
      validations: [
        { expression: 'variables.twice != "nono"', messageExpression: '"never " + variables.twice' },
        { expression: 'object.data.a != "x" || variables.broken == 1' },
      ],
    });
    await sample.create(map('m', { a: 'yes' }));
    expect(await refused(map('n', { a: 'no' }))).to.equal('422 Invalid never nono');
    expect(await refused(map('n', { a: 'x' }))).to.contain('composited variable "broken" fails to evaluate: division by zero');
  });

  it('ask the authorizer in validations alone: messages and audit annotations do not reach it', async () => {
    const allowed = 'authorizer.group("").resource("pods").check("get").allowed()';
    await guard('p', {
      variables: [{ name: 'allowed', expression: allowed }],
      validations: [
        {
          expression: 'variables.allowed && object.data.a != "x"',
          message: 'plain',
          messageExpression: '"told " + string(variables.allowed)',
        },
      ],
    });
    expect(await refused(map('m', { a: 'x' }))).to.equal('422 Invalid plain');
    await sample.create(map('n', { a: 'y' }));
    await guard('q', { auditAnnotations: [{ key: 'k', valueExpression: `string(${allowed})` }] });
    expect(await refused(map('o', { a: 'y' }))).to.equal(
      `422 Invalid expression 'string(${allowed})' resulted in error: no such attribute(s): authorizer`,
    );
  });

  it('take parameters by name, and from wherever a selector finds them', async () => {
    const param = (name: string, key: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name, labels: { param: 'yes' }, annotations: { key } },
    });
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ServiceAccount' },
      validations: [
        { expression: '!(params.metadata.annotations["key"] in object.data)', messageExpression: '"reserved by " + params.metadata.name' },
      ],
    };
    await guard('p', spec, { paramRef: { selector: { matchLabels: { param: 'yes' } }, parameterNotFoundAction: 'Deny' } });
    expect(await refused(map('m', { a: '1' }))).to.equal(
      '422 Invalid failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    );
    await sample.create(param('pa', 'a'));
    await sample.create(param('pb', 'b'));
    expect([await refused(map('m', { a: '1' })), await refused(map('m', { b: '1' }))]).to.deep.equal([
      '422 Invalid reserved by pa',
      '422 Invalid reserved by pb',
    ]);
    await sample.create(map('m', { c: '1' }));
    await sample.update(binding('p', {}), (object) => {
      object['spec'] = { ...(object['spec'] as JsonObject), paramRef: { name: 'pa', parameterNotFoundAction: 'Allow' } };
    });
    await sample.create(map('n', { b: '1' }));
    await refusal(sample.create(map('o', { a: '1' })));
  });

  it('refuse with a word on parameters of a kind that nobody knows', async () => {
    await guard(
      'p',
      { paramKind: { apiVersion: 'example.com/v1', kind: 'Nothing' }, validations: [{ expression: 'true' }] },
      { paramRef: { name: 'x', parameterNotFoundAction: 'Deny' } },
    );
    expect((await refusal(sample.create(map('m')))).message).to.equal(
      "configmaps \"m\" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Nothing'",
    );
  });

  it('ask the authorizer once for each question, however often an expression does', async () => {
    await guard('p', {
      validations: [
        {
          expression: 'authorizer.requestResource.check("bless").allowed() && authorizer.requestResource.check("bless").reason() == ""',
          message: 'may not',
        },
        { expression: 'authorizer.group("apps").resource("deployments").namespace("x").check("get").allowed()' },
        { expression: '!authorizer.path("/x").check("bless").errored()' },
      ],
    });
    await sample.create(map('m'));
    expect(asked).to.deep.equal(['bless', 'get', 'bless']);
    decision = { decision: 'noOpinion', reason: 'because' };
    expect(await refused(map('n'))).to.equal('422 Invalid may not');
  });

  it('are not asked about policies', async () => {
    await guard('p', {
      matchConstraints: { resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }] },
      validations: [{ expression: 'false' }],
    });
    await sample.remove(`${group}/ValidatingAdmissionPolicyBinding`, 'p-b');
    await sample.create(map('m'));
  });

  it('are asked about webhooks, which are never asked about each other', async () => {
    await guard('p', {
      matchConstraints: {
        resourceRules: [{ apiGroups: ['admissionregistration.k8s.io'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
      },
      validations: [{ expression: 'false', message: 'no hooks' }],
    });
    for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'])
      expect(await refused({ apiVersion: group, kind, metadata: { name: 'w' }, webhooks: [] })).to.contain('no hooks');
  });

  it('change objects, in the order of their names, each seeing what the one before made', async () => {
    await change('b', {
      mutations: [
        { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data/b", value: object.data.a + "b"}]' } },
      ],
    });
    await change('a', {
      variables: [{ name: 'x', expression: '"a"' }],
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: 'Object{data: {"a": variables.x}, metadata: Object.metadata{labels: {"l": "1"}}}' },
        },
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"m": object.metadata.labels["l"]}}}' },
        },
      ],
    });
    const made: ApiObject = await sample.create(map('m', { own: 'yes' }, { k: 'v' }));
    expect([made['data'], made.metadata.labels]).to.deep.equal([
      { own: 'yes', a: 'a', b: 'ab' },
      { k: 'v', l: '1', m: '1' },
    ]);
  });

  it('run again after later changes where they want to, once', async () => {
    const append = {
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data/a", value: object.data.?a.orValue("") + "a"}]' },
        },
      ],
    };
    await change('a', { ...append, reinvocationPolicy: 'IfNeeded' });
    await change('b', {
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data/b", value: object.data.?b.orValue("") + "b"}]' },
        },
      ],
    });
    expect((await sample.create(map('m', { own: '1' })))['data']).to.deep.equal({ own: '1', a: 'aa', b: 'b' });
  });

  it('run again where nothing but they themselves changed the object', async () => {
    await change('c', {
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data/c", value: object.data.?c.orValue("") + "c"}]' },
        },
      ],
      reinvocationPolicy: 'IfNeeded',
    });
    expect((await sample.create(map('n', {})))['data']).to.deep.equal({ c: 'cc' });
  });

  it('match the object as it came, not as an earlier one left it', async () => {
    const labelled = (label: string): JsonObject => ({
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: `Object{metadata: Object.metadata{labels: {"${label}": "x"}}}` },
        },
      ],
    });
    await change('a', labelled('a'));
    await change('b', { ...labelled('b'), matchConstraints: { resourceRules: mutable, objectSelector: { matchLabels: { a: 'x' } } } });
    expect((await sample.create(map('m'))).metadata.labels).to.deep.equal({ a: 'x' });
    expect((await sample.create(map('n', {}, { a: 'x' }))).metadata.labels).to.deep.equal({ a: 'x', b: 'x' });
  });

  it('merge lists by their keys and set defaults for what they add', async () => {
    await change('p', {
      matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['services'] }] },
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: 'Object{spec: Object.spec{ports: [Object.spec.ports{name: "b", port: 81}]}}' },
        },
      ],
    });
    const made = await sample.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ name: 'a', port: 80 }] },
    });
    expect((made['spec'] as { ports: JsonObject[] }).ports).to.deep.equal([
      { name: 'a', port: 80, protocol: 'TCP', targetPort: 80 },
      { name: 'b', port: 81, protocol: 'TCP', targetPort: 81 },
    ]);
  });

  it('refuse where a patch cannot be made, skip where its test fails, and pass where failures are to be ignored', async () => {
    const remove = '[JSONPatch{op: "test", path: "/data/t", value: "1"}, JSONPatch{op: "remove", path: "/data/absent"}]';
    await change('p', { mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: remove } }] });
    expect((await sample.create(map('m', { t: '2' })))['data']).to.deep.equal({ t: '2' });
    const error = await refusal(sample.create(map('n', { t: '1' })));
    expect([error.code, error.reason, error.message]).to.deep.equal([
      403,
      'Invalid',
      "policy 'p' with binding 'p-b' denied request: JSON Patch: error in remove for path: '/data/absent': Unable to remove nonexistent key: absent: missing value",
    ]);
    await sample.update(policy('p', {}, 'MutatingAdmissionPolicy'), (object) => {
      object['spec'] = { ...(object['spec'] as JsonObject), failurePolicy: 'Ignore' };
    });
    expect((await sample.create(map('n', { t: '1' })))['data']).to.deep.equal({ t: '1' });
  });

  it('say of each operation what keeps it from being applied', async () => {
    const rows: readonly (readonly [operation: string, message: string])[] = [
      ["op: 'no test failed', path: '/data/t'", 'Unexpected kind: no test failed'],
      ["op: 'move', from: '/data/a', path: '/data/b'", "error in move for path: 'a': Unable to remove nonexistent key: a: missing value"],
      [
        "op: 'move', from: '/data/t', path: '/none/b'",
        'move operation does not apply: doc is missing destination path: /none/b: missing value',
      ],
      ["op: 'copy', from: '/none/t', path: '/data/b'", 'copy operation does not apply: doc is missing from path: /none/t: missing value'],
      ["op: 'test', path: '/none/t', value: '1'", 'test operation does not apply: is missing path: /none/t: missing value'],
      [
        "op: 'test', path: '/metadata/finalizers/3', value: '1'",
        "error in test for path: '/metadata/finalizers/3': Unable to access invalid index: 3: invalid index referenced",
      ],
      [
        "op: 'add', path: '/metadata/finalizers/x', value: 'a/b'",
        "error in add for path: '/metadata/finalizers/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
      ],
    ];
    const mutations = rows.map(([operation]) => ({ patchType: 'JSONPatch', jsonPatch: { expression: `[JSONPatch{${operation}}]` } }));
    await change('p', { mutations });
    const object = map('m', { t: '1' });
    const { details } = await refusal(sample.create({ ...object, metadata: { name: 'm', finalizers: ['example.com/a'] } }));
    expect(details?.causes?.map(({ message }) => message?.replace(/^.*JSON Patch: /, ''))).to.deep.equal(
      rows.map(([, message]) => message),
    );
  });

  it('refuse fields that the type does not have, whatever is to be done about failures', async () => {
    const expression = '[JSONPatch{op: "add", path: "/nope", value: 1}, JSONPatch{op: "add", path: "/metadata/no", value: 1}]';
    await change('p', { mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }], failurePolicy: 'Ignore' });
    const error = await refusal(sample.create(map('m', {})));
    expect([error.code, error.reason]).to.deep.equal([500, 'InternalError']);
    expect(error.message).to.equal('Internal error occurred: strict decoding error: unknown field "metadata.no", unknown field "nope"');
  });

  it('find the operation that fails among many, and bear as many as there may be', async () => {
    const add = (count: number): string =>
      `object.data.n == "x" ? [] : lists.range(${count}).map(i, JSONPatch{op: "add", path: "/data/k" + string(i), value: string(i)})`;
    await change('p', {
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: { expression: `(${add(2_000)}) + [JSONPatch{op: "remove", path: "/data/absent"}] + (${add(100)})` },
        },
      ],
    });
    expect((await refusal(sample.create(map('m', { n: '1' })))).message).to.contain(
      'Unable to remove nonexistent key: absent: missing value',
    );
    await change('q', {
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: add(11_000) } }],
      matchConditions: [{ name: 'c', expression: 'object.data.n == "2"' }],
    });
    await sample.remove(`${group}/MutatingAdmissionPolicy`, 'p');
    expect((await refusal(sample.create(map('m', { n: '2' })))).message).to.contain(
      'JSON Patch: The allowed maximum operations in a JSON patch is 10000',
    );
  });

  it('find no namespace in their conditions, and nothing in it', async () => {
    await guard('p', {
      validations: [{ expression: 'true' }],
      matchConditions: [{ name: 'c', expression: 'namespaceObject.metadata.name == "x"' }],
    });
    expect(await refused(map('m'))).to.equal(
      `422 Invalid expression 'namespaceObject.metadata.name == "x"' resulted in error: no such key: metadata`,
    );
  });

  it('put times, durations, bytes and large numbers into JSON patches as texts', async () => {
    const values = ['timestamp("2020-01-02T03:04:05.6Z")', 'duration("90s")', 'b"ab"', '9007199254740993', '18446744073709551615u'];
    const operations = values.map((value, index) => `JSONPatch{op: "add", path: "/data/v${index}", value: ${value}}`);
    await change('p', { mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: `[${operations.join(', ')}]` } }] });
    expect((await sample.create(map('m')))['data']).to.deep.equal({
      v0: '2020-01-02T03:04:05.6Z',
      v1: '90s',
      v2: 'YWI=',
      v3: '9007199254740993',
      v4: '18446744073709551615',
    });
  });

  it('refuse values that have no JSON in a JSON patch, and say of what type they are', async () => {
    const from = (type: string): string => `type conversion error from '${type}' to '*structpb.Value'`;
    const rows: readonly (readonly [value: string, problem: string])[] = [
      ['semver("1.0.0")', from('Semver')],
      ['[quantity("1")]', from('Quantity')],
      ['{"a": url("http://a")}', from('URL')],
      ['ip("1.2.3.4")', from('IP')],
      ['cidr("10.0.0.0/8")', from('CIDR')],
      ['format.named("dns1123Label").value()', from('Format')],
      ['authorizer.path("/").check("get")', from('kubernetes.authorization.Decision')],
      ['type(1)', "type conversion not supported for 'type'"],
      ['optional.none()', 'optional.none() dereference'],
      ['{1: "a"}', "unsupported type conversion from 'int' to string"],
      ['{1u: "a"}', "unsupported type conversion from 'uint' to string"],
      ['{true: "a"}', "type conversion error from bool to 'string'"],
    ];
    const mutations = rows.map(([value]) => ({
      patchType: 'JSONPatch',
      jsonPatch: { expression: `[JSONPatch{op: "add", path: "/data/v", value: dyn(${value})}]` },
    }));
    await change('p', { mutations });
    const { details } = await refusal(sample.create(map('m')));
    expect(details?.causes?.map(({ message }) => message?.replace(/^.*could not marshal to JSON: /, ''))).to.deep.equal(
      rows.map(([, problem]) => problem),
    );
    await sample.remove(`${group}/MutatingAdmissionPolicy`, 'p');
    await change('q', {
      mutations: [
        { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data/v", value: optional.of("x")}]' } },
      ],
    });
    expect((await sample.create(map('m')))['data']).to.deep.equal({ v: 'x' });
  });

  it('are matched by the name that they have given an object', async () => {
    await sample.create(map('m'));
    const rename = '[JSONPatch{op: "add", path: "/metadata/name", value: "other"}]';
    await change('p', { mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: rename } }] });
    const error = await refusal(sample.update(map('m'), (object) => Object.assign(object, { data: { a: 'b' } })));
    expect(error.message).to.equal('ConfigMap "other" is invalid: metadata.name: Invalid value: "other": field is immutable');
  });

  const configurations: readonly (readonly [what: string, expression: string, message: string])[] = [
    [
      'parts of what is one whole',
      'Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"l": "v"}}}}',
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector',
    ],
    [
      'fields that there are not',
      'Object{spec: Object.spec{replicasx: 1}}',
      'error applying patch: failed to convert patch object to typed object: .spec.replicasx: field not declared in schema',
    ],
    [
      'nulls, which are numbers of an enumeration (`ObjectVal.Value` of `cel/mutation/dynamic/objects.go`)',
      'Object{spec: Object.spec{replicas: null}}',
      'error applying patch: failed to convert patch object to typed object: .spec.replicas: expected numeric (int or float), got structpb.NullValue',
    ],
    [
      'types in the wrong place',
      'Object{spec: Object.specx{replicas: 1}}',
      'type mismatch: unexpected type name "Object.specx", expected "Object.spec", which matches field name path from root Object type',
    ],
  ];
  for (const [what, expression, message] of configurations) {
    it(`may not apply ${what}`, async () => {
      await change('p', {
        matchConstraints: {
          resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }],
        },
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
      });
      const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
      const error = await refusal(
        sample.create({
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'd' },
          spec: { selector: { matchLabels: { a: 'b' } }, template },
        }),
      );
      expect(error.message).to.equal(`policy 'p' with binding 'p-b' denied request: ${message}`);
    });
  }
});
