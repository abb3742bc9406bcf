/**
 * Spreads the leaders of the streams over the nodes of a cluster. After a node was away its streams are led elsewhere,
 * and the broker leaves it at that: one node would then do the work of two.
 */
import type { JetStreamManager } from '@nats-io/jetstream'
import type { Logger } from '#platform/logger.ts'
import { type IngestLayout, streamNames } from '#platform/nats/ingest-streams.ts'
import type { NatsConnection } from '#platform/nats/nats.ts'
import { planLeaderMove, type StreamLeadership } from './plan-leader-move.ts'

/** A node that was not heard for so long is on its way to be called out of date. */
const silentNs = 4e9

/** Moves one leader at the most. Returns the stream that was asked to move. */
export async function spreadLeaders(
  nats: NatsConnection,
  manager: JetStreamManager,
  layout: IngestLayout,
  log: Logger,
): Promise<string | undefined> {
  if (layout.streams === 1) return undefined
  const streams: StreamLeadership[] = []
  for (const stream of streamNames(layout)) {
    const { cluster } = await manager.streams.info(stream)
    const replicas = cluster?.replicas ?? []
    // Nothing moves while a node is away or catching up: it would have to move again.
    const areWell = replicas.every(({ current, active }) => current && active < silentNs)
    if (cluster?.leader === undefined || !areWell) return undefined
    const followers = replicas.map(({ name }) => name)
    streams.push({ stream, leader: cluster.leader, followers })
  }
  const move = planLeaderMove(streams)
  if (move === undefined) return undefined
  log.info({ code: 'leader_moved', ...move }, 'A node leads too many streams; one is moved.')
  await stepDown(nats, move)
  return move.stream
}

/** Servers before 2.11 know no preference and refuse one: they choose the next leader themselves. */
async function stepDown(
  nats: NatsConnection,
  { stream, to }: { stream: string; to: string },
): Promise<void> {
  const subject = `$JS.API.STREAM.LEADER.STEPDOWN.${stream}`
  const ask = async (body: string) => {
    const answer = await nats.request(subject, body, { timeout: 5_000 })
    return answer.json<{ error?: { description?: string } }>().error
  }
  const refusal = await ask(JSON.stringify({ placement: { preferred: to } }))
  if (refusal === undefined) return
  const error = await ask('')
  if (error !== undefined) throw new Error(`${stream} keeps its leader: ${error.description}`)
}
