import { expect, test } from 'vitest'
import { mayFollowOutage } from '#platform/readiness/outages.ts'
import { writeLineTo } from './job-log.ts'

const lost = new Error('Connection terminated unexpectedly')
const broken = Object.assign(new Error('write'), { code: 'EPIPE' })
const refused = Object.assign(new Error('relation does not exist'), { code: '42P01' })

test.each([
  ['a lost connection while locks are reset', { error: lost }, true],
  ['a broken pipe', { error: broken }, true],
  ['a job whose end could not be stored', { fatalError: lost, job: {} }, true],
  ['a task that lost its connection', { failure: true, error: lost }, true],
  ['a cause that is a lost connection', { error: new Error('task', { cause: lost }) }, true],
  ['a line without an error', {}, true],
  ['a line without details', undefined, true],
  ['a statement that Postgres refused', { error: refused }, false],
  ['a task that failed', { failure: true, error: new TypeError('x is not a function') }, false],
  ['an error that is no object', { error: 'lost' }, false],
  ['an empty error', { error: null, fatalError: refused }, false],
])('%s', (_, meta, isAboutOutage) => {
  const lines: object[] = []
  const write = writeLineTo({ error: (fields: object) => lines.push(fields), warn: never })
  write('error', 'the message', meta as never)
  const mark = isAboutOutage ? mayFollowOutage : {}
  expect(lines).toStrictEqual([{ code: 'job', detail: 'the message', ...mark }])
})

test('a warning keeps its level; life cycle and the size of the pool are not written', () => {
  const lines: string[] = []
  const write = writeLineTo({
    warn: (fields: object) => lines.push(JSON.stringify(fields)),
    error: never,
  })
  write('info', 'Worker connected', {})
  write('debug', 'Found task', {})
  write('warning', 'having maxPoolSize (2) smaller than concurrency (4)', {})
  write('warning', 'a warning', {})
  expect(lines).toEqual(['{"code":"job","detail":"a warning"}'])
})

function never(): never {
  throw new Error('not expected')
}
