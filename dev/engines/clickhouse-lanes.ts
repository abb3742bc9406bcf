/** Which statements of the embedded ClickHouse wait for which. */

/** What a statement does decides whose turn it waits for. */
export type Lane = 'read' | 'insert' | 'change'

/** Sessions of each lane. */
export type LaneSizes = Readonly<Record<Lane, number>>

/** Of the embedded engine. More readers than cores only share them. */
export const laneSizes: LaneSizes = { read: 4, insert: 3, change: 1 }

/** Threads of libuv: one for each session, and Node's own four for files and compression. */
export const threadPoolSize = Object.values(laneSizes).reduce((sum, size) => sum + size, 4)

/** Comments and parentheses may come before the first word. */
const firstWord = /^(?:\s|\(|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*([a-z]+)/i
const reading = new Set(['select', 'with', 'show', 'describe', 'desc', 'explain', 'exists'])

/** `with … insert` is an insert in the lane of reads, which is harmless. */
export function laneOf(sql: string): Lane {
  const word = firstWord.exec(sql)?.[1]?.toLowerCase() ?? ''
  if (reading.has(word)) return 'read'
  return word === 'insert' ? 'insert' : 'change'
}
