import { expect } from 'chai';
import { checkAdmission, type AdmissionScope, type Wanted } from '../../../cel/check/admission.js';
import { refusedSelector } from '../../../cel/check/device.js';
import { typeOf } from '../../../cel/check/types.js';

const scope: AdmissionScope = {
  params: true,
  authorizer: true,
  patches: true,
  variables: { n: typeOf('int'), s: typeOf('string'), any: typeOf('dyn'), names: typeOf('list<string>') },
};
const refused = (expression: string, wanted: readonly Wanted[] | null = ['bool'], within = scope): string | null =>
  checkAdmission(expression, within, wanted).refused;

describe('expressions of admission', () => {
  const valid = String.raw`
    true
    object.spec.x > 0
    object.spec.replicas <= params.maxReplicas
    has(object.metadata.labels) && object.metadata.labels.exists(k, k == "a")
    !has(object.spec.x) || object.spec.x.all(c, has(c.name) && !c.image.endsWith(":latest"))
    object.spec.containers.filter(c, c.name == "x").size() == 1
    size(object.spec.containers.map(c, c.image)) < 3
    object.spec.containers.exists_one(c, c.name == "x")
    object == null || oldObject == null
    request.operation == "CREATE" && request.kind.group in ["", "apps"]
    request.userInfo.groups.exists(g, g.startsWith("system:"))
    "key" in request.userInfo.extra && request.userInfo.extra["key"][0] == "v"
    request.dryRun || request.namespace.matches("^a.*$")
    request.resource.resource == "pods" && request.subResource == ""
    namespaceObject.metadata.labels["env"] == "prod"
    namespaceObject == null
    namespaceObject.status.phase == 'Active'
    authorizer.group("apps").resource("deployments").subresource("status").namespace("n").name("x").check("get").allowed()
    authorizer.path("/healthz").check("get").reason() == ""
    authorizer.requestResource.check("custom").allowed()
    authorizer.serviceAccount("ns", "sa").group("").resource("pods").fieldSelector("a=b").labelSelector("c=d").check("list").errored()
    variables.n + 1 > 2 && variables.s == "x" && variables.any
    variables.names.join(",") == "a,b"
    object.spec.?a.?b.orValue("x") == "x"
    object.spec[?"a"].hasValue()
    object.?spec.optMap(s, s.size() > 1).orValue(false)
    object.?spec.a.optFlatMap(s, s.?b).hasValue()
    optional.of(1).value() == 1 && optional.none().hasValue() || optional.ofNonZeroValue("").hasValue()
    [?object.?a, object.b].size() == 2 && {"a": object.c, ?"b": object.?b}.size() > 0
    object.spec.m.all(k, v, k.startsWith(v))
    [1, 2].transformList(i, v, i + v).size() == 2
    {"a": 1}.transformMap(k, v, v > 0, string(v))["a"] == "1"
    ["a"].transformMapEntry(i, v, {v: i}).size() == 1
    quantity("1Gi").isGreaterThan(quantity("1Mi")) && isQuantity("1") && quantity("1").add(1).sub(quantity("1")).compareTo(quantity("1")) == 0
    quantity(object.spec.size).asApproximateFloat() > 1.0 && quantity("5").isInteger() && sign(quantity("5")) == 1
    url("https://a.b:80/c?d=e").getHost() == "a.b:80" && isURL(object.u) && url(object.u).getQuery()["d"] == ["e"]
    isIP("1.2.3.4") && ip("1.2.3.4").family() == 4 && ip.isCanonical("::1") && ip("::1").isLoopback() && string(ip("::1")) == "::1"
    cidr("10.0.0.0/8").containsIP("10.0.0.1") && cidr("10.0.0.0/8").containsCIDR(cidr("10.1.0.0/16")) && cidr("10.0.0.0/8").masked().prefixLength() == 8
    type(ip("::1")) == net.IP
    !format.dns1123Label().validate("a").hasValue() && format.named("uuid").hasValue()
    semver("1.2.3").isLessThan(semver("v1.3", true)) && isSemver("1.0.0") && semver("1.2.3").major() == 1
    sets.contains([1, 2], [1]) && sets.intersects(object.a, ["x"]) && sets.equivalent([], [])
    [1, 2].isSorted() && [1, 2].sum() == 3 && [1].min() < [2].max() && ["a"].indexOf("a") == 0 && ["a"].lastIndexOf("a") == 0
    "abc".find("b") == "b" && "a1b2".findAll("[0-9]", 1) == ["1"]
    "a.b".split(".")[0] == "a" && "ab".replace("a", "b", 1).lowerAscii().upperAscii().trim().charAt(0) == "B" && "abc".substring(1, 2).indexOf("b") == 0
    "%s is %d".format(["a", 1]) == "a is 1"
    r"\d+\." == "\\d+\\." && '''a"b''' == """a"b""" && b"abc" == bytes("abc")
    "\u00e9\x41\101" != "\n"
    timestamp("2024-01-01T00:00:00Z") + duration("1h") > timestamp(object.t) && (timestamp(object.t) - timestamp(object.u)).getSeconds() > 5
    timestamp(object.t).getFullYear("UTC") == 2024 && duration("1h").getMinutes() == 60
    1 < 1.5 && 1u + 2u == 3u && 0xff % 7 == 3 && -1 < 0 && 1e3 > .5
    int("1") + int(1.5) == 2 && double(1) == 1.0 && string(1) == "1" && uint(1) == 1u && bool("true")
    type(object.x) == string || type(1) == int || type([]) == list || type(null) == null_type || type(object.t) == google.protobuf.Timestamp
    (object.a ? object.b : object.c) == 1
    object.x + object.y == 3
    object.a == 1 // because
    [[1, 2], [3]].all(l, l.all(x, x > 0))
    object.metadata.namespace == request.namespace && object.spec.function == object.spec.type
    jsonpatch.escapeKey("a/b") == "a~1b"
    dyn(1) == "x" && {"a": {"b": dyn(null)}}.a.b == null
    object["a"]["b"][0].c[request.name] in object.list || object.x in {"a": 1}
    !(object.a in [1, 2]) && [object.a, object.b][0] == 1
    object.names.sortBy(x, x.size()) == ["a"] && [[1]].flatten() == [1] && optional.unwrap([optional.of(1)]) == [1]
    optional.of("a").or(object.?b).value() == "a"
    ((((((((((true))))))))))
    request.options.force && !!object.a
  `
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  for (const expression of valid)
    it(`takes ${expression}`, () => {
      expect(refused(expression)).to.equal(null);
    });

  const others: [string, Wanted[]][] = [
    ['"bad " + string(object.x)', ['string']],
    ['object.a + "x"', ['string']],
    ['"a" + (has(object.b) ? object.b : "c")', ['string']],
    ['null', ['string', 'null']],
    ['[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey(variables.s), value: object.a}]', ['list<JSONPatch>']],
    [
      'has(object.x) ? [JSONPatch{op: "test", path: "/a", value: Object.spec{a: 1}}, JSONPatch{op: "remove", path: "/a"}] : []',
      ['list<JSONPatch>'],
    ],
    ['object.spec.containers.map(c, JSONPatch{op: "add", path: "/x", value: c})', ['list<JSONPatch>']],
    [
      'Object{metadata: Object.metadata{labels: {"a": variables.s}}, spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers.item{name: c.name, ?image: object.?i})}}',
      ['Object'],
    ],
    ['Object{}', ['Object']],
  ];
  for (const [expression, wanted] of others)
    it(`takes ${expression}`, () => {
      expect(refused(expression, wanted)).to.equal(null);
    });

  /** A variable, a use of it, and the error. */
  const known: readonly (readonly [variable: string, use: string, problem: string | null])[] = [
    ['optional.of(1)', 'variables.v + 1 == 2', null],
    ['optional.of(1)', 'variables.v.anything', 'must evaluate to bool but got dyn'],
    ['[optional.of(1)]', "variables.v == ['a'] && variables.v[0] == 1", null],
    ["{'a': optional.of(1)}", "variables.v.a + 1 == 2 || variables.v['a'] == 'b'", null],
    ["{'a': optional.of(1)}", 'variables.v[1] == 1', "found no matching overload for '_[_]' applied to '(map(string, dyn), int)'"],
    ["quantity('1')", "variables.v == 'a'", null],
    ["ip('::1')", 'variables.v + 1 > 2', null],
    ['type(1)', "variables.v == 'int'", null],
    ['request', 'variables.v.none == 1', null],
    ['1', "variables.v == 'a'", "found no matching overload for '_==_' applied to '(int, string)'"],
    ["['a']", 'variables.v == [1]', "found no matching overload for '_==_' applied to '(list(string), list(int))'"],
    ["duration('1s')", 'variables.v == 1', "found no matching overload for '_==_' applied to '(duration, int)'"],
  ];
  for (const [variable, use, problem] of known)
    it(`knows ${problem === null ? 'nothing that forbids' : 'what forbids'} ${use} of the variable ${variable}`, () => {
      const within: AdmissionScope = { ...scope, variables: { v: checkAdmission(variable, { ...scope, variables: {} }, null).type } };
      const answer = refused(use, ['bool'], within);
      if (problem === null) expect(answer).to.equal(null);
      else expect(answer).to.contain(problem);
    });

  it('does not mix what another expression should have yielded with anything', () => {
    const failed = checkAdmission('1 +', scope, null).type;
    const within: AdmissionScope = { ...scope, variables: { failed } };
    expect(refused('variables.failed == 1', ['bool'], within)).to.equal(null);
    expect(refused('["a", variables.failed].size() == 2', ['bool'], within)).to.contain("expected type 'string' but found 'dyn'");
  });

  const wrong: [expression: string, message: string, wanted?: Wanted[]][] = [
    ['params.x', 'must evaluate to bool but got dyn'],
    ['object.data.size()', 'must evaluate to bool but got int'],
    ['1', 'must evaluate to bool but got int'],
    ['variables.any', 'must evaluate to bool but got dyn'],
    ['object.a > 1 ? true : object.b', 'must evaluate to bool but got dyn'],
    ['[]', 'must evaluate to list(JSONPatch) but got list(dyn)', ['list<JSONPatch>']],
    ['1', 'must evaluate to string but got int', ['string']],
    ['1', 'must evaluate to one of [string null_type] but got int', ['string', 'null']],
    ['object.data.x', 'must evaluate to string but got dyn', ['string']],
    ['1', 'must evaluate to list(JSONPatch) but got int', ['list<JSONPatch>']],
    ['[1]', 'must evaluate to list(JSONPatch) but got list(int)', ['list<JSONPatch>']],
    ['"x"', 'must evaluate to Object but got string', ['Object']],
    ['object.', "compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'\n | object.\n | .......^"],
    ['foo == 1', "compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo == 1\n | ^"],
    [
      'oldSelf == self',
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'oldSelf' (in container '')\n | oldSelf == self\n | ^\nERROR: <input>:1:12: undeclared reference to 'self' (in container '')\n | oldSelf == self\n | ...........^",
    ],
    ['variables.y', "compilation failed: ERROR: <input>:1:10: undefined field 'y'\n | variables.y\n | .........^"],
    [
      'variables.s == 1',
      "compilation failed: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(string, int)'\n | variables.s == 1\n | ............^",
    ],
    [
      'request.userInfo.nope == "x"',
      'compilation failed: ERROR: <input>:1:17: undefined field \'nope\'\n | request.userInfo.nope == "x"\n | ................^',
    ],
    [
      'unknownFunc(object.a)',
      "compilation failed: ERROR: <input>:1:12: undeclared reference to 'unknownFunc' (in container '')\n | unknownFunc(object.a)\n | ...........^",
    ],
    [
      'object.x +',
      "compilation failed: ERROR: <input>:1:11: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | object.x +\n | ..........^",
    ],
    [
      'object.a > 1 ? true : 5',
      "compilation failed: ERROR: <input>:1:14: found no matching overload for '_?_:_' applied to '(bool, bool, int)'\n | object.a > 1 ? true : 5\n | .............^",
    ],
    [
      'variables.n.b.c > 0',
      "compilation failed: ERROR: <input>:1:12: type 'int' does not support field selection\n | variables.n.b.c > 0\n | ...........^",
    ],
    [
      'true &&\n  nobody',
      "compilation failed: ERROR: <input>:2:3: undeclared reference to 'nobody' (in container '')\n |   nobody\n | ..^",
    ],
  ];
  for (const [expression, message, wanted] of wrong)
    it(`refuses ${expression}`, () => {
      expect(refused(expression, wanted ?? ['bool'])).to.equal(message);
    });

  it('refuses all that is no expression, or cannot be right', () => {
    for (const expression of [
      '1 +',
      'broken(',
      'not cel(',
      ')',
      'a b',
      '"open',
      "'\\d'",
      'object.1',
      'has(object)',
      'has(1 + 1)',
      '1.all(x, true)',
      'object.a.all(1, true)',
      'object.a.all(x, 1)',
      '"a" - "b"',
      '1 && true',
      '!1',
      '"a".size(1)',
      'size(1)',
      'request.name.nope()',
      'Nope{a: 1} == 1',
      'JSONPatch{nope: 1} == 1',
      'JSONPatch{op: 1} == 1',
      'for == 1',
      'namespaceObject.spec.nope == "x"',
      'authorizer.nope("x")',
      '1 in 2',
      '$',
      '@',
      'a ? b',
      '[1, 2',
      '{1}',
      '{"a" 1}',
      `${'('.repeat(300)}1${')'.repeat(300)}`,
      'x'.repeat(200_000),
    ]) {
      expect(refused(expression), expression.slice(0, 40)).to.be.a('string');
    }
  });

  it('refuses what its environment does not offer', () => {
    const patches: AdmissionScope = { ...scope, patches: true };
    const validating: AdmissionScope = { ...scope, patches: false };
    expect(refused('jsonpatch.escapeKey(request.name) == "x"', ['bool'], patches)).to.equal(null);
    for (const [expression, name, within] of [
      ['jsonpatch.escapeKey(request.name) == "x"', 'jsonpatch', validating],
      ['cel.bind(x, 1, x == 1)', 'cel', patches],
      ['base64.encode(b"a") == "x"', 'base64', validating],
    ] as const)
      expect(refused(expression, ['bool'], within)).to.match(
        new RegExp(`^compilation failed: ERROR: <input>:1:1: undeclared reference to '${name}'`),
      );
    for (const expression of [
      'request.name.reverse() == "x"',
      '[1].flatten() == [1]',
      '["a"].sum() == "a"',
      '[[1]].isSorted()',
      '[object].sort() == [1, "a"]',
    ])
      expect(refused(expression), expression).to.be.a('string');
  });

  it('offers bindings to selectors of devices alone', () => {
    expect(refusedSelector('cel.bind(d, device.attributes["a.b"], d.c > 1)')).to.equal(null);
  });

  it('names types of whole expressions as programs do, and within messages as the language does', () => {
    expect(refused("duration('1s')")).to.equal('must evaluate to bool but got google.protobuf.Duration');
    expect(refused("[timestamp('2020-01-01T00:00:00Z')]")).to.equal('must evaluate to bool but got list(google.protobuf.Timestamp)');
    expect(refused("duration('1s').sign()")).to.contain("found no matching overload for 'sign' applied to 'duration.()'");
  });

  it('knows the sign of a quantity as a function alone', () => {
    expect(refused("quantity('1').sign() == 1")).to.contain("found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'");
  });

  it('marks programs that cannot be made, which the reference takes for errors of its own', () => {
    const scope: AdmissionScope = { params: false, authorizer: false, patches: false, variables: null };
    expect(checkAdmission('int("abc")', scope, null).internal).to.equal(true);
    expect(checkAdmission('int(', scope, null).internal).to.equal(false);
  });

  it('refuses conversions of constants that fail', () => {
    for (const [expression, type] of [
      ['int("abc") == 1', 'int'],
      ['object.a == 1 || bool("yes")', 'bool'],
      ['double(string("x")) < 1.0', 'double'],
    ] as const)
      expect(refused(expression)).to.equal(`program instantiation failed: type conversion error from 'string' to '${type}'`);
    expect(refused('string(null) == ""')).to.equal('program instantiation failed: no such overload: string(null_type)');
    expect(refused('string(dyn({"a": [1]})) == ""')).to.equal('program instantiation failed: no such overload: string(map)');
    expect(refused('int(dyn([1, int("2")])) == 1')).to.equal('program instantiation failed: no such overload: int(list)');
    expect(refused(String.raw`string(b'\xff').findAll(string(null)).size() == 1`)).to.equal(
      'program instantiation failed: invalid UTF-8 in bytes, cannot convert to string',
    );
    expect(refused('object.a[null] == 1')).to.equal('program instantiation failed: invalid qualifier type: types.Null');
    expect(refused('object.a[?[1]].hasValue()')).to.equal('program instantiation failed: invalid qualifier type: *types.baseList');
    expect(refused('object.a[b"x"] == object.a[object.b]')).to.equal('program instantiation failed: invalid qualifier type: types.Bytes');
    expect(refused('string(dyn([object.a])) == "" || size([?optional.of(1)]) == 1')).to.equal(null);
    expect(refused('int(uint("12")) == int(-1.5) && int(object.a) == 1')).to.equal(null);
  });

  it('knows what a place has', () => {
    const bare: AdmissionScope = { params: false, authorizer: false, patches: false, variables: null };
    for (const name of ['params.a == 1', 'authorizer.path("/").check("get").allowed()', 'variables.n == 1', 'Object{} == object'])
      expect(refused(name, ['bool'], bare), name).to.match(/undeclared reference/);
    expect(refused('object.a == oldObject.a', ['bool'], bare)).to.equal(null);
  });

  it('bounds how high a tree may be, whatever it is made of', () => {
    for (const expression of [
      `object${'.a'.repeat(5_000)} == 1`,
      `1${' + 1'.repeat(5_000)} == 1`,
      `${'('.repeat(200)}object${`${'.a'.repeat(100)})`.repeat(200)} == 1`,
      `object${'[0]'.repeat(5_000)} == 1`,
      `${'object.a(1,'.repeat(200)}1${')'.repeat(200)}`,
      `${'!'.repeat(50_000)}true.a`,
      '['.repeat(50_000),
      '{'.repeat(50_000),
    ]) {
      expect(refused(expression), expression.slice(0, 20)).to.be.a('string');
    }
    expect(refused(`object${'.a'.repeat(500)} == 1`)).to.equal(null);
  });
  it('looks at the longest expression in reasonable steps', () => {
    expect(
      refused(
        Array.from({ length: 6_000 }, (_, position) => `object.a == ${position}`)
          .join(' || ')
          .slice(0, 99_000)
          .replace(/ \|\|[^|]*$/, ''),
      ),
    ).to.equal(null);
  });
});
