/**
 * The product on several machines, simulated on one: a cluster of three NATS nodes with three
 * replicas of every stream, and two processes of each service. Every event answered 200 is stored
 * once, even when processes are killed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { connectNats } from '#platform/nats/nats.ts'
import { addAccessToken } from '../../api/credentials/credential-store.ts'
import { checkIds } from '../../bench/load/check-ids.ts'
import { type LoadResult, runLoad } from '../../bench/load/load.ts'
import { newRunId } from '../../bench/load/run-id.ts'
import { buildWorkload } from '../../bench/load/workload.ts'
import { openStoredEvents, type StoredEvents } from '../../bench/stored-events.ts'
import { type LocalCluster, startCluster } from '../../dev/nats-cluster.ts'
import type { ManagedProcess } from '../../dev/processes/managed-process.ts'
import { type SecondProcess, startSecond } from '../../dev/second-process.ts'
import type { ServiceName } from '../../dev/stack-settings.ts'
import { send } from '../fixtures/processes/raw-http.ts'
import { RunningProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

const layout = { INGEST_PARTITIONS: '6', INGEST_STREAMS: '3', INGEST_STREAM_REPLICAS: '3' }
let cluster: LocalCluster
let product: RunningProduct
let stored: StoredEvents
const seconds = {} as Record<ServiceName, SecondProcess>

beforeAll(async () => {
  cluster = await startCluster()
  const env = { ...layout, NATS_URL: cluster.url, INGEST_STREAM_BYTES_MAX: String(2 ** 28) }
  product = await RunningProduct.start({ env })
  const names = ['ingest', 'workers', 'api'] as const
  const started = await Promise.all(names.map((name) => startSecond(product.stack, name, env)))
  for (const [at, name] of names.entries()) seconds[name] = started[at]!
  stored = openStoredEvents(product.stack.urls)
})

afterAll(async () => {
  await stored?.close()
  await Promise.all(Object.values(seconds).map(({ process }) => process.stop()))
  await product?.stop()
  await cluster?.stop()
})

test('the partitions are on three streams, each replicated to all three nodes', async () => {
  const nats = await connectNats(cluster.url, 'test')
  const manager = await jetstreamManager(nats)
  for (const [index, name] of ['INGEST-0', 'INGEST-1', 'INGEST-2'].entries()) {
    const { config, cluster: nodes } = await manager.streams.info(name)
    expect(config.subjects).toEqual([`ingest.${index}`, `ingest.${index + 3}`])
    expect([nodes?.leader, ...(nodes?.replicas ?? []).map((node) => node.name)].sort()).toEqual([
      ...['nats-1', 'nats-2', 'nats-3'],
    ])
  }
  await nats.close()
})

test('the workers share the partitions evenly', async () => {
  const owned = await waitUntil('three partitions for each worker', async () => {
    const counts = await Promise.all(
      [product.stack.demo.metricsUrls.workers, seconds.workers.metricsUrl].map(ownedBy),
    )
    return counts.join() === '3,3' && counts
  })
  expect(owned).toEqual([3, 3])
})

async function ownedBy(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  return Number(/^worker\w*partitions_owned (\d+)$/m.exec(text)?.[1])
}

test('events sent to either ingest process are one issue in both APIs', async () => {
  const project = await product.project('two processes of each service')
  const body = '{}\n{"type":"event"}\n{"message":"seen by both"}'
  for (const url of [product.stack.urls.ingest, seconds.ingest.url]) {
    expect(await send(url, { path: project.path(), body })).toMatchObject({ status: 200 })
  }
  await project.hasEvents(2)
  const seen = await project.issues()
  expect(seen).toMatchObject([{ title: 'seen by both', count: 2 }])
  expect(await issuesAt(seconds.api.url, project.id)).toEqual(seen)
})

async function issuesAt(apiUrl: string, projectId: string): Promise<unknown[]> {
  const text = 'select organization_id as id from projects where id = $1'
  const { rows } = await product.postgres.query(text, [projectId])
  const organizationId: string = rows[0].id
  const token = await addAccessToken(product.postgres, { organizationId, label: 'second' })
  const response = await fetch(`${apiUrl}/api/v1/projects/${projectId}/issues`, {
    headers: { 'x-api-key': token.value },
  })
  return ((await response.json()) as { items: unknown[] }).items
}

test('the partitions of a stopped worker are taken over, and it does no harm when it continues', async () => {
  const project = await product.project('stopped worker')
  const pid = product.stack.services.workers.pid!
  process.kill(pid, 'SIGSTOP')
  try {
    for (let sent = 0; sent < 60; sent += 1) {
      const body = '{}\n{"type":"event"}\n{"message":"sent to a stopped worker"}'
      expect(await project.send({ body })).toMatchObject({ status: 200 })
    }
    await project.hasEvents(60)
    expect(await ownedBy(seconds.workers.metricsUrl)).toBe(6)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  const first = product.stack.demo.metricsUrls.workers
  await waitUntil('an even share', async () => (await ownedBy(first)) === 3)
  expect(await project.countedEvents()).toBe(60)
  expect(await project.events()).toHaveLength(60)
})

test('every event answered 200 is stored once when processes are killed under load', async () => {
  const { ingest, workers } = product.stack.services
  const loads = [product.stack.urls.ingest, seconds.ingest.url].map((url) => sendTo(url))
  await sleep(2_000)
  const node = await leadingNode()
  await node.kill()
  await sleep(6_000)
  await node.start()
  await sleep(3_000)
  await workers.crash()
  await sleep(1_000)
  await ingest.crash()
  const runs = await Promise.all(loads)
  for (const { runId, result } of runs) {
    expect(result.events).toBeGreaterThan(100)
    const check = async () => {
      const storedIds = await stored.ids(runId)
      return checkIds({ runId, storedIds, ...result })
    }
    await waitUntil('every event answered 200', async () => (await check()).missing === 0)
    expect(await check()).toMatchObject({ missing: 0, duplicates: 0, foreign: 0, examples: [] })
  }
  await waitUntil('every row to be counted', async () => {
    const { rows, counted } = await stored.counts()
    return counted === rows
  })
})

/** Sends single events at a fixed rate for twenty seconds. */
async function sendTo(url: string): Promise<{ runId: string; result: LoadResult }> {
  const runId = newRunId()
  const { hostname: host, port } = new URL(url)
  const { dsn, dsnId } = product.stack.demo
  const templates = buildWorkload({
    kind: '1k',
    seed: 1,
    runId,
    host,
    projectId: String(dsnId),
    nowMs: systemClock.nowMs(),
    publicKey: new URL(dsn).username,
  })
  const result = await runLoad(
    {
      host,
      port: Number(port),
      connections: 64,
      secondsMax: 20,
      ratePerSecond: 200,
      counterFirst: 0,
    },
    templates,
  )
  return { runId, result }
}

/** The node that leads the stream of partition 0. */
async function leadingNode(): Promise<ManagedProcess> {
  const nats = await connectNats(cluster.url, 'test')
  const info = await (await jetstreamManager(nats)).streams.info('INGEST-0')
  await nats.close()
  const node = cluster.nodes.find(({ name }) => name === info.cluster?.leader)
  if (node === undefined) throw new Error('INGEST-0 has no leader')
  return node
}
