/**
 * Commits over a connection that is cut at the worst moment, through a relay that parses the
 * protocol of a real Postgres.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { DigestBench } from '../../test/fixtures/digest-bench.ts'
import { waitUntil } from '../../test/fixtures/processes/wait-until.ts'

/**
 * `request`: Postgres never receives the commit. `answer`: it takes place, and its answer is lost.
 */
type Cut = 'request' | 'answer'

let bench: DigestBench
let relay: Server
let pool: Pool
let cuts: Cut[] = []
const sockets = new Set<Socket>()

beforeAll(async () => {
  bench = await DigestBench.start()
  const url = new URL(bench.stores.postgresUrl)
  const port = Number(url.port)
  relay = createServer((client) => relayOf(client, port))
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  url.hostname = '127.0.0.1'
  url.port = String((relay.address() as AddressInfo).port)
  const options = { url: url.href, applicationName: 'relayed', connectionsMax: 2 }
  pool = createPool(options, createLogger('test', 'silent'))
})

afterAll(async () => {
  await pool?.end()
  for (const socket of sockets) socket.destroy()
  relay?.close()
  await bench?.stop()
})

afterEach(async () => {
  cuts = []
  await bench.reset()
})

function relayOf(client: Socket, port: number): void {
  const server = connect(port, '127.0.0.1')
  for (const socket of [client, server]) {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      client.destroy()
      server.destroy()
    })
  }
  let isAnswerCut = false
  client.on('data', (bytes) => {
    const cut = bytes.includes('commit\0') ? cuts.shift() : undefined
    if (cut === 'request') client.destroy()
    else {
      isAnswerCut = cut === 'answer'
      server.write(bytes)
    }
  })
  server.on('data', (bytes) => {
    if (isAnswerCut) client.destroy()
    else client.write(bytes)
  })
}

test.each([
  ['never reached Postgres', ['request']],
  ['took place', ['answer']],
  ['never reached it, and the next one took place', ['request', 'answer']],
  ['succeeded after three lost ones', ['request', 'request', 'request', 'answer']],
] as const)(
  'a commit whose connection was lost and that %s counts once',
  async (_name, planned) => {
    const run = await bench.startRun((run) => {
      run.pg = pool
    })
    cuts = [...planned]
    await bench.publish(['a', 'b'])
    await bench.expectExactly(2)
    const last = await bench.publish(['c'])
    await bench.expectExactly(3)
    await expect.poll(() => bench.cursor()).toEqual({ committed_seq: last, planned_seq: last })
    expect(cuts).toEqual([])
    expect(run.end).toBeUndefined()
  },
)

test('a backend that is terminated in the middle of a commit leaves nothing of it', async () => {
  const run = await bench.startRun()
  // The commit waits for this lock, so it is interrupted in the middle.
  const other = await bench.pg.connect()
  try {
    await other.query('begin')
    await other.query('select from projects where dsn_id = $1 for update', [bench.project])
    await bench.publish(['a'])
    await waitUntil('a commit that waits', async () => {
      // On another connection: within a transaction the list of backends does not change.
      const { rowCount } = await bench.pg.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
      return rowCount === 1
    })
    await other.query('rollback')
  } finally {
    other.release(true)
  }
  await bench.expectExactly(1)
  expect(await run.count('rangesFailed')).toBeGreaterThanOrEqual(1)
})
