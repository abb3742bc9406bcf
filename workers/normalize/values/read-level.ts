import type { Level } from '../event.ts'

/** Names of levels, and the numbers of Python's `logging` as text. */
const levelOf: ReadonlyMap<string, Level> = new Map([
  ['fatal', 'fatal'],
  ['critical', 'fatal'],
  ['50', 'fatal'],
  ['error', 'error'],
  ['err', 'error'],
  ['40', 'error'],
  ['warning', 'warning'],
  ['warn', 'warning'],
  ['30', 'warning'],
  ['info', 'info'],
  ['log', 'info'],
  ['20', 'info'],
  ['debug', 'debug'],
  ['10', 'debug'],
])

/**
 * Undefined when the level is absent or unknown: events and breadcrumbs have different defaults.
 */
export function readLevel(value: unknown): Level | undefined {
  if (typeof value === 'number') return levelOf.get(String(value))
  if (typeof value !== 'string') return undefined
  return levelOf.get(value) ?? levelOf.get(value.trim().toLowerCase())
}
