import type { Level } from './event.ts'

/** Python's numbers among them, as numbers or as their text. */
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

/** Undefined where the level is absent or unknown: the caller knows what that means for it. */
export function readLevel(value: unknown): Level | undefined {
  if (typeof value === 'number') return levelOf.get(String(value))
  if (typeof value !== 'string') return undefined
  return levelOf.get(value) ?? levelOf.get(value.trim().toLowerCase())
}
