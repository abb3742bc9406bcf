import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { ensureIngestStreams, streamNames } from '#platform/nats/ingest-streams.ts'
import { connectNats, type NatsConnection } from '#platform/nats/nats.ts'
import { type LocalCluster, startCluster } from '../../dev/nats-cluster.ts'
import { spreadLeaders } from '../../workers/ownership/spread-leaders.ts'
import { testInstallationId } from '../fixtures/processes/bus.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

const log = createLogger('test', 'silent')
const layout = { first: 0, partitions: 3, streams: 3 }
let cluster: LocalCluster
let nats: NatsConnection
let manager: JetStreamManager

beforeAll(async () => {
  cluster = await startCluster()
  nats = await connectNats(cluster.url, 'test')
  manager = await jetstreamManager(nats)
  await ensureIngestStreams(nats, {
    ...layout,
    bytesMax: 2 ** 26,
    replicas: 3,
    installationId: testInstallationId,
  })
})

afterAll(async () => {
  await nats?.close()
  await cluster?.stop()
})

const spread = () => spreadLeaders(nats, manager, layout, log)

/** Number of streams of each node that leads any; undefined while a stream has no leader. */
async function led(): Promise<number[] | undefined> {
  const counts = new Map<string, number>()
  for (const name of streamNames(layout)) {
    const leader = (await manager.streams.info(name)).cluster?.leader
    if (!leader) return undefined
    counts.set(leader, (counts.get(leader) ?? 0) + 1)
  }
  return [...counts.values()]
}

/**
 * Servers without leader preference choose at random, so this repeats the request until the node
 * leads.
 */
async function leadBy(node: string, stream: string): Promise<void> {
  const subject = `$JS.API.STREAM.LEADER.STEPDOWN.${stream}`
  await waitUntil(`${node} to lead ${stream}`, async () => {
    const { cluster: nodes } = await manager.streams.info(stream)
    if (nodes?.leader === node) return true
    if (!nodes?.leader) return false
    const answer = await nats.request(subject, `{"placement":{"preferred":"${node}"}}`)
    if (answer.json<{ error?: object }>().error) await nats.request(subject)
    return false
  })
}

test('spreads the leaders evenly when one node leads every stream', async () => {
  for (const name of streamNames(layout)) await leadBy('nats-2', name)
  expect(await led()).toEqual([3])
  await waitUntil('an even spread', async () => {
    await spread()
    return (await led())?.join() === '1,1,1'
  })
  expect(await spread()).toBeUndefined()
})

test('moves no leader while a node is down', async () => {
  for (const name of streamNames(layout)) await leadBy('nats-1', name)
  await cluster.nodes[2]!.kill()
  await waitUntil('its absence to be known', async () => {
    const { cluster: nodes } = await manager.streams.info('INGEST-0')
    return nodes?.replicas?.some(({ current }) => !current)
  })
  expect(await spread()).toBeUndefined()
  expect(await led()).toEqual([3])
})
