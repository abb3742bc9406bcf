// cspell:disable: most of what ids consist of is no word.
import { describe, expect, test } from 'vitest'
import { parameterize, parameterizedUnitsMax, parameterizeUncached } from './parameterize.ts'

type Row = readonly [raw: string, want: string]

// biome-ignore format: the columns are the point
const replaced: readonly Row[] = [
  ['mail to ann.lee+x@mail.example.org bounced', 'mail to <email> bounced'],
  ['GET https://a.example/b?c=1 failed', 'GET <url> failed'],
  ["could not open 's3://bucket/key-1'", "could not open '<url>'"],
  ['see api.example.com/v1/orders?x=1', 'see <url>'],
  ['lookup api.example.com: no such host', 'lookup <hostname>: no such host'],
  ['trace 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'trace <traceparent>'],
  ['trace 1-5759e988-bd862e3fe1be46a994272793', 'trace <traceparent>'],
  ['host 00:1b:44:11:3a:b7', 'host <mac>'],
  ['segfault at 0xDEADBEEF', 'segfault at <hex>'],
  ['ratio -1.5e10 of +2.25', 'ratio <number> of <number>'],
  ['order 17 and 12345678901234567890', 'order <number> and <number>'],
  ['is -5 but a-5', 'is <number> but a-<number>'],
  ['worker_12 and worker12', 'worker_<number> and worker12'],
  ['1,234,567 rows and 12.50 left', '<number> rows and <number> left'],
  ['retry 3rd time, image 1080x1920 of 12px', 'retry <number> time, image <number> of <number>'],
  ['ids 1, 2, 3 are gone', 'ids <number> are gone'],
  ['ids [4] are gone', 'ids [<number>] are gone'],
  ['ids [4, 5,6] are gone', 'ids [<number>] are gone'],
  ['name="Ann" ok=true kept "Ann" true', 'name=<quoted_str> ok=<bool> kept "Ann" true'],
  ['512 bytes of 1.5 GiB, then 10KB and 3 MB', '<size> of <size>, then <size> and <size>'],
  ['client v1.2.3 and 10.11.0-beta.2 differ', 'client <version> and <version> differ'],
  ['bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sflKxwRJSMeKKF2QT4fw', 'bearer <token>'],
  // Addresses
  ['from 10.0.0.12:8080', 'from <ip>:<number>'],
  ['from fe80::1ff:fe23:4567:890a', 'from <ip>'],
  ['from fe80::1ff:fe23:4567:890a%eth0', 'from <ip>'],
  ['from [::1]', 'from [<ip>]'],
  ['peer ::ffff:10.0.0.1 reset', 'peer <ip> reset'],
  ['peer ::FFFF:192.168.1.20:443 reset', 'peer <ip>:<number> reset'],
  ['peer 0:0:0:0:0:ffff:10.0.0.1', 'peer <ip>'],
  ['subnet 10.1.0.0/16', 'subnet <ip>/<number>'],
  ['ip-10-0-0-1 is down', 'ip-<number>-<number>-<number>-<number> is down'],
  // Ids
  ['order 8f14e45f-ceea-467f-a0e6-0123456789ab failed', 'order <uuid> failed'],
  ['order {8F14E45F-CEEA-467F-A0E6-0123456789AB} failed', 'order {<uuid>} failed'],
  ['commit da39a3ee5e6b4b0d3255bfef95601890afd80709', 'commit <sha1>'],
  ['etag d41d8cd98f00b204e9800998ecf8427e', 'etag <md5>'],
  ['txn tx0123456789abcdef01234-0123456789', 'txn <swift_txn_id>'],
  ['blob 4f3c2a1b99 is gone', 'blob <hex> is gone'],
  ['document 507f1f77bcf86cd799439011', 'document <hex>'],
  ['version 4f3c2a1', 'version <hex>'],
  ['request a1b2c3 failed', 'request <hex> failed'],
  ['node 3f9a lost', 'node <hex> lost'],
  ['color #ff00a1', 'color #<hex>'],
  ['instance i-0abcd1234ef567890', 'instance i-<hex>'],
  ['java.lang.Object@1b2c3d and Foo@7', 'java.lang.Object@<hex> and Foo@<number>'],
  ['key AbC1dEf2GhI3jKl4MnO5pQ', 'key <id>'],
  ['event 01ARZ3NDEKTSV4RRFFQ69G5FAV lost', 'event <id> lost'],
  ['event 01hzy2v9j8k7m6n5p4q3r2s1t0 lost', 'event <id> lost'],
  ['cuid cjld2cjxh0000qzrmn831i7rn', 'cuid <id>'],
  ['no payment pi_3NxYzA2eZvKYlo2C1abcDEFg', 'no payment pi_<id>'],
  ['no customer cus_9s6XKzkNRiz8i3', 'no customer cus_<id>'],
  ['bad session cs_test_a1B2c3D4e5F6g7H8', 'bad session cs_test_<id>'],
  ['request req_8KmN2pQr5sTv', 'request req_<id>'],
  ['user user_2NNEqL2nrIRdJ194ndJqAHwEfxC', 'user user_<id>'],
  ['account acct_1032D82eZvKYlo2C', 'account acct_<id>'],
  ['order 01HZX3K9Q2W7E8R5T6Y1U4I0PA is late', 'order <id> is late'],
  ['room V1StGXR8_Z5jdHi6B-myT is full', 'room <id> is full'],
  ['no text to +49 170 1234567', 'no text to <phone>'],
  ['no text to +1 (555) 123-4567', 'no text to <phone>'],
  // Kubernetes
  ['pod api-7d4b9c6f5d-x2k9q evicted', 'pod api-<pod> evicted'],
  ['pod nginx-deployment-66b6c48dd5-7djbt', 'pod nginx-deployment-<pod>'],
  ['pod web-2035384211-kk5xp', 'pod web-<pod>'],
  ['pod backup-28471234-x2k9q', 'pod backup-<pod>'],
  ['pod fluentd-x7k2p', 'pod fluentd-<pod>'],
  ['pod kube-proxy-bnd4h', 'pod kube-proxy-<pod>'],
  ['node gke-prod-pool-1-9f86d081-x2k9 lost', 'node gke-prod-pool-<number>-<pod> lost'],
  ['order ab-12345678-1234 lost', 'order ab-<number>-<number> lost'],
  ['build ab-9f86d081-beta lost', 'build ab-<hex>-beta lost'],
  ['denied arn:aws:sqs:eu-west-1:123456789012:a', 'denied arn:aws:sqs:<region>:<number>:a'],
  ['arn:aws-us-gov:sns:us-gov-west-1:1:b', 'arn:aws-us-gov:sns:<region>:<number>:b'],
  ['arn:aws:s3:::bucket in eu-west-1', 'arn:aws:s3:::bucket in eu-west-<number>'],
  ['pod postgres-0', 'pod postgres-<number>'],
  // Paths
  ["ENOENT: no such file or directory, open '/tmp/upload-a/cat.png'", "ENOENT: no such file or directory, open '<path>'"],
  ["ENOENT: no such file or directory, open 'cat.png'", "ENOENT: no such file or directory, open '<path>'"],
  ["[Errno 2] No such file or directory: 'a.txt'", "[Errno 2] No such file or directory: '<path>'"],
  ['open /var/lib/app/uploads/a b.png', 'open <path> b.png'],
  ["read '/Users/ann/My Files/x.txt' failed", "read '<path>' failed"],
  ['cannot write /home/ann/.cache/x', 'cannot write <path>'],
  ['cannot write ~/notes/x.txt.', 'cannot write <path>.'],
  ['cannot read C:\\Users\\Ann Lee\\AppData\\x.dat now', 'cannot read <path> now'],
  ['cannot read \\\\files\\share\\x.dat', 'cannot read <path>'],
  ['failed in /var/www/releases/20240501/app/Foo.php:12', 'failed in <path>/Foo.php:<number>'],
  ['failed in C:\\app\\src\\Foo.cs:12', 'failed in <path>\\Foo.cs:<number>'],
  ['The specified key does not exist: users/123/avatar.png', 'The specified key does not exist: <path>'],
  ['no such key uploads/2024/05/12/ab12cd.pdf', 'no such key <path>'],
  ['no such key exports/ann.csv', 'no such key <path>'],
  ['GET /api/orders/123/items failed', 'GET /api/orders/<number>/items failed'],
  ['GET /search?q=shoes&page=2 failed', 'GET /search?<query> failed'],
  ['cannot open ./uploads/12/a.txt', 'cannot open <path>'],
  ['bad query ?id=1&name=Ada', 'bad query ?<query>'],
  ['event 0ujtsYcgvSTl8PAuAdqWYSMnLOv is lost', 'event <id> is lost'],
  // JSON
  ['Request failed: {"id":12,"name":"Ann"}', 'Request failed: <json>'],
  ['Request failed: {"name": "Bob", "tags": ["}"]} after 3', 'Request failed: <json> after <number>'],
  ['Request failed: {"error":"invalid_grant","id":"x"}', 'Request failed: <json error=invalid_grant>'],
  ['Request failed: {"id": 5, "status": 404, "code": "not_found"}', 'Request failed: <json code=not_found status=404>'],
  ['Got [{"id": 1}, {"id": 2}]', 'Got <json>'],
  ['Got [ {"id": 1} ]', 'Got <json>'],
  ["bad row {'id': 12, 'name': 'Ann'}", 'bad row <json>'],
  ['body {\\"id\\":12,\\"name\\":\\"Ann\\"} end', 'body <json> end'],
  ['cut {"id":12,"name":"An', 'cut <json>'],
  ['{"level":"error","msg":"db down","ts":123}', '<json> db down'],
  // SQL
  ["SELECT * FROM users WHERE name = 'Ann' AND age > 30", 'SELECT * FROM users WHERE name = <quoted_str> AND age > <number>'],
  ["select a from t where b in (1, 2, 3)", 'select a from t where b in (<list>)'],
  ["select a from t where b in ('it''s', ')')", 'select a from t where b in (<list>)'],
  ["INSERT INTO t (a, b) VALUES (1, 'x'), (2, 'y')", 'INSERT INTO t (a, b) VALUES (<list>)'],
  ["UPDATE users SET name = 'it''s' WHERE id = 5", 'UPDATE users SET name = <quoted_str> WHERE id = <number>'],
  ["DELETE FROM t WHERE a = 'x' /* request 9f8 */", 'DELETE FROM t WHERE a = <quoted_str> <comment>'],
  ['savepoint "s140213812991744_x1" does not exist', 'savepoint <savepoint> does not exist'],
  ['SAVEPOINT active_record_1', 'SAVEPOINT <savepoint>'],
  ['RELEASE SAVEPOINT trans2', 'RELEASE SAVEPOINT <savepoint>'],
  ['ROLLBACK TO SAVEPOINT sa_savepoint_12', 'ROLLBACK TO SAVEPOINT <savepoint>'],
  ["Duplicate entry 'ann' for key 'users.email'", "Duplicate entry '<quoted_str>' for key 'users.email'"],
  ['DETAIL: Key (email)=(ann) already exists.', 'DETAIL: Key (email)=(<quoted_str>) already exists.'],
  ['E11000 duplicate key error collection: db.users index: email_1 dup key: { email: "ann" }', 'E11000 duplicate key error collection: db.users index: email_<number> dup key: <quoted_str>'],
  // Quoted data
  ['invalid input syntax for type integer: "abc"', 'invalid input syntax for type integer: "<quoted_str>"'],
  ["invalid literal for int() with base 10: 'abc'", "invalid literal for int() with base <number>: '<quoted_str>'"],
  ["could not convert string to float: 'abc'", "could not convert string to float: '<quoted_str>'"],
  ['strconv.Atoi: parsing "abc": invalid syntax', 'strconv.Atoi: parsing "<quoted_str>": invalid syntax'],
  ['For input string: "abc"', 'For input string: "<quoted_str>"'],
  ["time data 'yesterday' does not match format '%Y'", "time data '<quoted_str>' does not match format '%Y'"],
  ['User "Ann Lee" not found', 'User "<quoted_str>" not found'],
  ["No such customer: 'ann'", "No such customer: '<quoted_str>'"],
  ["Access denied for user 'ann'@'10.0.0.5'", "Access denied for user '<quoted_str>'@'<ip>'"],
  ['“abc” is not a valid UUID.', '“<quoted_str>” is not a valid UUID.'],
  [`Unexpected token 'o', "foo bar" is not valid JSON`, `Unexpected token 'o', "<quoted_str>" is not valid JSON`],
  [`Unexpected token '<', "<!DOCTYPE "... is not valid JSON`, `Unexpected token '<', "<quoted_str>"... is not valid JSON`],
  ['cannot translate "Where is my order?"', 'cannot translate "<quoted_str>"'],
  // Dates
  ['at 2026-11-20T10:11:12.123Z', 'at <date>'],
  ['at 2026-11-20 10:11:12 +0200 or 2026-11-20', 'at <date> or <date>'],
  ['at 2026-11-20T10:11:12.123456+00:00 done', 'at <date> done'],
  ['at 2026-11-20T10:11:12.123+01:00[Europe/Berlin]', 'at <date>'],
  ['at 2026-11-20 10:11:12.123 +0000 UTC m=+0.123', 'at <date>'],
  ['at 2026-11-20 10:11:12,123 done', 'at <date> done'],
  ['at 2026-11-20_10:11:12', 'at <date>'],
  ['at 20261120T101112Z done', 'at <date> done'],
  ['at 2026-W47-5', 'at <date>'],
  ['at 2026/11/20 10:11:12 done', 'at <date> done'],
  ['at 11/20/2026, 3:04:05 PM done', 'at <date> done'],
  ['at 20.11.2026 10:11', 'at <date>'],
  ['at 20-11-2026', 'at <date>'],
  ['at Fri, 20 Nov 2026 10:11:12 GMT', 'at <date>'],
  ['at 20 Nov 26 10:11 CET', 'at <date>'],
  ['at Friday, 20-Nov-26 10:11:12 UTC', 'at <date>'],
  ['at 20/Nov/2026:10:11:12 +0000', 'at <date>'],
  ['at Fri Nov 20 10:11:12 2026', 'at <date>'],
  ['at Fri Nov 20 10:11:12 UTC 2026', 'at <date>'],
  ['at Fri Nov 20 2026 10:11:12 GMT+0100 (Central European Standard Time)', 'at <date>'],
  ['at Nov 20, 2026 at 3:04 PM', 'at <date>'],
  ['at November 20th, 2026', 'at <date>'],
  ['at 20 November 2026', 'at <date>'],
  ['Nov 20 10:11:12 host', '<date> host'],
  ['at 2026年11月20日', 'at <date>'],
  ['at datetime.datetime(2026, 11, 20, 10, 11) lost', 'at <date> lost'],
  ['at 10:11:12 and 3:04PM', 'at <date> and <date>'],
  ['took 12ms, then 1.5 seconds and 3h', 'took <duration>, then <duration> and <duration>'],
  ['took 1m30.5s of PT15M', 'took <duration> of <duration>'],
  ['verification code 123456 expired', 'verification code <number> expired'],
  ['zip code 12345 unknown', 'zip code <number> unknown'],
  ['got 404 rows', 'got <number> rows'],
]

// biome-ignore format: one row a line
const kept: readonly string[] = [
  'java.io.IOException in Foo.com.bar',
  'Face::add failed',
  'the word deadbeef has no digit',
  'utf8 and x86, sha256, base64, log4j and int32',
  'Http2Server11 and iPhone15ProMax, Direct3D d3d11',
  "Cannot read properties of undefined (reading 'id')",
  'Cannot read property "name" of null',
  "Cannot access 'cart' before initialization",
  "'Cart' object has no attribute 'total'",
  "No module named 'shop'",
  "Cannot find module 'lodash/fp'",
  "name 'total' is not defined",
  "'user_id'",
  'relation "users" does not exist',
  'column users.email does not exist',
  "Table 'shop.users' doesn't exist",
  "Unknown column 'email' in 'field list'",
  "Unexpected token '<'",
  "Failed to execute 'removeChild' on 'Node'",
  `"cart.add" is not a function`,
  "Type 'string' is not assignable to type 'Cart'",
  "Please select 'red' or 'blue'",
  'desc = "the server is down"', 'X-Amz-Cf-Id-Foo12Bar3 is missing',
  'application/json and text/html, and/or',
  'GET /api/orders failed',
  'src/components/Button.tsx is empty',
  'a {b} c and { d: e }',
  // HTTP
  'Request failed with status code 404',
  'Request failed with status code 500',
  'HTTP 503', 'HTTP/1.1 502', 'HTTP Error 404: Not Found', 'HTTPError: 404 Client Error: Not Found for url',
  'status: 404', 'status=500', 'statusCode: 403', 'status_code=429', '"status": 404',
  '404 Not Found', '(404) Not Found', '502 Bad Gateway', '500: Internal Server Error', '503 service unavailable',
  'returned 500', 'got 503 from upstream', 'responded with 404', 'failed (404)', 'fetch failed: 502',
  // Errors of systems
  'Minified React error #418', 'Minified React error #423; visit the page',
  'errno 104', 'errno: -2', '[Errno 111] Connection refused', 'Connection refused (os error 111)', 'WinError 10054',
  'exit code 137', 'exited with code 1', 'exit status 2', 'killed by signal 9',
  'code: 1006', 'close code 1011', 'rpc error: code = 14', '14 UNAVAILABLE: no connection', '4 DEADLINE_EXCEEDED: late',
  'error code: 50013', 'curl: (28) timed out', 'cURL error 28: timed out',
  'Exception from HRESULT: 0x80070005', 'Error (0x80004005)', 'exception code 0xc0000005',
  '550 5.1.1 unknown', 'SMTP error 421',
  // Errors of databases
  'ORA-00942: table or view does not exist', 'ORA-01017: invalid', 'TNS-12541: no listener',
  'E11000 duplicate key', 'SQLSTATE[HY000] [2002] Connection refused', 'SQLSTATE[42S02]: Base table or view not found: 1146 gone',
  'ERROR: syntax (SQLSTATE 42601)', 'SQLSTATE=42704', 'code: 23505', "code: '42P01'",
  'ERROR 1045 (28000): Access denied', 'Error 1213: Deadlock found', '(2006, "MySQL server has gone away")',
  'Error Number:1205', "Cannot find module './cart.js'",
  'Msg 208, Level 16, State 1', 'SQLCODE=-204', 'P2002: unique', 'AADSTS700016: unknown', 'TS2345: no',
]

test.each(replaced)('%s', (raw, want) => {
  expect(parameterize(raw)).toBe(want)
})

test.each(kept)('is kept: %s', (text) => {
  expect(parameterize(text)).toBe(text)
})

test.each(replaced)('replacing again changes nothing: %s', (_raw, want) => {
  expect(parameterize(want)).toBe(want)
})

describe('counting', () => {
  test('reports how often each kind was replaced', () => {
    const counts = new Map<string, number>()
    parameterizeUncached('1 and 2 at 10.0.0.1', counts)
    expect([...counts]).toEqual([
      ['number', 2],
      ['ip', 1],
    ])
  })

  test('a cached text gives the same result as a new one', () => {
    expect(parameterize('order 17')).toBe(parameterize('order 17'))
    expect(parameterizeUncached('order 17', undefined)).toBe(parameterize('order 17'))
  })
})

test('text after the cut is not read', () => {
  const head = 'a'.repeat(parameterizedUnitsMax)
  expect(parameterize(`${head} 17`)).toBe(head)
})

describe('hostile texts', () => {
  // biome-ignore format: one row a line
  const parts = [
    'a', '1', '(', '{"', "{'a':", '"', "'", '/', '/a', 'a/', '-', '_', '.', ':', '1:', 'f:', '::', 'a.', 'a@', '1.', '1,', 'a1', 'aA1', 'select ', 'select * from t where a in (', 'savepoint ',
    'savepoint a ', "value '", ' ', '\n', '=', '?a=', 'eyJ', 'eyJaaaaaaaa.', '\\', '\\\\a', 'C:\\', 'C:\\a ', 'Mon ', 'Nov 1 ', '1m', 'P1D', '0x', 'HTTP ', 'status: ', 'error #', '\u0000', '😀', '年', '/*', ')=(', 'dup key: {', '[{"a":', '<', 'a-', '4f3c2a1b-',
  ]
  test.each(parts)('a megabyte of %j costs no more than its beginning', (part) => {
    const text = part.repeat(Math.ceil((1024 * 1024) / part.length))
    const head = text.slice(0, parameterizedUnitsMax)
    expect(parameterizeUncached(text, undefined)).toBe(parameterizeUncached(head, undefined))
    const start = process.cpuUsage()
    for (let run = 0; run < 5; run++) parameterizeUncached(text, undefined)
    const { user } = process.cpuUsage(start)
    // Many times what the slowest takes on a busy machine; a quadratic step takes seconds.
    expect(user / 5).toBeLessThan(200_000)
  })
})
