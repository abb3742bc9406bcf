import type { IngestLayout } from '#schemas/bus/layout.ts'
import { partitionsOf } from '#schemas/bus/layout.ts'
import { ingestStream } from '#schemas/bus/subjects.ts'

/**
 * Name of the stream that holds a partition. Consecutive partitions are in different streams, so
 * that their leaders are on different nodes.
 */
export function streamOfPartition(partition: number, layout: IngestLayout): string {
  return streamName((partition - layout.first) % layout.streams, layout)
}

/** `INGEST`, or `INGEST_16` for a layout that begins with partition 16; `-<index>` for several. */
export function streamName(
  index: number,
  { first, streams }: Pick<IngestLayout, 'first' | 'streams'>,
): string {
  const base = streamBase(first)
  return streams === 1 ? base : `${base}-${index}`
}

export function streamBase(first: number): string {
  return first === 0 ? ingestStream : `${ingestStream}_${first}`
}

const ingestStreamName = new RegExp(`^${ingestStream}(?:_(\\d+))?(?:-\\d+)?$`)

/** First partition of the layout to which a stream belongs; undefined for streams of others. */
export function firstPartitionOf(name: string): number | undefined {
  const [matched, first = '0'] = ingestStreamName.exec(name) ?? []
  return matched === undefined ? undefined : Number(first)
}

/** The partitions of the stream with this index. */
export function partitionsOfStream(index: number, layout: IngestLayout): number[] {
  return partitionsOf(layout).filter(
    (partition) => (partition - layout.first) % layout.streams === index,
  )
}
