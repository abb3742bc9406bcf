import { ingestStream } from '#schemas/bus/subjects.ts'

/**
 * Name of the stream that holds a partition. Consecutive partitions are in different streams, so
 * that their leaders are on different nodes.
 */
export function streamOfPartition(partition: number, streamCount: number): string {
  return streamName(partition % streamCount, streamCount)
}

export function streamName(index: number, streamCount: number): string {
  return streamCount === 1 ? ingestStream : `${ingestStream}-${index}`
}

/** The partitions of the stream with this index. */
export function partitionsOfStream(
  index: number,
  { partitions, streams }: { readonly partitions: number; readonly streams: number },
): number[] {
  return Array.from({ length: partitions }, (_, partition) => partition).filter(
    (partition) => partition % streams === index,
  )
}
