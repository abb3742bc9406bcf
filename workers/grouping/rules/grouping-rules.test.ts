import { describe, expect, test } from 'vitest'
import { buildEvent, type EventInShort } from '../../../test/fixtures/grouping/build-event.ts'
import { groupEvent } from '../group-v1.ts'
import { GroupingRules } from './grouping-rules.ts'

const group = (event: EventInShort, fingerprint: string, stackTrace = '') =>
  groupEvent(
    buildEvent(event),
    GroupingRules.of({ fingerprint_rules: fingerprint, stack_trace_rules: stackTrace }),
  )
const hashOf = (...args: Parameters<typeof group>) => group(...args).hashes[0].hash

const frames = [
  { module: 'app.main', function: 'serve', filename: 'app/main.py', absPath: '/srv/app/main.py' },
  { module: 'lib.pool', function: 'borrow', absPath: '/srv/lib/pool.py', inApp: false },
  {
    module: 'app.db',
    function: 'query',
    absPath: '/srv/app/db/query.py',
    package: 'C:\\x\\Db.dll',
  },
] as const
const event: EventInShort = {
  exceptions: [
    { type: 'OSError', value: 'disk 7 gone' },
    { type: 'TimeoutError', value: 'no answer in 5 s', frames, mechanism: { type: 'generic' } },
  ],
  level: 'error',
  logger: 'shop.db',
  transaction: 'GET /cart',
  environment: 'live',
  sdk: 'acme.python/2.1',
  tags: [['tenant', 'a']],
  fingerprint: ['from-client'],
}
const withoutRules = groupEvent(buildEvent(event)).hashes[0].hash
const sent = (fingerprint: string[]) =>
  groupEvent(buildEvent({ ...event, fingerprint })).hashes[0].hash

describe('which events a fingerprint rule is about', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['type:TimeoutError',                      true],
    ['error.type:timeout*',                    true],
    ['type:Timeout',                           false],
    ['type:TimeoutError value:"no answer*"',   true],
    ['type:TimeoutError value:disk*',          false],
    ['type:OSError value:disk*',               true],
    ['message:*gone',                          true],
    ['mechanism:generic',                      true],
    ['level:error logger:shop.* environment:live transaction:GET* sdk:acme.*', true],
    ['level:error logger:other',               false],
    ['tags.tenant:a',                          true],
    ['tags.tenant:b',                          false],
    ['tags.environment:live',                  true],
    ['tags.none:*',                            false],
    ['path:**/app/**',                         true],
    ['path:app/*.py',                          true],
    ['path:/srv/*/query.py',                   false],
    ['path:/srv/**/query.py',                  true],
    ['function:borrow module:lib.*',           true],
    ['function:borrow module:app.*',           false],
    ['function:borrow app:yes',                false],
    ['function:borrow app:no',                 true],
    ['package:C:/x/*.dll',                     true],
    ['family:python',                          true],
    ['family:javascript,python',               true],
    ['family:jvm',                             false],
    ['!type:TimeoutError',                     false],
    ['!type:KeyError',                         true],
    ['!function:borrow type:TimeoutError',     false],
    ['!tags.tenant:b type:TimeoutError',       true],
  ] as const)('%s: %j', (matchers, isMatch) => {
    const wanted = isMatch ? sent(['x']) : withoutRules
    expect(hashOf(event, `${matchers} -> x`)).toBe(wanted)
  })
})

