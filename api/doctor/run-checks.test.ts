import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { doctorContext } from '../../test/fixtures/doctor/doctor-context.ts'
import { of } from './finding.ts'
import { reasonOf } from './reason-of.ts'
import { checks, runChecks } from './run-checks.ts'
import { resultOf, runDoctor } from './run-doctor.ts'

const good = { group: 'good', run: async () => [of('good').ok('one', 'Fine.')] }

test('a check that hangs, rejects or throws becomes a finding and stops no other', async () => {
  const findings = await runChecks(await doctorContext({}), {
    of: [
      { group: 'hangs', run: () => new Promise(() => undefined) },
      { group: 'rejects', run: () => Promise.reject(new Error('no\nstack')) },
      {
        group: 'throws',
        run: () => {
          throw new TypeError('x is not a function')
        },
      },
      good,
    ],
    msMax: 50,
  })
  expect(findings.map(({ check, status, found }) => [check, status, found])).toEqual([
    ['hangs.time', 'problem', 'This check had no result within 0.05 s.'],
    ['rejects.check', 'problem', 'This check failed: no.'],
    ['throws.check', 'problem', 'This check failed: x is not a function.'],
    ['good.one', 'ok', 'Fine.'],
  ])
})

test('without any store, every check ends, and what needs a store is skipped', async () => {
  const findings = await runChecks(await doctorContext({}))
  const groups = new Set(findings.map(({ check }) => check.split('.')[0]))
  expect([...groups]).toEqual(checks.map(({ group }) => group))
  expect(findings.filter(({ check }) => check.endsWith('.check'))).toEqual([])
  for (const { check, status, advice } of findings) {
    const needsAdvice = status === 'warning' || status === 'problem'
    expect([check, advice !== undefined]).toEqual([check, needsAdvice])
  }
})

test('stores that accept connections and never answer are problems, and the doctor ends', async () => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `u:p@127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const { code, json } = await runDoctor({
      SLUICE_DATA_DIR: '/nowhere/at/all',
      POSTGRES_URL: `postgres://${host}/x`,
      CLICKHOUSE_URL: `http://${host}/x`,
      NATS_URL: `nats://${host}`,
      SMTP_URL: `smtp://${host}`,
    })
    expect(code).toBe(1)
    for (const check of ['postgres.reachable', 'clickhouse.reachable', 'nats.reachable']) {
      const finding = json.checks.find((one) => one.check === check)
      expect(finding).toMatchObject({
        status: 'problem',
        found: expect.stringContaining('no answer in time'),
      })
    }
    expect(json.checks.find(({ check }) => check === 'smtp.session')?.status).toBe('problem')
  } finally {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
})

test('problems come first, with what to do, and decide the exit code', () => {
  const group = of('a')
  const findings = [
    group.ok('fine', 'It is fine.'),
    group.warning('odd', 'It is odd.', 'Look at it.'),
    group.skipped('later', 'Needs b.'),
    group.problem('bad', 'It is \u001b[2J bad.', 'Repair it.'),
  ]
  const { code, text, json } = resultOf(findings)
  expect(code).toBe(1)
  expect(json).toMatchObject({
    status: 'problem',
    counts: { problem: 1, warning: 1, ok: 1, skipped: 1 },
  })
  expect(text).toBe(`PROBLEMS
  a.bad    It is ?[2J bad.
           Fix: Repair it.

WARNINGS
  a.odd    It is odd.
           Fix: Look at it.

OK
  a.fine   It is fine.

SKIPPED
  a.later  Needs b.

1 problem, 1 warning, 1 ok, 1 skipped.
`)
  expect(resultOf(findings.slice(0, 3))).toMatchObject({ code: 0, json: { status: 'warning' } })
})

// biome-ignore format: the columns are the point
test.each([
  ['a message',                 new Error('it broke.'),                                              'it broke'],
  ['the innermost cause',       new Error('fetch failed', { cause: new Error('connect ECONNREFUSED') }), 'connect ECONNREFUSED'],
  ['a code without a message',  Object.assign(new Error(''), { code: 'ECONNRESET' }),                'ECONNRESET'],
  ['several addresses',         new AggregateError([new Error('one'), new Error('two')]),            'one'],
  ['a password in a URL',       new Error('cannot use postgres://u:secret@h/x'),                     'cannot use postgres://…@h/x'],
  ['a password with @ and /',   new Error('cannot use nats://u:p@ss/word@h:1'),                         'cannot use nats://…@h:1'],
  ['a time limit',              Object.assign(new Error('aborted'), { name: 'TimeoutError' }),       'no answer in time'],
  ['no error',                  'a word',                                                            'unknown error'],
] as const)('a reason in words: %s', (_what, error, want) => {
  expect(reasonOf(error)).toBe(want)
})
