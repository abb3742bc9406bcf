/** The product's purge (workers/stream/stream-purge.ts) on the simulated broker and tables. */

import type { JetStreamManager } from '@nats-io/jetstream'
import type { Pool } from '#platform/postgres.ts'
import { purgeCommitted } from '../../../workers/stream/stream-purge.ts'
import type { World } from '../world.ts'
import type { SimBroker, SimStream } from './sim-broker.ts'
import type { SimProcess } from './sim-process.ts'

interface MessageQuery {
  readonly seq: number
  readonly next_by_subj: string
}

/** Purges the frames of one stream that all its partitions have committed. */
export async function simPurge(process: SimProcess, world: World, index: number): Promise<void> {
  const { scenario, ranges, links } = world
  const ask = <T>(what: string, read: (stream: SimStream, broker: SimBroker) => T) =>
    world.askBroker(process, what, (broker) =>
      read(broker.streamOf(scenario.layout.first + index), broker),
    )
  const streams = {
    info: () =>
      ask('read a stream', ({ createdAt, messages, firstSeq, lastSeq }) => ({
        created: createdAt,
        config: { max_bytes: 0 },
        state: { messages: messages.length, first_seq: firstSeq, last_seq: lastSeq, bytes: 0 },
      })),
    getMessage: (_: string, query: MessageQuery) =>
      ask('read a message', ({ messages }) => {
        const partition = Number(query.next_by_subj.split('.').at(-1))
        const found = messages.find((each) => each.partition === partition && each.seq >= query.seq)
        return found ?? null
      }),
    purge: (_: string, { seq }: { seq: number }) =>
      ask('purge a stream', (stream, broker) => {
        const before = stream.messages.length
        broker.purge(stream, seq - 1)
        return { purged: before - stream.messages.length }
      }),
  }
  const pool = {
    query: (_: string, [incarnation]: readonly string[]) =>
      links.postgres.call(process, 'read what is committed', () => ({
        rows: [...ranges.cursors]
          .filter(([, cursor]) => cursor.incarnation === incarnation)
          .map(([partition, { committedSeq }]) => ({ partition, committed_seq: committedSeq })),
      })),
  }
  const manager = { streams } as unknown as JetStreamManager
  await purgeCommitted(manager, pool as unknown as Pool, { index, layout: scenario.layout })
}