describe('the fingerprint of a rule', () => {
  const plain = { ...event, fingerprint: undefined }
  // biome-ignore format: the columns are the point
  test.each([
    ['is what a client would send',     'type:* -> db, {{ transaction }}', ['db', '{{ transaction }}']],
    ['has the values of tags',          'type:* -> {{ tags.tenant }}',     ['{{ tags.tenant }}']],
    ['has one of the crash frame',      'type:* -> {{ function }}',        ['{{ stack.function }}']],
    ['may add to the usual grouping',   'type:* -> {{ default }}, a',      ['{{ default }}', 'a']],
    ['may be the usual grouping alone', 'type:* -> {{ default }}',         ['{{ default }}']],
    ['is that of the first rule',       'type:No -> n\ntype:* -> a\ntype:* -> b', ['a']],
  ])('%s', (_name, rules, fingerprint) => {
    expect(hashOf(event, rules)).toBe(sent(fingerprint))
  })

  test('a checksum of the client does not matter', () => {
    const checked = { ...plain, checksum: 'ab'.repeat(16) }
    expect(hashOf(checked, 'type:* -> a')).toBe(sent(['a']))
  })

  test('a value that is missing does not merge events with nothing in common', () => {
    expect(hashOf(event, 'type:* -> {{ tags.none }}')).not.toBe(
      hashOf(event, 'type:* -> {{ path }}'),
    )
    expect(hashOf({ ...event, transaction: '' }, 'type:* -> {{ transaction }}')).not.toBe(
      hashOf({ ...event, transaction: '' }, 'type:* -> {{ tags.none }}'),
    )
  })

  test.each([
    ['title="DB: {{ error.type }}"', 'DB: TimeoutError'],
    ['title="{{ value }} ({{ tags.tenant }})"', 'no answer in 5 s (a)'],
    ['title="{{ tags.none }}"', '<no tags.none>'],
    ['title="slow: {{ default }}"', 'slow: TimeoutError: no answer in 5 s'],
    ['', 'TimeoutError: no answer in 5 s'],
  ])('%s gives the title %s', (title, wanted) => {
    expect(group(event, `type:* -> a ${title}`).title).toBe(wanted)
  })

  test('the explanation names the rule', () => {
    const { explain } = group(event, '# why\ntype:Time* -> a')
    expect(explain()).toMatchObject({
      path: 'fingerprint-rule',
      summary: expect.stringContaining('fingerprint rule in line 2'),
      rules: ['fingerprint rule, line 2: type:Time* -> a'],
      variants: [{ pieces: [['fingerprint', 'a']] }],
    })
    const hybrid = group(event, 'type:* -> {{ default }}, a').explain()
    expect(hybrid.summary).toContain(
      "together with what the project's fingerprint rule in line 1 adds",
    )
    expect(hybrid.path).toBe('hybrid-fingerprint-rule')
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['type:* -> a', 'A rule with another fingerprint or no matching rule would have made another issue. Nothing else counts.'],
    ['type:* -> {{ error.type }}, a', 'A rule with another fingerprint, no matching rule, or another value of the variables of this rule would have made another issue. Nothing else counts.'],
    ['type:* -> {{ default }}, a', expect.stringMatching(/^Another value of what the rule adds would have made another issue, and so would another exception type\b/)],
  ])('%s says what would have made another issue', (rule, wanted) => {
    expect(group(event, rule).explain().otherwise).toEqual(wanted)
  })

  test('events that the product makes itself stay in their issue', () => {
    const own = { ...event, sdk: 'sluice.monitors/1' }
    expect(hashOf(own, 'type:* -> a')).toBe(withoutRules)
  })
})

