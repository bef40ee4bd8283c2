import { expect } from 'chai';
import type { JsonValue } from '../../../api/object.js';
import { plainView, toJson } from '../../../cel/eval/json.js';
import { compileProgram } from '../../../cel/eval/program.js';
import { Failure, typeNameOf } from '../../../cel/eval/values.js';

const object: JsonValue = {
  metadata: { name: 't', labels: { app: 'web' } },
  spec: {
    n: 3,
    f: 1.5,
    s: 'abc',
    list: [1, 2, 3],
    map: { a: 'x', b: 'y' },
    nothing: null,
    big: 9007199254740993n,
    items: [
      { k: 'a', v: 1 },
      { k: 'b', v: 2 },
    ],
  },
};

/** The result of an expression; failures begin with `!`, and non-JSON values appear as their type. */
function run(expression: string): unknown {
  const { value } = compileProgram(expression, new Set(['object', 'oldObject'])).evaluate((name) =>
    name === 'object' ? plainView(object) : name === 'oldObject' ? null : undefined,
  );
  if (value instanceof Failure) return `!${value.message}`;
  try {
    return toJson(value);
  } catch {
    return typeNameOf(value);
  }
}

/** One expression and its exact result a line. */
const rows = (text: string): [string, unknown][] =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [expression = '', result = ''] = line.trim().split(/\s=>\s/);
      return [expression, result.startsWith('!') ? result : JSON.parse(result)];
    });

