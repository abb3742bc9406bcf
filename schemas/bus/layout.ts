/**
 * The layout of the bus: how many partitions there are, and how many streams share them. Partition
 * numbers are not reused: when the number of partitions changes, the new layout begins after the
 * last partition of the former one.
 */
export interface IngestLayout {
  /** Number of the first partition; 0 in the first layout. */
  readonly first: number
  readonly partitions: number
  readonly streams: number
}

/** The layout of an installation that was never changed. */
export function firstLayout(size: { readonly partitions: number; readonly streams: number }) {
  return { first: 0, partitions: size.partitions, streams: size.streams }
}

/** The numbers of all partitions, ascending. */
export function partitionsOf({
  first,
  partitions,
}: Pick<IngestLayout, 'first' | 'partitions'>): number[] {
  return Array.from({ length: partitions }, (_, index) => first + index)
}

export function hasPartition({ first, partitions }: IngestLayout, partition: number): boolean {
  return first <= partition && partition < first + partitions
}

export function isSameLayout(one: IngestLayout, other: IngestLayout): boolean {
  return (
    one.first === other.first &&
    one.partitions === other.partitions &&
    one.streams === other.streams
  )
}

export function describeLayout({ first, partitions, streams }: IngestLayout): string {
  const which = first === 0 ? '' : ` (${first} to ${first + partitions - 1})`
  return `${partitions} partitions${which} in ${streams} ${streams === 1 ? 'stream' : 'streams'}`
}