describe('stack-trace rules', () => {
  const plain = { ...event, fingerprint: undefined }
  /** The event as if the client had sent these frames. */
  const withFrames = (list: readonly object[]) => ({
    ...plain,
    exceptions: [plain.exceptions![0]!, { ...plain.exceptions![1]!, frames: list }],
  })
  const app = (index: number, inApp: boolean) =>
    frames.map((frame, at) => (at === index ? { ...frame, inApp } : frame))
  const without = (...indexes: number[]) => frames.filter((_, at) => !indexes.includes(at))

  // biome-ignore format: the columns are the point
  test.each([
    ['function:borrow +app',                         app(1, true)],
    ['module:app.db -app',                           app(2, false)],
    ['function:borrow +app\nmodule:lib.* -app',      app(1, false)],
    ['module:app.main -app\napp:no +app',            app(1, true)],
    ['function:query -group',                        without(2)],
    ['function:serve ^-group',                       without(1, 2)],
    ['function:query v-group',                       without(0, 1)],
    ['[ function:borrow ] | module:app.* -group',    without(2)],
    ['module:app.* | [ function:borrow ] -group',    without(0)],
    ['type:TimeoutError function:query -group',      without(2)],
    ['type:OSError function:query -group',           frames],
    ['!function:query -group',                       without(0, 1)],
    ['path:**/lib/** -group\nfunction:borrow +group', frames],
    ['function:nothing -group',                      frames],
  ])('%s', (rules, same) => {
    const hashes = group(plain, '', rules).hashes.map(({ hash }) => hash)
    expect(hashes).toEqual(groupEvent(buildEvent(withFrames(same))).hashes.map(({ hash }) => hash))
  })

  test('fingerprint rules see what they decided', () => {
    expect(hashOf(event, 'function:borrow app:yes -> x', 'function:borrow +app')).toBe(sent(['x']))
  })

  test('the culprit is a frame that is not ignored, and the event itself is not changed', () => {
    const short = buildEvent({ ...plain, transaction: '' })
    const before = JSON.stringify(short)
    const rules = GroupingRules.of({
      fingerprint_rules: '',
      stack_trace_rules: 'function:query -group',
    })
    expect(groupEvent(short, rules).culprit).toBe('app.main in serve')
    expect(JSON.stringify(short)).toBe(before)
  })

  test('the explanation names the rules that matched, and what they left out', () => {
    const rules = 'function:none -app\nmodule:lib.* -group\nmodule:app.main -app'
    const { rules: used, variants } = group(plain, '', rules).explain()
    expect(used.slice(0, 2)).toEqual([
      'stack-trace rule, line 2: module:lib.* -group',
      'stack-trace rule, line 3: module:app.main -app',
    ])
    const skipped = variants[0]!.skipped.map(({ what, why }) => `${what}: ${why}`).join('\n')
    expect(skipped).toContain('frame 2: stack-trace rule, line 2, ignores it')
    expect(skipped).toContain('frame 3: app.main in serve: not in-app (stack-trace rule, line 3)')
  })

  test('a stack of a thread is ruled as well', () => {
    const thread = { id: '1', name: 'main', crashed: true, current: false, frames }
    const threaded = (list: readonly object[]) => ({
      threads: [{ ...thread, frames: list }],
      message: { template: undefined, formatted: 'hung' },
    })
    expect(hashOf(threaded(frames), '', 'function:query -group')).toBe(
      groupEvent(buildEvent(threaded(without(2)))).hashes[0].hash,
    )
  })
})

test('a project without rules has nothing to compile', () => {
  expect(GroupingRules.of({ fingerprint_rules: '', stack_trace_rules: '' })).toBeUndefined()
  const comments = { fingerprint_rules: '# none yet', stack_trace_rules: 'not a rule' }
  expect(GroupingRules.of(comments)).toBeUndefined()
})

test('hostile patterns on a hostile event end by their count of steps, and say so', () => {
  const path = `/${'a/'.repeat(2_000)}`
  const deep = Array.from({ length: 250 }, (_, index) => ({
    function: `${'ab'.repeat(400)}${index}`,
    absPath: path,
  }))
  const glob = `${'*a?'.repeat(60)}*`
  const rules = GroupingRules.of({
    fingerprint_rules: `path:${glob} function:${glob} -> x\n`.repeat(40),
    stack_trace_rules: `!path:${glob} -app\n`.repeat(80),
  })!
  const hostile = buildEvent({ exceptions: [{ type: 'E', frames: deep }] })
  const ruled = rules.apply(hostile)
  expect(ruled?.isComplete).toBe(false)
  expect(groupEvent(hostile, rules).explain().notes.join()).toContain('some were not tried')
  expect(rules.apply(hostile)?.matched).toEqual(ruled?.matched)
})

test.each([
  ['app', 'app:yes !app:no -group\n'],
  ['families', 'family:python,go,rust !family:jvm -group\n'],
  ['functions that no frame has', '!module:x +app\n'],
  ['all callers', 'app:yes v+group ^-app\n'],
])('rules about %s end by their count of steps, too', (_name, rule) => {
  const deep = Array.from({ length: 250 }, (_, index) => ({ function: `f${index}` }))
  const exceptions = Array.from({ length: 50 }, () => ({ type: 'E', frames: deep }))
  const hostile = buildEvent({ platform: 'python', exceptions })
  const rules = GroupingRules.of({ fingerprint_rules: '', stack_trace_rules: rule.repeat(200) })!
  expect(rules.apply(hostile)?.isComplete).toBe(false)
  const few = GroupingRules.of({ fingerprint_rules: '', stack_trace_rules: rule.repeat(3) })!
  const usual = buildEvent({ platform: 'python', exceptions: exceptions.slice(0, 2) })
  expect(few.apply(usual)?.isComplete).toBe(true)
})