const tables: Readonly<Record<string, string>> = {
  arithmetic: String.raw`
    1 + 2 * 3 - 4 / 3 => 6
    7 % -3 => 1
    -7 / 2 => -3
    9223372036854775807 + 1 => !integer overflow
    -9223372036854775808 - 1 => !integer overflow
    -(-9223372036854775808) => !integer overflow
    9223372036854775807 * 2 => !integer overflow
    -9223372036854775808 / -1 => !integer overflow
    18446744073709551615u + 1u => !unsigned integer overflow
    1u - 2u => !unsigned integer overflow
    1 / 0 => !division by zero
    1 % 0 => !modulus by zero
    1.0 / 0.0 > 1e308 => true
    1.5 + 1.5 => 3
    dyn(1) + 1.0 => !no such overload
    0x10 + 1 => 17
    int(3.9) + int("-4") => -1
    int(1e19) => !integer overflow
    uint(-1) => !unsigned integer overflow
    int("x") => !type conversion error from 'string' to 'int'
    double("1e3") == 1000 => true
    string(1000000.0) + string(0.5) + string(100.0) => "1e+060.5100"
    bool("yes") => !type conversion error from 'string' to 'bool'
    object.spec.big - 1 > 9007199254740991 => true`,
  comparison: String.raw`
    1 == 1.0 && 1u == 1 && dyn(1) != "1" => true
    1 < 1.5 && 2u > 1 && 1.0 <= 1 => true
    9007199254740993 == 9007199254740992.0 => true
    9223372036854775807 < 9223372036854775808.0 => false
    9223372036854775807 >= 9223372036854775808.0 => true
    9223372036854775807 < 9223372036854775809u => true
    18446744073709551615u >= 18446744073709551616.0 => true
    double("NaN") < 1 => !NaN values cannot be ordered
    double("NaN") == double("NaN") => false
    !!true && --1 == 1 && ---1 == -1 && !(!!!true) => true
    [1, 2] == [1.0, 2.0] && [1] != [1, 1] => true
    {"a": [1]} == {"a": [1.0]} && {"a": 1} != {"b": 1} => true
    "a" < "b" && "\uffff" < "\U0001f600" => true
    b"a" < b"b" && bytes("é") == b"\xc3\xa9" => true
    null == null && object.spec.nothing == null => true
    type(1) == int && type([]) == list && type(null) == null_type => true
    1 in [1.0] && "a" in object.spec.map && !("z" in object.spec.map) => true
    dyn("a") < 1 => !no such overload`,
  members: String.raw`
    object.spec.n => 3
    object.spec.absent => !no such key: absent
    object.spec["s"] => "abc"
    object.spec.list[3] => !index out of bounds: 3
    object.spec.list[-1] => !index out of bounds: -1
    object.spec.map["z"] => !no such key: z
    has(object.spec.nothing) && !has(object.spec.absent) => true
    has(object.absent.x) => !no such key: absent
    object.spec.n.x => !no such key: x
    oldObject.metadata => !no such key: metadata
    oldObject == null => true
    object.constructor => !no such key: constructor
    object["__proto__"] => !no such key: __proto__
    has(object.toString) || "hasOwnProperty" in object.spec.map => false
    object.spec.?absent.?x.orValue("none") => "none"
    object.spec[?"s"].orValue("") + object.?spec.?s.value() => "abcabc"
    object.spec.list[?7].hasValue() => false
    optional.none().value() => !optional.none() dereference
    optional.ofNonZeroValue("").or(optional.of("b")).value() => "b"
    object.?spec.optMap(s, s.n + 1).orValue(0) => 4
    [1, ?object.spec.?absent, ?optional.of(3)] => [1, 3]
    has({"a": optional.none()}.a) && !{"a": optional.none()}.?a.value().hasValue() => true
    {"a": optional.of({"b": 1})}.?a.?b.hasValue() => false
    {"a": 1, ?"b": object.spec.?absent} => {"a": 1}
    {"a": 1, "a": 2} => {"a": 2}
    "%s".format([{[1]: 1}]) => !error during formatting: no formatting function for map key of type list
    "%s".format([[{null: 1}]]) => !error during formatting: no formatting function for map key of type null_type
    ip("%eth") => !IP Address "%eth" parse error during conversion from string: ParseAddr("%eth"): missing IPv6 address
    ip("0001-01-01T00:00:00Z") => !IP Address "0001-01-01T00:00:00Z" parse error during conversion from string: ParseAddr("0001-01-01T00:00:00Z"): unexpected character, want colon (at "-01-01T00:00:00Z")
    ip("1:2:") => !IP Address "1:2:" parse error during conversion from string: ParseAddr("1:2:"): colon must be followed by more characters (at ":")
    ip("1:::2") => !IP Address "1:::2" parse error during conversion from string: ParseAddr("1:::2"): each colon-separated field must have at least one digit (at ":2")
    ip("12345x:1") => !IP Address "12345x:1" parse error during conversion from string: ParseAddr("12345x:1"): each group must have 4 or less digits (at "12345x:1")
    ip("1::xyz:a") => !IP Address "1::xyz:a" parse error during conversion from string: ParseAddr("1::xyz:a"): each colon-separated field must have at least one digit (at "xyz:a")
    {"a": object.spec.n, ?"a": optional.none()}.size() => 0
    {[1]: 1, [2]: 2, null: 3, duration("1s"): 4}.size() => 4
    {"a": 1, "b": 2}.transformMapEntry(k, v, {"x": v}) => !insert failed: key x already exists
    dyn(object.spec.n).orValue(1) => 3
    dyn(object.spec.n).or(optional.of(1)) => 3
    dyn([1])[1.5] => !unsupported index value 1.5 in list
    dyn([1])[true] => !unsupported index type 'bool' in list
    optional.unwrap(dyn([1])) => !no such overload: optional.unwrap(list)
    dyn(ip("::1")).all(x, true) => !got 'cel.IP', expected iterable type
    dyn(1).find('a') => !no such overload
    dyn(1).find(object.spec.s) => !no such overload: find(int, string)`,
  'what settles the matter': String.raw`
    true || object.spec.absent => true
    object.spec.absent || true => true
    false && object.spec.absent => false
    object.spec.absent && false => false
    object.spec.absent == 1 || false => !no such key: absent
    1 / 0 > 1 || object.spec.absent => !division by zero
    true ? 1 : 1 / 0 => 1
    [1, 2].exists(x, x / (x - 1) > 0 || x == 1) => true
    [0, 1].all(x, 1 / x > 5) => false
    [0, 1].all(x, 1 / x > 0) => !division by zero`,
  walks: String.raw`
    object.spec.list.map(x, x * 2) => [2, 4, 6]
    object.spec.list.filter(x, x > 1).size() => 2
    object.spec.list.map(x, x > 1, x + 10) => [12, 13]
    object.spec.items.exists_one(i, i.k == "a") => true
    object.spec.map.all(k, k in ["a", "b"]) => true
    object.spec.list.all(i, x, x == i + 1) => true
    object.spec.map.exists(k, v, k == "b" && v == "y") => true
    object.spec.list.transformList(i, x, i > 0, i * x) => [2, 6]
    object.spec.map.transformMap(k, v, k + v) => {"a": "ax", "b": "by"}
    object.spec.items.transformMapEntry(i, x, {x.k: x.v}) => {"a": 1, "b": 2}
    cel.bind(x, object.spec.n, x * x) => 9
    cel.bind(x, 1 / 0, true) => true
    [[1, 2], [3]].all(l, l.all(x, x > 0)) => true
    object.spec.n.all(x, x) => !got 'types.Int', expected iterable type
    dyn('abc').map(x, x) => !got 'types.String', expected iterable type`,
  'calls that no implementation takes': String.raw`
    dyn(null) + 1 => !no such overload: _+_
    dyn(true) + true => !no such overload: _+_
    dyn({}) + {} => !no such overload: _+_
    dyn('a') - 1 => !no such overload
    dyn(true) - 1 => !no such overload: _-_
    dyn([]) * 2 => !no such overload: _*_
    dyn(1.5) % 2 => !no such overload: _%_
    dyn([]) < [] => !no such overload: _<_
    dyn(true) < 1 => !no such overload
    -dyn('a') => !no such overload
    -dyn(1u) => !no such overload: -_
    -dyn(true) => !no such overload
    !dyn(1) => !no such overload
    dyn(1) in dyn(2) => !no such overload
    size(dyn(1)) => !no such overload: size
    dyn(duration('1s')).size() => !no such overload
    dyn(1).matches('a') => !no such overload
    dyn(1).matches(object.spec.s) => !no such overload: matches
    int(dyn([1])) => !no such overload: int(list)
    string(dyn(null)) => !no such overload: string(null_type)
    duration(dyn(true)) => !no such overload: duration(bool)
    dyn(1).startsWith('a') => !no such overload: startsWith(int, string)
    dyn('a').getHours('UTC') => !no such overload: getHours(string, string)
    dyn({'a': 1}).indexOf('a') => !no such overload: indexOf(map, string)
    dyn('a').substring(1u) => !no such overload: substring(string, uint)
    dyn(timestamp(0)).isGreaterThan(quantity('1')) => !no such overload: isGreaterThan(google.protobuf.Timestamp, kubernetes.Quantity)
    sets.contains(dyn(1), [1]) => !no such overload: sets.contains(int, list)
    dyn('a').flatten() => !no such overload: string.flatten()
    dyn([true]).sum() => !no such overload: sum(list)
    dyn([1, 'a']).sum() => !no such overload
    dyn([[1]]).max() => !no such overload: max(list)`,
  texts: String.raw`
    "a,b,c".split(",", 2) => ["a", "b,c"]
    "aab".replace("a", "b", 1) + "ab".replace("", "-") => "bab-a-b-"
    "abc".substring(1, 2) + "abc".charAt(2) + "abc".charAt(3) => "bc"
    "a".substring(1, 3) => !index out of range: 3
    "abc".substring(2, 1) => !invalid substring range. start: 2, end: 1
    "abc".charAt(4) => !index out of range: 4
    "abcabc".indexOf("c", 3) == 5 && "abcabc".lastIndexOf("a") == 3 && "a".indexOf("") == 0 => true
    "😀a".size() == 2 && "😀a".charAt(1) == "a" && "😀a".indexOf("a") == 1 && "😀a".substring(1) == "a" => true
    " \t x ".trim() + "AbÄ".lowerAscii() + "ab".reverse() => "xabÄba"
    ["a", "b"].join("-") + [].join(",") => "a-b"
    "%s %d %.2f %x %X %o %b %e %%".format(["s", 7, 1.005, 255, "z", 8, 5, 1052.033]) => "s 7 1.00 ff 7A 10 101 1.052033×10⁰³ %"
    "%s".format([{"b": [1, 2.5, null], "a": duration("90s")}]) => "{\"a\":duration(\"90s\"), \"b\":[1, 2.500000, null]}"
    "%s".format([["a\"\n\u200b", b"xyz", timestamp("2023-02-03T23:31:20Z"), double("NaN"), double("-Inf")]]) => "[\"a\\\"\\n\\u200b\", b\"xyz\", timestamp(\"2023-02-03T23:31:20Z\"), \"NaN\", \"-Inf\"]"
    "%s".format([{1: "value1", uint(2): "value2", true: double("NaN")}]) => "{1:\"value1\", 2:\"value2\", true:\"NaN\"}"
    "%s %s %s".format([double("Inf"), 0.000000002, type("")]) => "+Inf 2e-09 string"
    "%s".format([[0.000000002]]) => "[0.000000]"
    "%s".format([optional.of(1)]) => !error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given optional_type
    "%f %f %f".format(["NaN", "Infinity", double("-Inf")]) => "NaN ∞ -∞"
    "%.3f %.0f %.0f %f %.1f".format([1.2345, 2.5, 3.5, 1234567.5, -1234.25]) => "1.234 2 4 1,234,567.500000 -1,234.2"
    "%.1f %f".format([1e23, 0.1]) => "99,999,999,999,999,991,611,392.0 0.100000"
    "%e %.0e %.1e".format([0.00271828, 25.0, 1e23]) => "2.718280×10⁻⁰³ 2.500000×10⁰¹ 1.0×10²³"
    string(timestamp("2020-02-29T23:59:59.5+01:00") + duration("1s")) => "2020-03-01T00:00:00.5+01:00"
    "%s".format([timestamp("2020-02-29T23:59:59-00:30")]) + string(timestamp("2020-01-01T00:00:00+00:00")) => "2020-02-29T23:59:59-00:302020-01-01T00:00:00Z"
    string([duration("-1ns"), duration("1000000h")].sum()) + string(duration("-1ns")) => "3600000000s-0.000000001s"
    optional.of(1).orValue(1 / 0) + optional.of(2).or(optional.of(1 / 0)).value() => 3
    optional.none().orValue(1 / 0) => !division by zero
    optional.ofNonZeroValue(timestamp("0001-01-01T00:00:00Z")).hasValue() => false
    dyn(ip("1.2.3.4")) == dyn("1.2.3.4") => !no such overload
    dyn("1.2.3.4") == dyn(ip("1.2.3.4")) || dyn(ip("1.2.3.4")) == null => false
    cidr("10.0.0.0/8").containsIP("x") => !no such overload
    duration(dyn(1)) == duration("1s") => !type conversion error from 'int' to 'google.protobuf.Duration'
    "%f".format([1]) => !error during formatting: fixed-point clause can only be used on doubles, was given int
    "%d".format([double("Inf")]) => !error during formatting: decimal clause can only be used on integers, was given double
    "%".format([1]) => !unexpected end of string
    "\ufeffa\u200b\u180e\u0085\u00a0\u2003".trim() == "\ufeffa\u200b\u180e" => true
    "%.".format([1]) => !could not parse formatting clause: error while parsing precision: could not find end of precision specifier
    "%.f".format([1.0]) => !could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax
    "%d".format(["x"]) => !error during formatting: decimal clause can only be used on integers, was given string
    "%y".format([1]) => !could not parse formatting clause: unrecognized formatting clause "y"
    "%s".format([]) => !index 0 out of range
    strings.quote("a\"\n") => "\"a\\\"\\n\""
    base64.encode(b"hi") + string(base64.decode("aGk=")) => "aGk=hi"
    jsonpatch.escapeKey("a/b~c") => "a~1b~0c"
    '''a"b''' + r"\d" + "\u00e9\x41\101" => "a\"b\\déAA"`,
  patterns: String.raw`
    "abc".matches("^a.c$") && !"abc".matches("^b") && "x".matches("(?i)X") => true
    "a\nb".matches("a$") => false
    "k12".matches("^k[0-9]{2}\\z") => true
    "x42y".find("[0-9]+") + "x".find("[0-9]") => "42"
    "1a22b".findAll("[0-9]+") => ["1", "22"]
    "1a2b3".findAll("[0-9]", 2) => ["1", "2"]
    "abc".findAll("x*") => ["", "", "", ""]
    "a".matches("(") => !error parsing regexp: missing closing ): ${'`(`'}
    "a".matches("a(?=b)") => !error parsing regexp: invalid or unsupported Perl syntax: ${'`(?=`'}`,
  'lists and sets': String.raw`
    [1, 2, 2].isSorted() && ![2, 1].isSorted() && [].isSorted() => true
    [1, 2, 3].sum() + [].sum() => 6
    ["b", "a"].min() + ["b", "a"].max() => "ab"
    [].max() => !max called on empty list
    ["a", "x", "x"].indexOf("x") == 1 && ["a", "x", "x"].lastIndexOf("x") == 2 => true
    [[1], [2, [3]]].flatten() => [1, 2, [3]]
    dyn(['b', 1]).sort() => !list elements must have the same type
    dyn([[1]]).sort() => !list elements must be comparable
    dyn([null, 1]).sort() => !list elements must be comparable
    dyn('a').sort() => !no such overload
    dyn(1).sort() => !no such overload: sort
    [double('NaN'), double('NaN')].sort().size() => 2
    ['a', 'b'].sortBy(x, x == 'a' ? dyn(1) : dyn('b')) => !list elements must have the same type
    ['a'].sortBy(x, dyn(null)) => !list elements must be comparable
    [3, 1, 3].distinct() + [3, 1, 2].sort() + [1, 2].reverse() => [3, 1, 1, 2, 3, 2, 1]
    [1, 2, 3, 4].slice(1, 3) => [2, 3]
    lists.range(3) => [0, 1, 2]
    [1, 2].first().value() + [].last().orValue(5) => 6
    sets.contains([1, 2, 3], [2.0]) && sets.intersects([1], [1, 2]) && !sets.equivalent([1], [1, 2]) && sets.equivalent([1, 1, 2], [2, 1]) => true`,
  quantities: String.raw`
    quantity("1.5Gi").isGreaterThan(quantity("1500Mi")) && quantity("1k").compareTo(quantity("1000")) == 0 => true
    quantity("500m").add(quantity("1")).sub(1).asApproximateFloat() => 0.5
    quantity("2k").asInteger() => 2000
    quantity("0.3").asApproximateFloat() == 0.3 || quantity("0.3").asApproximateFloat() != 0.30000000000000004 => false
    quantity("700m").asApproximateFloat() == 700.0 * 0.001 => true
    quantity("12345678901234567890123").asApproximateFloat() == 12345678901234567890123.0 => true
    quantity("123456789012345678901.5").asApproximateFloat() == 1234567890123456789015.0 * 0.1 => true
    quantity("1e40").asApproximateFloat() == 1e40 && quantity("1e400").asApproximateFloat() > 1e308 => true
    quantity("1.0").isInteger() || quantity("1000m").isInteger() || quantity("0m").isInteger() => false
    quantity("1e18").isInteger() && quantity("1Ti").isInteger() && quantity("0").isInteger() && quantity("0k").isInteger() => true
    quantity("1e19").isInteger() || quantity("1000000000000000000").isInteger() || quantity("1.0Ki").isInteger() || quantity("1Ei").isInteger() => false
    quantity("5").add(quantity("0.0")).isInteger() && quantity("0.0").sub(5).isInteger() => true
    quantity("500m").add(quantity("500m")).isInteger() || quantity("9e18").add(quantity("9e18")).isInteger() => false
    quantity("9e18").add(quantity("9e18")) == quantity("18e18") => true
    quantity("1.5").asInteger() => !cannot convert value to integer
    sign(quantity("-1")) + (quantity("1").isInteger() ? 1 : 0) => 0
    quantity("1") == quantity("1000m") => true
    isQuantity("two") || isQuantity(" 1") || isQuantity("") => false
    quantity("two") => !quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
  addresses: String.raw`
    ip("10.0.0.1").family() + ip("::1").family() => 10
    string(ip("2001:DB8:0:0:1::1")) => "2001:db8::1:0:0:1"
    ip.isCanonical("::1") && !ip.isCanonical("0:0::1") => true
    ip("127.0.0.2").isLoopback() && ip("fe80::1").isLinkLocalUnicast() && ip("0.0.0.0").isUnspecified() && ip("8.8.8.8").isGlobalUnicast() && ip("224.0.0.1").isLinkLocalMulticast() => true
    isIP("1.2.3") || isIP("01.2.3.4") || isIP("1.2.3.256") || isIP("::ffff:1.2.3.4") || isIP("fe80::1%eth0") || isIP("1::2::3") || isIP("12345::") => false
    cidr("10.1.2.3/8").masked() == cidr("10.0.0.0/8") && string(cidr("10.1.2.3/8").ip()) == "10.1.2.3" => true
    cidr("10.0.0.0/8").containsIP("10.255.0.1") && !cidr("10.0.0.0/8").containsIP(ip("11.0.0.1")) && cidr("::/0").containsCIDR("2001:db8::/32") => true
    cidr("10.0.0.0/8").containsCIDR("10.0.0.0/7") || isCIDR("10.0.0.0/33") || isCIDR("10.0.0.0") => false
    cidr("bad") => !network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("bad"): no '/'`,
  URLs: String.raw`
    url("https://u:p@example.com:8443/a b?q=1&q=2#f").getHost() => "example.com:8443"
    url("https://[::1]:80/x").getHostname() + url("https://[::1]:80/x").getPort() => "::180"
    url("/a b/c").getEscapedPath() + url("HTTP://x").getScheme() => "/a%20b/chttp"
    url("https://x/?a=1&b=2&a=%20+").getQuery() => {"a": ["1", "  "], "b": ["2"]}
    isURL("x y") || isURL("") || isURL("http://a:b/") || isURL("http://[::1") || isURL("/%zz") => false
    url("nourl") => !URL parse error during conversion from string: parse "nourl": invalid URI for request`,
  'versions and formats': String.raw`
    semver("1.10.0").isGreaterThan(semver("1.9.0")) && semver("1.0.0-alpha.1").isLessThan(semver("1.0.0-alpha.beta")) && semver("1.0.0-rc").compareTo(semver("1.0.0")) == -1 => true
    semver("v1.02", true).minor() + semver("3.2.1").major() + semver("3.2.1").patch() => 6
    isSemver("1.0") || isSemver("01.0.0") || isSemver("v1.0.0") || isSemver("1.0.0-01") => false
    format.dns1123Label().validate("ok-name").hasValue() => false
    format.dns1123Label().validate("Not_Ok").value()[0].startsWith("a lowercase RFC 1123 label") => true
    format.named("uuid").value().validate("6ba7b810-9dad-11d1-80b4-00c04fd430c8").hasValue() || format.named("none").hasValue() => false
    format.date().validate("2024-02-30").value() + format.datetime().validate("x").value() + format.byte().validate("a").value() => ["invalid date", "invalid datetime", "invalid base64"]`,
  times: String.raw`
    timestamp("2024-05-06T07:08:09.5+02:00").getHours() + timestamp("2024-05-06T07:08:09.5Z").getMilliseconds() => 505
    timestamp("2024-01-01T00:00:00Z").getHours("America/New_York") + timestamp("2024-01-01T00:00:00Z").getHours("+02:00") => 21
    timestamp("2024-03-01T00:00:00Z").getDayOfYear() + timestamp("2024-03-01T00:00:00Z").getDayOfWeek() + timestamp("2024-03-01T00:00:00Z").getMonth() => 67
    timestamp("2024-03-01T00:00:00Z").getDate() + timestamp("2024-03-01T00:00:00Z").getDayOfMonth() => 1
    string(timestamp("2024-02-28T23:00:00Z") + duration("2h")) => "2024-02-29T01:00:00Z"
    string(timestamp("2024-01-02T00:00:00Z") - timestamp("2024-01-01T00:00:00Z")) => "86400s"
    duration("1h30m").getMinutes() + duration("-1.5s").getMilliseconds() => -1410
    timestamp(0) == timestamp("1970-01-01T00:00:00Z") && int(timestamp("1970-01-01T00:01:00Z")) == 60 => true
    timestamp("9999-12-31T23:59:59Z") + duration("1s") => !timestamp overflow
    timestamp("2024-13-01T00:00:00Z") => !type conversion error from 'string' to 'google.protobuf.Timestamp'
    duration("1x") => !type conversion error from 'string' to 'google.protobuf.Duration'
    timestamp("2024-01-01T00:00:00Z").getMinutes("-1:30") + timestamp("2024-01-01T00:00:00Z").getHours("-1:30") => 52
    timestamp("2024-01-01T00:00:00Z").getHours("2:00") + timestamp("2024-01-01T00:00:00Z").getDayOfYear("-00:30") => 366
    timestamp("2024-01-01T00:00:00Z").getHours("+0200") => !unknown time zone +0200
    timestamp("2024-01-01T00:00:00Z").getHours("Nowhere/X") => !unknown time zone Nowhere/X`,
};

describe('evaluation of expressions', () => {
  for (const [name, table] of Object.entries(tables)) {
    it(`knows ${name}`, () => {
      for (const [expression, result] of rows(table)) expect(run(expression), expression).to.deep.equal(result);
    });
  }

  it('knows the names of types that JSON cannot say', () => {
    expect([run('timestamp("2024-01-01T00:00:00Z")'), run('type(ip("::1"))'), run('optional.of(1)')]).to.deep.equal([
      'google.protobuf.Timestamp',
      'type',
      'optional_type',
    ]);
  });
});
