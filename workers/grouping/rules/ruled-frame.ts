import type { Frame } from '../../normalize/event.ts'

/** What stack-trace rules of a project say about a frame; undefined: nothing. */
export interface RuledFrame {
  /** By the last rule that decided. */
  inApp: boolean | undefined
  inAppLine: number
  isGrouped: boolean | undefined
  groupLine: number
}

export type RuledFrames = ReadonlyMap<Frame, Readonly<RuledFrame>>

/** How explanations and trials name a rule. */
export function nameRule(kind: 'fingerprint' | 'stack_trace', line: number): string {
  return `${kind === 'fingerprint' ? 'fingerprint' : 'stack-trace'} rule, line ${line}`
}
