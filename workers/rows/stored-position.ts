import type { StoredPosition } from '../partitions/ports.ts'

export function isBeyond(one: StoredPosition, other: StoredPosition): boolean {
  if (one.generation !== other.generation) return one.generation > other.generation
  return one.seq > other.seq
}
