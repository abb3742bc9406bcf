import { describe, expect, test } from 'vitest'
import { parameterize, parameterizedUnitsMax, parameterizeUncached } from './parameterize.ts'

// biome-ignore format: the columns are the point
const rows: readonly (readonly [raw: string, want: string])[] = [
  ['mail to ann.lee+x@mail.example.org bounced', 'mail to <email> bounced'],
  ['GET https://a.example/b?c=1 failed', 'GET <url> failed'],
  ["could not open 's3://bucket/key-1'", "could not open '<url>'"],
  ['lookup api.example.com: no such host', 'lookup <hostname>: no such host'],
  ['java.io.IOException in Foo.com.bar', 'java.io.IOException in Foo.com.bar'],
  ['trace 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'trace <traceparent>'],
  ['trace 1-5759e988-bd862e3fe1be46a994272793', 'trace <traceparent>'],
  ['order 8f14e45f-ceea-467f-a0e6-0123456789ab failed', 'order <uuid> failed'],
  ['commit da39a3ee5e6b4b0d3255bfef95601890afd80709', 'commit <sha1>'],
  ['etag d41d8cd98f00b204e9800998ecf8427e', 'etag <md5>'],
  ['at 2026-11-20T10:11:12.123Z', 'at <date>'],
  ['at 2026-11-20 10:11:12 +0200 or 2026-11-20', 'at <date> or <date>'],
  ['at Fri, 20 Nov 2026 10:11:12 GMT', 'at <date>'],
  ['at 20 Nov 26 10:11 CET', 'at <date>'],
  ['at Friday, 20-Nov-26 10:11:12 UTC', 'at <date>'],
  ['at Fri Nov 20 10:11:12 2026', 'at <date>'],
  ['at Fri Nov 20 2026 10:11:12 GMT+0100 (Central European Standard Time)', 'at <date>'],
  ['at 10:11:12 and 3:04PM', 'at <date> and <date>'],
  ['took 12ms, then 1.5 seconds, then 3h', 'took <duration>, then <duration>, then <duration>'],
  ['host 00:1b:44:11:3a:b7', 'host <mac>'],
  ['from 10.0.0.12:8080', 'from <ip>:<int>'],
  ['from fe80::1ff:fe23:4567:890a', 'from <ip>'],
  ['from [::1]', 'from [<ip>]'],
  ['Face::add failed', 'Face::add failed'],
  ['txn tx0123456789abcdef01234-0123456789', 'txn <swift_txn_id>'],
  ['segfault at 0xDEADBEEF', 'segfault at <hex>'],
  ['blob 4f3c2a1b99 is gone', 'blob <hex> is gone'],
  ['the word deadbeef has no digit', 'the word deadbeef has no digit'],
  ['version 4f3c2a1', 'version <git_sha>'],
  ['key AbC1dEf2GhI3jKl4MnO5pQ', 'key <random_id>'],
  ['ratio -1.5e10 of +2.25', 'ratio <float> of <float>'],
  ['order 17 and 12345678901234567890', 'order <int> and <int>'],
  ['is -5 but a-5', 'is <int> but a-<int>'],
  ['worker_12 and worker12', 'worker_<int> and worker12'],
  ['utf8 and x86', 'utf8 and x86'],
  ['name="Ann" ok=true kept "Ann" true', 'name=<quoted_str> ok=<bool> kept "Ann" true'],
  ["Cannot read properties of undefined (reading 'id')", "Cannot read properties of undefined (reading 'id')"],
]

test.each(rows)('%s', (raw, want) => {
  expect(parameterize(raw)).toBe(want)
})

test.each(rows)('replacing again changes nothing: %s', (_raw, want) => {
  expect(parameterize(want)).toBe(want)
})

describe('counting', () => {
  test('reports how often each kind was replaced', () => {
    const counts = new Map<string, number>()
    parameterizeUncached('1 and 2 at 10.0.0.1', counts)
    expect([...counts]).toEqual([
      ['int', 2],
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
