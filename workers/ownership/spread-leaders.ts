/**
 * Spreads the leaders of the streams over the nodes of a NATS cluster. After a node was down its
 * streams are led by other nodes, and NATS does not move them back: one node would do the work of
 * two.
 */
import type { JetStreamManager } from '@nats-io/jetstream'
import type { Logger } from '#platform/logger.ts'
import { streamNames } from '#platform/nats/ingest-streams.ts'
import type { NatsConnection } from '#platform/nats/nats.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { planLeaderMove, type StreamLeadership } from './plan-leader-move.ts'

/** A node without contact for this time is about to be reported as outdated. */
const silentNs = 4e9

/** Moves at most one leader. Returns the stream whose leader was asked to step down. */
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
    // No leader moves while a node is down or catching up: it would have to move again.
    const areWell = replicas.every(({ current, active }) => current && active < silentNs)
    if (cluster?.leader === undefined || !areWell) return undefined
    const followers = replicas.map(({ name }) => name)
    streams.push({ stream, leader: cluster.leader, followers })
  }
  const move = planLeaderMove(streams)
  if (move === undefined) return undefined
  log.info(
    { code: 'leader_moved', ...move },
    'A node leads too many streams; moving the leader of one.',
  )
  await stepDown(nats, move)
  return move.stream
}

/** Servers before 2.11 reject a preferred leader. They choose the next leader themselves. */
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
