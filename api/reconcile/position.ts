/** A position in the stream of a partition. */
export interface Position {
  readonly generation: number
  readonly seq: number
}

export function isBeyond(one: Position, other: Position): boolean {
  if (one.generation !== other.generation) return one.generation > other.generation
  return one.seq > other.seq
}
