import { createServer, type Socket } from 'node:net'
import { connect } from '@nats-io/transport-node'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createClickHouse } from '../clickhouse.ts'
import { createLogger } from '../logger.ts'
import { createPool } from '../postgres.ts'
import { isUnreachable, retryAtStart, startRetryMsMax } from './retry-at-start.ts'

function timeline() {
  const clock = { ms: 0, nowMs: () => clock.ms, monotonicMs: () => clock.ms }
  const lines: { what: string; reason: string }[] = []
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
  const sleep = async (ms: number) => {
    clock.ms += ms
  }
  return { clock, lines, log, options: { clock, sleep } }
}

const coded = (code: string) => Object.assign(new Error('no'), { code })

// biome-ignore format: the columns are the point
test.each([
  ['a timeout of the pool          ', new Error('timeout exceeded when trying to connect'), true],
  ['a refused connection           ', coded('ECONNREFUSED'), true],
  ['a name that is not found yet   ', coded('EAI_AGAIN'), true],
  ['Postgres that starts           ', coded('57P03'), true],
  ['a lost connection of Postgres  ', coded('08006'), true],
  ['several addresses, all refused ', new AggregateError([coded('ECONNREFUSED')]), true],
  ['one as a cause                 ', new Error('no', { cause: coded('ETIMEDOUT') }), true],
  ['a wrong password               ', coded('28P01'), false],
  ['a missing database             ', coded('3D000'), false],
  ['a missing table                ', coded('42P01'), false],
  ['a cause of itself              ', Object.assign(new Error('no'), { cause: null }), false],
  ['a string                       ', 'ECONNREFUSED', false],
  ['nothing                        ', undefined, false],
  ['a code that is no string       ', Object.assign(new Error('no'), { code: 57 }), false],
] as const)('%s', (_name, error, expected) => {
  expect(isUnreachable(error)).toBe(expected)
})

test('an error that is its own cause ends the search', () => {
  const error = new Error('round')
  error.cause = error
  expect(isUnreachable(error)).toBe(false)
})

test('the start continues after the first successful attempt, and logs each failed one', async () => {
  const { lines, log, options } = timeline()
  let attempts = 0
  const result = await retryAtStart(
    log,
    'Postgres',
    async () => {
      attempts += 1
      if (attempts < 4) throw coded('ECONNREFUSED')
      return 'there'
    },
    options,
  )
  expect(result).toBe('there')
  expect(lines).toMatchObject(Array(3).fill({ code: 'start_waits', what: 'Postgres' }))
})

test('the start fails after a bounded time, and immediately for any other error', async () => {
  const { clock, log, options } = timeline()
  const away = () => Promise.reject(coded('ECONNREFUSED'))
  await expect(retryAtStart(log, 'NATS', away, options)).rejects.toThrow(
    'NATS could not be reached within 60 s: no',
  )
  expect(clock.ms).toBeGreaterThan(startRetryMsMax / 2)
  expect(clock.ms).toBeLessThanOrEqual(startRetryMsMax)
  const wrong = () => Promise.reject(coded('28P01'))
  const before = clock.ms
  await expect(retryAtStart(log, 'NATS', wrong, options)).rejects.toMatchObject({ code: '28P01' })
  expect(clock.ms).toBe(before)
})

test('the errors of all clients are recognised: no listener, and no reply', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => sockets.push(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as { port: number }
  for (const at of [`127.0.0.1:${port}`, '127.0.0.1:1']) {
    const pool = createPool(
      {
        url: `postgres://a:b@${at}/c`,
        applicationName: 'test',
        connectionsMax: 1,
        connectionTimeoutMs: 200,
      },
      createLogger('test', 'silent'),
    )
    const postgres = await pool.query('select 1').catch((error: unknown) => error)
    await pool.end()
    const nats = await connect({ servers: at, timeout: 200, reconnect: false }).catch(
      (error: unknown) => error,
    )
    expect([at, isUnreachable(postgres), isUnreachable(nats)]).toEqual([at, true, true])
  }
  const clickhouse = createClickHouse('http://a:b@127.0.0.1:1/c', 'test')
  const error = await clickhouse.query({ query: 'select 1' }).catch((cause: unknown) => cause)
  await clickhouse.close()
  expect(isUnreachable(error)).toBe(true)
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => silent.close(resolve))
})
